"""Which pools an import makes of nodes and flavors: each node counted once, cards and not pieces, pools told apart by their labels.

A case is flavors, nodes, and the pools of the imported spec: (nodes x cards, what selects them, sharing). What the spec cannot say
is named as left out.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplan.diagnostics import has_errors
from gpuplan.importer import Imported, imported
from gpuplan.importer.reading import from_files
from gpuplan.importer.sharing import BESIDES, SEVERAL_SHARES
from gpuplan.inventory.assumed import Assumed
from tests.build import TODAY

Labels = dict[str, str]
PRODUCT, COUNT = "nvidia.com/gpu.product", "nvidia.com/gpu.count"
H100, A100, T4 = "NVIDIA-H100-80GB-HBM3", "NVIDIA-A100-SXM4-40GB", "Tesla-T4"


class Node(NamedTuple):
    labels: Labels
    offers: int = 8
    resource: str = "nvidia.com/gpu"
    taint: str = ""


class Case(NamedTuple):
    flavors: dict[str, Labels]
    nodes: list[Node]
    pools: dict[str, tuple[str, Labels, Any]]
    left_out: tuple[str, ...] = ()


def seen(product: str, count: int, **more: str) -> Labels:
    return {PRODUCT: product, COUNT: str(count), **{key.replace("_", "-"): value for key, value in more.items()}}


CASES = {
    "a flavor over two models of cards": Case(
        {"gpu": {"gpu": "yes"}},
        [Node(seen(H100, 8, gpu="yes")), Node(seen(T4, 2, gpu="yes"), 2)],
        {
            "gpu-h100-sxm-80gb": ("1 x 8", {"gpu": "yes", PRODUCT: H100}, None),
            "gpu-t4": ("1 x 2", {"gpu": "yes", PRODUCT: T4}, None),
        },
    ),
    "a flavor inside another": Case(
        {"any": {"gpu": "yes"}, "h100": {"gpu": "yes", PRODUCT: H100}},
        [Node(seen(H100, 8, gpu="yes")), Node(seen(T4, 2, gpu="yes"), 2)],
        {"any": ("1 x 2", {"gpu": "yes", PRODUCT: T4}, None), "h100": ("1 x 8", {"gpu": "yes", PRODUCT: H100}, None)},
    ),
    "a flavor whose labels other flavors have, too": Case(
        {"a": {PRODUCT: T4}, "b": {PRODUCT: T4, "spot": "yes"}},
        [],
        {"a": ("", {PRODUCT: T4}, None)},
        ("nodes of flavor b",),
    ),
    "two flavors by the same labels": Case(
        {"a": {PRODUCT: T4}, "b": {PRODUCT: T4}}, [], {"a": ("", {PRODUCT: T4}, None)}, ("nodes of flavor b",)
    ),
    "servers of two sizes": Case(
        {},
        [Node(seen(H100, 8)), Node(seen(H100, 4), 4)],
        {
            "h100-sxm-80gb": ("1 x 8", {PRODUCT: H100, COUNT: "8"}, None),
            "h100-sxm-80gb-2": ("1 x 4", {PRODUCT: H100, COUNT: "4"}, None),
        },
    ),
    "nodes on and off spot": Case(
        {},
        [
            Node(seen(H100, 8) | {"cloud.google.com/gke-nodepool": "od"}),
            Node(seen(H100, 8) | {"cloud.google.com/gke-nodepool": "spot"}, taint="cloud.google.com/gke-spot"),
        ],
        {
            "h100-sxm-80gb": ("1 x 8", {PRODUCT: H100, "cloud.google.com/gke-nodepool": "od"}, None),
            "h100-sxm-80gb-2": ("1 x 8", {PRODUCT: H100, "cloud.google.com/gke-nodepool": "spot"}, None),
        },
    ),
    "nodes that no label tells apart": Case(
        {},
        [Node(seen(H100, 8)), Node(seen(H100, 8), taint="acme.example/late")],
        {"h100-sxm-80gb": ("1 x 8", {PRODUCT: H100}, None)},
        ("nodes of h100-sxm-80gb-2",),
    ),
    "a node that is still being set up": Case(
        {},
        [Node(seen(H100, 8)), Node(seen(H100, 8), taint="node.cilium.io/agent-not-ready")],
        {"h100-sxm-80gb": ("2 x 8", {PRODUCT: H100}, None)},
    ),
    "nodes of providers without feature discovery": Case(
        {},
        [
            Node({"eks.amazonaws.com/nodegroup": "p5", "node.kubernetes.io/instance-type": "p5.48xlarge"}),
            Node({"eks.amazonaws.com/nodegroup": "g6", "node.kubernetes.io/instance-type": "g6.xlarge"}, 1),
        ],
        {
            "p5": ("1 x 8", {"eks.amazonaws.com/nodegroup": "p5"}, None),
            "g6": ("1 x 1", {"eks.amazonaws.com/nodegroup": "g6"}, None),
        },
    ),
    "instances that feature discovery counts as cards": Case(
        {},
        [Node(seen(f"{A100}-MIG-1g.5gb", 56) | {"nvidia.com/mig.strategy": "single"}, 56)],
        {
            "a100-sxm-40gb": (
                "1 x 8",
                {PRODUCT: f"{A100}-MIG-1g.5gb"},
                {"mig": {"strategy": "single", "profiles": {"1g.5gb": 7}}},
            )
        },
    ),
    "as often as the card of that node allows": Case(
        {},
        [Node(seen(f"{H100}-MIG-1g.10gb", 14), 14)],
        {
            "h100-sxm-80gb": (
                "1 x 2",
                {PRODUCT: f"{H100}-MIG-1g.10gb"},
                {"mig": {"strategy": "single", "profiles": {"1g.10gb": 7}}},
            )
        },
    ),
    "a node with cards that are cut amiss": Case(
        {},
        [Node(seen(f"{A100}-MIG-INVALID", 0), 0), Node(seen(f"{A100}-MIG-3g.20gb", 16), 16)],
        {
            "a100-sxm-40gb": (
                "1 x 8",
                {PRODUCT: f"{A100}-MIG-3g.20gb"},
                {"mig": {"strategy": "single", "profiles": {"3g.20gb": 2}}},
            )
        },
        ("nodes of a100-sxm-40gb-2",),
    ),
    "shares under the cards' own name": Case(
        {},
        [Node(seen(f"{T4}-SHARED", 2) | {"nvidia.com/gpu.replicas": "4"})],
        {"t4": ("1 x 2", {PRODUCT: f"{T4}-SHARED"}, {"timeSlicing": {"replicas": 4, "renameByDefault": False}})},
    ),
    "shares under a name of their own": Case(
        {"play": {"pool": "play"}},
        [Node(seen(T4, 4, pool="play") | {"nvidia.com/gpu.replicas": "10"}, 40, "nvidia.com/gpu.shared")],
        {"play": ("1 x 4", {"pool": "play"}, {"timeSlicing": {"replicas": 10}})},
    ),
    "shares that nobody counts": Case(
        {"play": {PRODUCT: f"{T4}-SHARED"}},
        [],
        {"play": ("", {PRODUCT: f"{T4}-SHARED"}, {"timeSlicing": {"replicas": 2, "renameByDefault": False}})},
    ),
    "cards by the names of GKE, Karpenter, AMD and Huawei": Case(
        {},
        [
            Node({"cloud.google.com/gke-accelerator": "nvidia-h100-mega-80gb", "cloud.google.com/gke-nodepool": "a3"}),
            Node({"karpenter.k8s.aws/instance-gpu-name": "l40s", "karpenter.k8s.aws/instance-gpu-count": "4"}, 4),
            Node({"amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM"}, 8, "amd.com/gpu"),
            Node({"node.kubernetes.io/npu.chip.name": "910B3"}, 8, "huawei.com/Ascend910"),
        ],
        {
            "h100-sxm-80gb": ("1 x 8", {"cloud.google.com/gke-accelerator": "nvidia-h100-mega-80gb"}, None),
            "l40s": ("1 x 4", {"karpenter.k8s.aws/instance-gpu-name": "l40s"}, None),
            "mi300x": ("1 x 8", {"amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM"}, None),
            "ascend-910b3": ("1 x 8", {"node.kubernetes.io/npu.chip.name": "910B3"}, None),
        },
    ),
    "a node of GKE with cards and one without": Case(
        {},
        [
            Node({"cloud.google.com/gke-accelerator": "nvidia-l4"}, 0),
            Node({"cloud.google.com/gke-accelerator": "nvidia-l4"}, 2),
        ],
        {"l4": ("1 x 2", {"cloud.google.com/gke-accelerator": "nvidia-l4"}, None)},
    ),
    "accelerators that the spec does not know": Case(
        {},
        [Node(seen(H100, 8)), Node({"cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite"}, 4, "google.com/tpu")],
        {"h100-sxm-80gb": ("1 x 8", {PRODUCT: H100}, None)},
        ("nodes of n1",),
    ),
    "a product with a long name": Case(
        {},
        [Node(seen("NVIDIA-RTX-PRO-6000-Blackwell-Workstation-Edition", 4), 4)],
        {"nvidia-rtx-pro-6000": ("1 x 4", {PRODUCT: "NVIDIA-RTX-PRO-6000-Blackwell-Workstation-Edition"}, None)},
    ),
}


def text(case: Case) -> str:
    documents: list[dict[str, Any]] = [
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "ResourceFlavor",
            "metadata": {"name": name},
            "spec": {"nodeLabels": labels},
        }
        for name, labels in case.flavors.items()
    ]
    for number, node in enumerate(case.nodes):
        taints = [{"key": node.taint, "effect": "NoSchedule"}] if node.taint else []
        documents.append(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": f"n{number}", "labels": node.labels | {"kubernetes.io/hostname": f"n{number}"}},
                "spec": {"taints": taints},
                "status": {"allocatable": {node.resource: str(node.offers)}},
            }
        )
    return "\n---\n".join(map(str, documents))


def taken(folder: Path, written: str) -> Imported:
    path = folder / "objects.yaml"
    path.write_text(written, encoding="utf-8")
    return imported(from_files([path], Assumed(), "prod").inventories, "acme", TODAY)


@pytest.mark.parametrize("name", CASES)
def test_pools_of(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    made = taken(tmp_path, text(case))
    pools: Any = made.draft.plain()["nodePools"]
    found = {
        pool: (
            f"{value['nodes']} x {value['cardsPerNode']}" if "nodes" in value else "",
            value["selectedBy"]["labels"],
            value.get("sharing"),
        )
        for pool, value in pools.items()
    }
    assert found == case.pools
    assert tuple(made.draft.left_out) == case.left_out
    assert not has_errors(made.findings), [one.summary for one in made.findings]


NOTED = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: h100, annotations: {nodes: "4", nvidia.com/gpu-per-node: "8"}}
spec: {nodeLabels: {pool: h100}, nodeTaints: [{key: spot, value: "true", effect: NoSchedule}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: train}
spec:
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 32}]}]
"""


def test_what_a_flavor_says_of_nodes_that_are_not_listed(tmp_path: Path) -> None:
    pools: Any = taken(tmp_path, NOTED).draft.plain()["nodePools"]
    pool = pools["h100"]
    assert (pool["nodes"], pool["cardsPerNode"]) == (4, 8)
    assert pool["taints"] == [{"key": "spot", "value": "true", "effect": "NoSchedule"}]


def test_a_quota_over_several_pools_strands_none_of_their_cards(tmp_path: Path) -> None:
    queue = NOTED.split("---")[1].replace("h100", "gpu").replace("32", "10")
    case = CASES["a flavor over two models of cards"]
    made = taken(tmp_path, f"{text(case)}\n---\n{queue}")
    assert "quota/stranded" not in {one.rule for one in made.findings}


TABLE = """
apiVersion: v1
kind: ConfigMap
metadata: {name: default-mig-parted-config, namespace: gpu-operator}
data:
  config.yaml: |
    version: v1
    mig-configs:
      all-balanced:
      - device-filter: ["0x20B010DE", "0x20F110DE"]
        devices: all
        mig-enabled: true
        mig-devices: {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}
      - device-filter: ["0x20B210DE", "0x20B510DE"]
        devices: all
        mig-enabled: true
        mig-devices: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}
"""


@pytest.mark.parametrize(
    ("product", "cut"),
    [
        (A100, {"1g.5gb": 2, "2g.10gb": 1, "3g.20gb": 1}),
        ("NVIDIA-A100-SXM4-80GB", {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}),
    ],
)
def test_of_a_layout_for_several_models_a_pool_gets_its_own(tmp_path: Path, product: str, cut: dict[str, int]) -> None:
    labels = seen(product, 8) | {"nvidia.com/mig.config": "all-balanced", "nvidia.com/mig.strategy": "mixed"}
    made = taken(tmp_path, f"{text(Case({}, [Node(labels)], {}))}\n---{TABLE}")
    pools: Any = made.draft.plain()["nodePools"]
    assert [pool["sharing"] for pool in pools.values()] == [{"mig": {"strategy": "mixed", "profiles": cut}}]


@pytest.mark.parametrize(("written", "said"), [("true", {}), ("false", {"renameByDefault": False})])
@pytest.mark.parametrize(("key", "of_spec"), [("mps", "mps"), ("timeSlicing", "timeSlicing")])
def test_shares_keep_their_name(tmp_path: Path, key: str, of_spec: str, written: str, said: dict[str, Any]) -> None:
    config = f"version: v1\nsharing: {{{key}: {{renameByDefault: {written}, resources: [{{name: nvidia.com/gpu, replicas: 4}}]}}}}\n"
    pools: Any = taken(tmp_path, config).draft.plain()["nodePools"]
    assert [pool["sharing"] for pool in pools.values()] == [{of_spec: {"replicas": 4, **said}}]


def test_what_the_spec_does_not_say_of_shares_is_said_above_the_pool(tmp_path: Path) -> None:
    config = """
version: v1
flags: {migStrategy: mixed}
sharing:
  timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 2}, {name: nvidia.com/mig-1g.5gb, replicas: 4}]}
"""
    written = " ".join(taken(tmp_path, config).draft.text().replace("#", " ").split())
    assert BESIDES.format("nvidia.com/mig-1g.5gb", "nvidia.com/gpu", 4) in written
    assert SEVERAL_SHARES in written


KARPENTER = """
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpu-l40s}
spec:
  template:
    metadata: {labels: {pool: l40s}}
    spec:
      requirements:
      - {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: [l40s]}
      - {key: karpenter.k8s.aws/instance-gpu-count, operator: In, values: ["4"]}
      - {key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}
      taints: [{key: nvidia.com/gpu, effect: NoSchedule}]
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec: {template: {spec: {requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}}}
"""
MACHINES = """
apiVersion: machine.openshift.io/v1beta1
kind: MachineSet
metadata: {name: gpu-a100, namespace: openshift-machine-api, annotations: {machine.openshift.io/GPU: "8"}}
spec:
  replicas: 3
  template: {spec: {metadata: {labels: {pool: a100}}, taints: [{key: nvidia.com/gpu, value: "true", effect: NoSchedule}]}}
"""
FLAVOR = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: serving}
spec: {nodeLabels: {pool: l40s}}
"""


def pools_of(made: Imported) -> dict[str, Any]:
    found: Any = made.draft.plain()["nodePools"]
    return dict(found)


def test_what_makes_nodes_is_a_pool_where_its_nodes_are_not_listed(tmp_path: Path) -> None:
    found = pools_of(taken(tmp_path, f"{KARPENTER}---{MACHINES}"))
    l40s, a100 = found.pop("gpu-l40s"), found.pop("gpu-a100")
    assert found == {}
    assert (l40s["selectedBy"], l40s["taints"]) == (
        {"labels": {"karpenter.k8s.aws/instance-gpu-name": "l40s"}},
        [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}],
    )
    assert "nodes" not in l40s
    assert (a100["nodes"], a100["cardsPerNode"], a100["selectedBy"]) == (3, 8, {"labels": {"pool": "a100"}})


def test_a_flavor_stands_for_nodes_that_are_still_to_be_made(tmp_path: Path) -> None:
    made = taken(tmp_path, f"{FLAVOR}---{KARPENTER}")
    found = pools_of(made)
    assert list(found) == ["serving"]
    assert made.draft.plain()["cardTiers"] == {"serving": {"cards": ["l40s"], "topology": "off"}}
    assert found["serving"]["selectedBy"] == {"labels": {"pool": "l40s"}}


def test_nodes_that_are_listed_are_not_counted_again_by_what_made_them(tmp_path: Path) -> None:
    nodes = text(
        Case({}, [Node({"pool": "a100", COUNT: "8"}), Node({"karpenter.sh/nodepool": "gpu-l40s", COUNT: "4"}, 4)], {})
    )
    found = pools_of(taken(tmp_path, f"{KARPENTER}---{MACHINES}---\n{nodes}"))
    assert sorted((pool["nodes"], pool["cardsPerNode"]) for pool in found.values()) == [(1, 4), (1, 8)]


WORDS = {
    "pool": ("a", "b"),
    "zone": ("x", "y"),
    PRODUCT: (H100, T4, f"{T4}-SHARED", f"{A100}-MIG-1g.5gb"),
    COUNT: ("2", "4"),
}


@st.composite
def some_labels(draw: st.DrawFn) -> Labels:
    keys = draw(st.lists(st.sampled_from(list(WORDS)), unique=True, max_size=3))
    return {key: draw(st.sampled_from(WORDS[key])) for key in keys}


@settings(max_examples=150, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.dictionaries(st.sampled_from(("one", "two", "three")), some_labels(), max_size=3),
    st.lists(
        st.builds(Node, some_labels(), st.sampled_from((0, 2, 4, 8)), taint=st.sampled_from(("", "spot"))), max_size=6
    ),
)
def test_no_node_is_of_two_pools_and_the_spec_is_one_that_check_takes(
    flavors: dict[str, Labels], nodes: list[Node]
) -> None:
    with TemporaryDirectory() as folder:
        made = taken(Path(folder), text(Case(flavors, nodes, {})))
    spec: Any = made.draft.plain()
    pools = spec.get("nodePools", {})
    for node in nodes:
        selecting = [
            name for name, pool in pools.items() if pool["selectedBy"]["labels"].items() <= node.labels.items()
        ]
        assert len(selecting) <= 1, selecting
    counted = sum(pool.get("nodes", 0) for pool in pools.values())
    assert counted <= len([node for node in nodes if node.offers])
    assert not pools or not has_errors(made.findings), [one.summary for one in made.findings]
