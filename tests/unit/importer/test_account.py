"""What an import says became of each object."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpuplan import catalog
from gpuplan.importer import Imported, imported
from gpuplan.importer.account import Fate, Line
from gpuplan.importer.reading import from_files
from gpuplan.inventory.assuming import assumed
from gpuplan.report.imports import as_text
from tests.build import TODAY

PLUGIN = """
apiVersion: v1
kind: ConfigMap
metadata: {name: plugin, namespace: gpu}
data:
  config.yaml: |
    version: v1
    flags: {migStrategy: none, failOnInitError: true}
    sharing: {timeSlicing: {renameByDefault: false, resources: [{name: nvidia.com/gpu, replicas: 4}]}}
"""
POLICY = """
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: gpu-policy}
spec: {mig: {strategy: mixed}, driver: {version: 580.95.05, enabled: true}, toolkit: {version: v1.18.0}}
"""
TABLE = """
version: v1
mig-configs:
  cut: [{devices: all, mig-enabled: true, mig-devices: {1g.10gb: 7}}]
"""
OTHERS = {
    "Secret": ("v1", ""),
    "PrometheusRule": ("monitoring.coreos.com/v1", ""),
    "HorizontalPodAutoscaler": ("autoscaling/v2", ""),
    "ClusterRole": ("rbac.authorization.k8s.io/v1", ""),
    "CustomResourceDefinition": ("apiextensions.k8s.io/v1", ""),
    "Application": ("argoproj.io/v1alpha1", ""),
    "Namespace": ("v1", ""),
    "Deployment": ("apps/v1", ""),
}


def taken(folder: Path, *texts: str, assume: str = "card=h100-sxm-80gb,cardsPerNode=8,nodes=2") -> Imported:
    for number, text in enumerate(texts):
        (folder / f"{number}.yaml").write_text(text, encoding="utf-8")
    source = from_files([folder], assumed(assume.split(","), catalog.load().cards), "prod")
    return imported(source.inventories, "acme", TODAY)


def line(made: Imported, name: str) -> Line:
    (found,) = [one for one in made.account if one.object == name]
    return found


@pytest.mark.parametrize("kind", OTHERS)
def test_what_others_run_is_left_alone(tmp_path: Path, kind: str) -> None:
    made = taken(tmp_path, f"apiVersion: {OTHERS[kind][0]}\nkind: {kind}\nmetadata: {{name: theirs}}\n", PLUGIN)
    assert line(made, f"{kind} theirs").fate is Fate.OUTSIDE


def test_a_plugins_configuration_is_in_the_pool_and_the_rest_of_it_is_named(tmp_path: Path) -> None:
    said = line(taken(tmp_path, PLUGIN), "ConfigMap gpu/plugin")
    assert (said.fate, said.why, said.missing) == (
        Fate.LIFTED,
        "nodePools.config-yaml.sharing",
        ("flags.failOnInitError",),
    )


def test_a_cluster_policy_is_the_stack_and_its_driver_and_toolkit_are_in_no_entry(tmp_path: Path) -> None:
    said = line(taken(tmp_path, POLICY, PLUGIN), "ClusterPolicy gpu-policy")
    assert said.fate is Fate.LIFTED
    assert said.why == "clusters.prod.stack"
    assert said.missing == ("driver.version", "driver.enabled", "toolkit.version")
    assert "not in the spec: driver.version, driver.enabled, toolkit.version" in as_text((said,))


def test_a_file_that_is_no_object_is_in_the_account_too(tmp_path: Path) -> None:
    said = line(taken(tmp_path, TABLE), "mig-parted")
    assert (said.fate, said.why) == (Fate.LIFTED, "nodePools.cut.sharing")
    assert said.at.endswith("0.yaml:2:1")


def test_where_the_spec_has_errors_nothing_is_called_lost(tmp_path: Path) -> None:
    queue: dict[str, Any] = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue"}
    text = f"apiVersion: {queue['apiVersion']}\nkind: ClusterQueue\nmetadata: {{name: vision}}\nspec: {{resourceGroups: 7}}\n"
    made = taken(tmp_path, text, assume="cardsPerNode=8")
    assert made.tried.manifests is None
    assert line(made, "ClusterQueue vision").fate is Fate.UNTRIED
    assert "Not compared: the spec has errors" in as_text(made.account)


QUEUES = """
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {{name: h100}}
spec: {{nodeLabels: {{pool: h100}}, {flavor}}}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: Cohort
metadata: {{name: root}}
spec: {{{cohort}}}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {{name: nlp}}
spec:
  namespaceSelector: {{}}
  {queue}
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors: [{{name: h100, resources: [{{name: nvidia.com/gpu, nominalQuota: 8}}]}}]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {{name: low}}
value: 10
{pod_class}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: WorkloadPriorityClass
metadata: {{name: low}}
value: 10
{work_class}
"""
PLAIN = {"flavor": "", "cohort": "", "queue": "", "pod_class": "", "work_class": ""}


HEAD = "apiVersion: {}\nkind: {}\nmetadata: {{name: theirs}}\n"
V1BETA1, V1BETA2, V1 = "kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2", "scheduling.k8s.io/v1"
SAYS_NOTHING = {
    "no default for the cluster": (V1, "PriorityClass", "value: 5\nglobalDefault: false"),
    "no description of a priority": (V1, "PriorityClass", "value: 5\ndescription: ''"),
    "no value of a priority": (V1, "PriorityClass", "preemptionPolicy: PreemptLowerPriority"),
    "no description of a workload priority": (V1BETA2, "WorkloadPriorityClass", "value: 5\ndescription: ''"),
    "no taints": (V1BETA2, "ResourceFlavor", "spec: {nodeLabels: {}, nodeTaints: [], tolerations: []}"),
    "a toleration of all": (V1BETA2, "ResourceFlavor", "spec: {tolerations: [{key: '', operator: Exists}]}"),
    "no quotas": (V1BETA2, "Cohort", "spec: {parentName: all, resourceGroups: []}"),
    "no cohort": (V1BETA1, "ClusterQueue", "spec: {cohort: '', namespaceSelector: {matchLabels: {policy: ''}}}"),
    "no words": (
        V1BETA1,
        "ClusterQueue",
        "spec: {queueingStrategy: '', preemption: {withinClusterQueue: '', borrowWithinCohort: {policy: ''}}}",
    ),
    "no part of a policy": (
        V1BETA2,
        "ClusterQueue",
        "spec: {preemption: {borrowWithinCohort: null}, fairSharing: null}",
    ),
    "no checks": (
        V1BETA1,
        "ClusterQueue",
        "spec: {admissionChecks: [], admissionChecksStrategy: {admissionChecks: []}}",
    ),
}


@pytest.mark.parametrize("what", SAYS_NOTHING)
def test_what_is_empty_or_a_default_means_what_its_absence_means(tmp_path: Path, what: str) -> None:
    version, kind, fields = SAYS_NOTHING[what]
    said = line(taken(tmp_path, HEAD.format(version, kind) + fields), f"{kind} theirs")
    assert (said.fate, said.changes) == (Fate.KEPT, ())


def test_no_selector_and_an_empty_one_stay_two_things(tmp_path: Path) -> None:
    closed = QUEUES.format_map(PLAIN).replace("  namespaceSelector: {}\n", "")
    for text, selector in ((QUEUES.format_map(PLAIN), {}), (closed, None)):
        made: Any = taken(tmp_path, text).draft.plain()
        assert made["adopted"]["prod"]["clusterQueues"]["nlp"].get("namespaceSelector") == selector


def test_what_no_render_could_hold_is_lost_also_where_nothing_was_rendered(tmp_path: Path) -> None:
    made = taken(
        tmp_path, "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: train}\nspec: {weight: 1}\n"
    )
    assert made.tried.manifests is None
    assert line(made, "Queue train").fate is Fate.LOST


def test_checks_and_kubernetes_own_classes_are_left_to_those_who_bring_them(tmp_path: Path) -> None:
    check = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: AdmissionCheck\nmetadata: {name: dws}\nspec: {controllerName: acme.example/dws}\n"
    own = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: system-node-critical}\nvalue: 2000001000\n"
    made = taken(tmp_path, QUEUES.format_map(PLAIN), check, own)
    assert line(made, "AdmissionCheck dws").fate is Fate.OUTSIDE
    assert line(made, "PriorityClass system-node-critical").fate is Fate.OUTSIDE


def test_names_that_the_spec_does_not_allow_become_some_that_it_does(tmp_path: Path) -> None:
    queues = QUEUES.format_map(PLAIN).replace("name: nlp", "name: llm.train")
    second = "apiVersion: kueue" + queues.split("apiVersion: kueue")[3].replace("llm.train", "llm-train")
    local = "apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: {name: q, namespace: ml}\nspec: {clusterQueue: llm.train}\n"
    space = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml, labels: {gpuplan.dev/team: NLP.Research}}\n"
    made = taken(tmp_path, queues, second, local, space)
    spec: Any = made.draft.plain()
    assert (list(spec["taskPools"]), list(spec["teams"])) == (["llm-train", "llm-train-2"], ["nlp-research"])
    assert made.tried.manifests is not None, [one.summary for one in made.findings]
