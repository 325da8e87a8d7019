"""Drafts that a person takes over: they pass `check`, in the style of `fmt`."""

from __future__ import annotations

from pathlib import Path

from gpuplan.diagnostics import has_errors
from gpuplan.format.style import in_style
from gpuplan.importer import Imported, imported
from gpuplan.importer.account import Fate
from gpuplan.importer.reading import from_files
from gpuplan.inventory.assumed import Assumed
from tests.build import TODAY

OPERATOR = """
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: cluster-policy}
spec:
  mig: {strategy: mixed}
  migManager: {config: {name: tables, default: all-disabled}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: tables, namespace: gpu-operator}
data:
  config.yaml: |
    version: v1
    mig-configs:
      all-disabled: [{devices: all, mig-enabled: false}]
      small: [{devices: all, mig-enabled: true, mig-devices: {1g.5gb: 7}}]
"""
NODE = """
apiVersion: v1
kind: Node
metadata:
  name: a100-0
  labels: {{pool: a100, nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB, nvidia.com/gpu.count: "4", nvidia.com/mig.config: {config}}}
status: {{allocatable: {{{offer}}}}}
"""
QUEUES = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {{name: a100}}
spec: {{nodeLabels: {{pool: a100}}}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: lab}}
spec:
  namespaceSelector: {{}}
  resourceGroups:
  - coveredResources: [{resource}]
    flavors: [{{name: a100, resources: [{{name: {resource}, nominalQuota: {quota}}}]}}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {{name: low}}
value: 10
description: Can wait.
"""
CUT = (
    NODE.format(config="small", offer="nvidia.com/mig-1g.5gb: 28"),
    QUEUES.format(resource="nvidia.com/mig-1g.5gb", quota=28),
)
WHOLE = NODE.format(config="all-disabled", offer="nvidia.com/gpu: 4"), QUEUES.format(resource="nvidia.com/gpu", quota=4)


def drafted(folder: Path, *texts: str) -> Imported:
    for number, text in enumerate(texts):
        (folder / f"{number}.yaml").write_text(text, encoding="utf-8")
    return imported(from_files([folder], Assumed(), "prod").inventories, "acme", TODAY)


def test_an_operator_that_cuts_cards_by_its_own_profiles_goes_on_to(tmp_path: Path) -> None:
    made = drafted(tmp_path, OPERATOR, *CUT)
    assert not has_errors(made.findings)
    assert "stack: external" in made.text
    assert {line.object for line in made.account if line.fate is Fate.KEPT} >= {
        "ClusterQueue lab",
        "ResourceFlavor a100",
    }


def test_an_operator_of_whole_cards_stays_the_stack(tmp_path: Path) -> None:
    made = drafted(tmp_path, OPERATOR, *WHOLE)
    assert not has_errors(made.findings)
    assert "stack: operator" in made.text


def test_a_draft_is_in_the_style_of_fmt(tmp_path: Path) -> None:
    made = drafted(tmp_path, OPERATOR, *CUT)
    assert "profiles" in made.text
    assert in_style("imported.yaml", made.text).text == made.text


def test_the_configuration_of_a_kueue_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    settings = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nwaitForPodsReady: {timeout: 30m}\n"
    with_queues = drafted(tmp_path, settings, *WHOLE)
    (line,) = [line for line in with_queues.account if line.object.startswith("kueue-configuration")]
    assert line.fate is Fate.OUTSIDE
    assert "kueue: external" in with_queues.text


TABLE = """
version: v1
mig-configs:
  small: [{devices: all, mig-enabled: true, mig-devices: {1g.5gb: 7}}]
  large: [{devices: all, mig-enabled: true, mig-devices: {2g.10gb: 3}}]
"""
LAID_OUT = """
apiVersion: v1
kind: Node
metadata:
  name: {name}
  labels:
    nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB
    nvidia.com/gpu.count: "8"
    nvidia.com/mig.config: {layout}
"""


def test_layouts_of_a_table_alone_are_pools_that_the_layouts_label_tells_apart(tmp_path: Path) -> None:
    made = drafted(tmp_path, TABLE)
    assert not has_errors(made.findings)
    pools = made.draft.plain()["nodePools"]
    assert isinstance(pools, dict)
    labels = {name: pool["selectedBy"]["labels"] for name, pool in pools.items()}
    assert labels == {name: {"nvidia.com/mig.config": name} for name in ("small", "large")}


def test_nodes_of_one_card_with_two_layouts_are_two_pools(tmp_path: Path) -> None:
    nodes = [LAID_OUT.format(name=f"node-{layout}", layout=layout) for layout in ("small", "large")]
    made = drafted(tmp_path, TABLE, *nodes)
    assert not has_errors(made.findings)
    (first, second) = made.pools["prod"]
    assert first.labels != second.labels
    assert {pool.nodes for pool in (first, second)} == {1}


def test_a_layout_for_larger_nodes_is_read_for_the_cards_that_a_node_has(tmp_path: Path) -> None:
    table = """
version: v1
mig-configs:
  first:
  - {devices: [0], mig-enabled: true, mig-devices: {1g.5gb: 7}}
  - {devices: [1, 2, 3, 4, 5, 6, 7], mig-enabled: false}
"""
    node = LAID_OUT.format(name="node-0", layout="first").replace('"8"', '"2"')
    made = drafted(tmp_path, table, node)
    assert made.tried.fleet is not None
    (flavor,) = made.tried.fleet.clusters[0].flavors
    assert dict(flavor.capacity) == {"nvidia.com/gpu": 1, "nvidia.com/mig-1g.5gb": 7}
