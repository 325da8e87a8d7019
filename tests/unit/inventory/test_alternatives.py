"""Folders in which the same queues stand more than once: two clusters, a base and overlays, examples side by side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gpuplan.inventory.assumed import Assumed
from gpuplan.lint import lint

FLAVOR = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {{name: card}}
spec: {{nodeLabels: {{cluster: {cluster}}}}}
---
"""
QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: team}}
spec:
  namespaceSelector: {{}}
  resourceGroups:
  - coveredResources: [cpu, memory, {resource}]
    flavors:
    - name: card
      resources:
      - {{name: cpu, nominalQuota: 64}}
      - {{name: memory, nominalQuota: 512Gi}}
      - name: {resource}
        nominalQuota: {quota}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {{name: work, namespace: team}}
spec: {{clusterQueue: team}}
---
"""
NODE = """\
apiVersion: v1
kind: Node
metadata: {{name: {cluster}-1, labels: {{cluster: {cluster}}}}}
status: {{allocatable: {{nvidia.com/gpu: "8", cpu: "96", memory: 1000Gi}}}}
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: team, labels: {kueue.x-k8s.io/queue-name: work}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: c, image: c, resources: {limits: {cpu: 1, memory: 1Gi, nvidia.com/gpu: 1}}}]
"""
CARDS = "nvidia.com/gpu"


def found(folder: Path, files: Mapping[str, str], rule: str) -> set[str]:
    """Lint files in a folder, and return in which of them a rule finds something."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    findings = lint([folder], Assumed()).findings
    return {Path(one.at.file).relative_to(folder).as_posix() for one in findings if one.rule == rule}


def cluster(name: str, quota: int) -> str:
    return FLAVOR.format(cluster=name) + QUEUE.format(resource=CARDS, quota=quota) + NODE.format(cluster=name)


def test_each_cluster_is_held_against_its_own_nodes(tmp_path: Path) -> None:
    files = {"clusters/a/all.yaml": cluster("a", 8), "clusters/b/all.yaml": cluster("b", 12)}
    assert found(tmp_path, files, "plan/quota-above-capacity") == {"clusters/b/all.yaml"}


def test_what_stands_beside_two_clusters_belongs_to_both(tmp_path: Path) -> None:
    files = {
        "flavors.yaml": FLAVOR.format(cluster="any"),
        "a/queues.yaml": QUEUE.format(resource=CARDS, quota=8),
        "b/queues.yaml": QUEUE.format(resource=CARDS, quota=4),
    }
    assert found(tmp_path, files, "kueue/unknown-flavor") == set()


def test_work_that_fits_one_of_two_examples_is_nobodys_fault(tmp_path: Path) -> None:
    files = {
        "cards/setup.yaml": FLAVOR.format(cluster="a") + QUEUE.format(resource=CARDS, quota=8),
        "disks/setup.yaml": FLAVOR.format(cluster="a") + QUEUE.format(resource="ephemeral-storage", quota="8Gi"),
        "jobs/job.yaml": JOB,
    }
    assert found(tmp_path, files, "kueue/resource-not-covered") == set()


def test_work_in_the_folder_of_the_example_that_it_does_not_fit_is_found(tmp_path: Path) -> None:
    files = {
        "cards/setup.yaml": FLAVOR.format(cluster="a") + QUEUE.format(resource=CARDS, quota=8),
        "disks/setup.yaml": FLAVOR.format(cluster="a") + QUEUE.format(resource="ephemeral-storage", quota="8Gi"),
        "disks/job.yaml": JOB,
    }
    assert found(tmp_path, files, "kueue/resource-not-covered") == {"disks/job.yaml"}


def test_an_overlay_keeps_what_only_its_base_holds(tmp_path: Path) -> None:
    files = {
        "base/flavors.yaml": FLAVOR.format(cluster="any"),
        "base/queues.yaml": QUEUE.format(resource=CARDS, quota=0),
        "overlays/prod/queues.yaml": QUEUE.format(resource=CARDS, quota=8),
        "overlays/test/queues.yaml": QUEUE.format(resource=CARDS, quota=2),
    }
    assert found(tmp_path, files, "kueue/unknown-flavor") == set()
    assert found(tmp_path, files, "kueue/zero-accelerator-quota") == set()


def test_files_of_one_folder_go_together_by_their_names(tmp_path: Path) -> None:
    files = {
        "flavors-a.yaml": FLAVOR.format(cluster="a") + NODE.format(cluster="a"),
        "flavors-b.yaml": FLAVOR.format(cluster="b") + NODE.format(cluster="b"),
        "queues-a.yaml": QUEUE.format(resource=CARDS, quota=8),
        "queues-b.yaml": QUEUE.format(resource=CARDS, quota=12),
    }
    assert found(tmp_path, files, "plan/quota-above-capacity") == {"queues-b.yaml"}


def test_two_jobs_of_one_name_are_both_judged(tmp_path: Path) -> None:
    setup = FLAVOR.format(cluster="a") + QUEUE.format(resource="ephemeral-storage", quota="8Gi")
    files = {"setup.yaml": setup, "a.yaml": JOB, "b.yaml": JOB.replace("image: c", "image: d")}
    assert found(tmp_path, files, "kueue/resource-not-covered") == {"a.yaml", "b.yaml"}


def test_a_heap_of_files_with_one_name_is_taken_as_it_comes(tmp_path: Path) -> None:
    files = {f"{number}.yaml": FLAVOR.format(cluster=f"c{number}") for number in range(300)}
    assert (
        found(tmp_path, {**files, "queue.yaml": QUEUE.format(resource=CARDS, quota=0)}, "kueue/unknown-flavor") == set()
    )
