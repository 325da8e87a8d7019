"""Work of every kind is read as Kueue takes it: how many pods at once, and what each asks for."""

from __future__ import annotations

import pytest

from gpuplan.inventory.scheduling.workloads import Workload, queued, workloads
from tests.unit.inventory.held import held

POD = "{spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 2}}}]}}"


def only(text: str) -> Workload:
    """Return the one workload of a text."""
    (found,) = workloads(held(text))
    return found


def sets(text: str) -> list[tuple[str, int]]:
    """Return (name, pods) of each pod set."""
    return [(one.name, one.count) for one in only(text).pod_sets]


def job(spec: str, metadata: str = "") -> str:
    """Return a Job with a piece of spec and of metadata."""
    return f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a{metadata}}}\nspec: {{{spec}, template: {POD}}}"


def of(api: str, kind: str, spec: str) -> str:
    """Return an object of a kind."""
    return f"apiVersion: {api}\nkind: {kind}\nmetadata: {{name: a}}\nspec: {spec}"


MIN = ", annotations: {kueue.x-k8s.io/job-min-parallelism: '2'}"
COUNTS = {
    "a Job, one at a time": (job("backoffLimit: 1"), [("main", 1)]),
    "a Job, as many as run at once": (job("parallelism: 3, completions: 9"), [("main", 3)]),
    "a Job, as many as are to end": (job("parallelism: 9, completions: 4"), [("main", 4)]),
    "a Job, as few as it may start with": (job("parallelism: 9", MIN), [("main", 2)]),
    "a CronJob": (
        of("batch/v1", "CronJob", f"{{jobTemplate: {{spec: {{parallelism: 3, template: {POD}}}}}}}"),
        [("main", 3)],
    ),
    "a Deployment, pod by pod": (of("apps/v1", "Deployment", f"{{replicas: 9, template: {POD}}}"), [("main", 1)]),
    "a StatefulSet, all together": (of("apps/v1", "StatefulSet", f"{{replicas: 9, template: {POD}}}"), [("main", 9)]),
    "a JobSet": (
        of(
            "jobset.x-k8s.io/v1alpha2",
            "JobSet",
            f"{{replicatedJobs: [{{name: w, replicas: 4, template: {{spec: {{parallelism: 2, template: {POD}}}}}}}]}}",
        ),
        [("w", 8)],
    ),
    "an MPIJob": (
        of(
            "kubeflow.org/v2beta1",
            "MPIJob",
            f"{{mpiReplicaSpecs: {{Launcher: {{template: {POD}}}, Worker: {{replicas: 3, template: {POD}}}}}}}",
        ),
        [("Launcher", 1), ("Worker", 3)],
    ),
    "a LeaderWorkerSet, one group": (
        of(
            "leaderworkerset.x-k8s.io/v1",
            "LeaderWorkerSet",
            f"{{replicas: 5, leaderWorkerTemplate: {{size: 4, leaderTemplate: {POD}, workerTemplate: {POD}}}}}",
        ),
        [("leader", 1), ("workers", 3)],
    ),
    "a RayCluster": (
        of(
            "ray.io/v1",
            "RayCluster",
            f"{{headGroupSpec: {{template: {POD}}}, workerGroupSpecs: [{{groupName: g, replicas: 2, numOfHosts: 4, template: {POD}}}]}}",
        ),
        [("head", 1), ("g", 8)],
    ),
    "nothing of a Job of another group": ("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {}", [("main", 1)]),
    "no number where it is none": (job("parallelism: many"), [("main", 0)]),
}


@pytest.mark.parametrize(("text", "expected"), COUNTS.values(), ids=COUNTS)
def test_pods_that_are_admitted_together(text: str, expected: list[tuple[str, int]]) -> None:
    assert sets(text) == expected


def test_a_job_of_another_scheduler_is_none_of_kueues() -> None:
    assert not workloads(held("apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: a}"))


def requests(containers: str) -> dict[str, str]:
    """Return what a pod asks for."""
    (pods,) = only(of("v1", "Pod", f"{{{containers}}}")).pod_sets
    return {name: str(one.amount) for name, one in pods.requests.items()}


CPU = "{name: %s, resources: {requests: {cpu: %s}}}"
REQUESTS = {
    "containers add up": (f"containers: [{CPU % ('a', 1)}, {CPU % ('b', '500m')}]", {"cpu": "1500m"}),
    "the largest init container alone": (
        f"initContainers: [{CPU % ('i', 4)}], containers: [{CPU % ('a', 1)}]",
        {"cpu": "4"},
    ),
    "a small init container not at all": (
        f"initContainers: [{CPU % ('i', 1)}], containers: [{CPU % ('a', 4)}]",
        {"cpu": "4"},
    ),
    "a sidecar beside the containers": (
        (
            "initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: 2}}}], "
            f"containers: [{CPU % ('a', 4)}]"
        ),
        {"cpu": "6"},
    ),
    "an init container beside the sidecars before it": (
        (
            "initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: 2}}}, "
            f"{CPU % ('i', 9)}], containers: [{CPU % ('a', 4)}]"
        ),
        {"cpu": "11"},
    ),
    "overhead on top": (f"overhead: {{cpu: 250m}}, containers: [{CPU % ('a', 1)}]", {"cpu": "1250m"}),
    "a limit for a request": (
        "containers: [{name: a, resources: {limits: {nvidia.com/gpu: 2}}}]",
        {"nvidia.com/gpu": "2"},
    ),
    "the request before the limit": (
        "containers: [{name: a, resources: {requests: {cpu: 1}, limits: {cpu: 4}}}]",
        {"cpu": "1"},
    ),
    "nothing of zero": ("containers: [{name: a, resources: {requests: {rdma/ib: 0}}}]", {}),
    "nothing of what is no amount": ("containers: [{name: a, resources: {requests: {cpu: lots}}}, 7]", {}),
}


@pytest.mark.parametrize(("containers", "expected"), REQUESTS.values(), ids=REQUESTS)
def test_a_pod_asks_for(containers: str, expected: dict[str, str]) -> None:
    assert requests(containers) == expected


LABEL = "{kueue.x-k8s.io/queue-name: lq}"
QUEUED = {
    "on the object": f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a, labels: {LABEL}}}\nspec: {{}}",
    "in the template of a CronJob": f"apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: a}}\nspec: {{jobTemplate: {{metadata: {{labels: {LABEL}}}}}}}",
    "on the pods of a Deployment": f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: a}}\nspec: {{template: {{metadata: {{labels: {LABEL}}}}}}}",
    "as the annotation of old versions": f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a, annotations: {LABEL}}}\nspec: {{}}",
}


@pytest.mark.parametrize("text", QUEUED.values(), ids=QUEUED)
def test_a_queue_is_named(text: str) -> None:
    assert [one.queue.scalar() for one in queued(held(text))] == ["lq"]


def test_pods_of_a_job_name_no_queue_for_it() -> None:
    text = (
        f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a}}\nspec: {{template: {{metadata: {{labels: {LABEL}}}}}}}"
    )
    assert not list(queued(held(text)))
