"""What changes of node pools, their labels and their taints do: what a reviewer is warned of, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gpuplan.plan.live import LiveCluster, LiveNodes
from gpuplan.plan.parts import Effect
from tests.unit.plan.node_fleet import BASE, Told, of_nodes, told
from tests.unit.plan.two import edited

KARPENTER = "{provisioner: karpenter}"
T4 = "  t4-a: {cluster: eu, tier: desk, selectedBy: {nfd: {}}, sharing: {timeSlicing: {replicas: 4}}}\n"
TEAMS = "teams:\n"
WITHOUT_T4 = (
    (T4, ""),
    ("  desk: {cards: [t4]}\n", ""),
    ("  desks: {kind: experiment, service: queued, tiers: [desk]}\n", ""),
    (" desks: {desk: {guaranteed: 8}},", ""),
)
TAINT = "taints: [{key: a.b/c, effect: NoSchedule}]"


def rolls(nodes: int) -> set[Told]:
    """Return the restarts of the agents on nodes of ours."""
    return {
        ("agent/exporter-rolls", "low", "DCGM exporter", nodes, ""),
        ("agent/plugin-rolls", "low", "device plugin", nodes, ""),
        ("agent/rolls", "low", "GPU Feature Discovery", nodes, ""),
    }


SNIPPET: Told = ("files/provisioner", "low", "provisioner snippets", 0, "")
REMOVALS: Told = ("delivery/confirm", "low", "removals", 0, "")

POOLS: list[tuple[str, Sequence[tuple[str, str]], set[Told]]] = [
    ("nodes join", [("nodes: 16", "nodes: 20")], set()),
    (
        "nodes leave under a stateful service",
        [("nodes: 8, selectedBy", "nodes: 6, selectedBy")],
        {
            ("pool/shrunk", "disruptive", "pool l40s-a", 2, "nlp,vision"),
            ("serving/state-lost", "disruptive", "task pool chat on pool l40s-a", 2, "nlp,vision"),
        },
    ),
    (
        "nodes have fewer cards",
        [
            ("nodes: 16, cardsPerNode: 8", "nodes: 16, cardsPerNode: 4"),
            ("guaranteed: 64", "guaranteed: 32"),
            ("cardsPerPod: 8", "cardsPerPod: 4"),
        ],
        {("pool/cards-per-node", "low", "pool h100-a", 16, "")},
    ),
    (
        "a pool leaves with the last nodes of its flavor",
        WITHOUT_T4,
        {
            ("pool/removed", "destructive", "pool t4-a", 2, "vision"),
            ("nodes/nfd-rule-gone", "low", "NodeFeatureRule gpuplan-t4-a", 0, ""),
            REMOVALS,
        },
    ),
    (
        "a pool joins",
        [(T4, T4 + T4.replace("t4-a", "t4-b").replace("{nfd: {}}", "{nfd: {nodeNames: [t4-b-1]}}"))],
        set(),
    ),
    (
        "a pool gets other cards",
        [("lab: {cards: [a100-sxm-40gb]}", "lab: {cards: [a100-sxm-80gb]}")],
        {
            ("pool/card-changed", "disruptive", "pool a100-a", 4, "vision"),
            ("nodes/nfd-match", "low", "pool a100-a", 4, ""),
            ("nodes/nfd-relabels", "low", "pool a100-a", 4, ""),
            REMOVALS,
            *rolls(4),
        },
    ),
    (
        "a pool goes to another cluster",
        [("t4-a: {cluster: eu", "t4-a: {cluster: op")],
        {
            ("pool/cluster-changed", "disruptive", "pool t4-a", 2, "vision"),
            ("nodes/nfd-rule-gone", "low", "NodeFeatureRule gpuplan-t4-a", 0, ""),
            ("operator/agents-roll", "low", "GPU Operator", 4, ""),
            REMOVALS,
        },
    ),
    (
        "a pool has another name",
        [("  t4-a:", "  t4-b:"), (TEAMS, f"moved: [{{from: nodePools.t4-a, to: nodePools.t4-b}}]\n{TEAMS}")],
        {
            ("pool/renamed", "low", "pool t4-b", 2, ""),
            ("nodes/nfd-relabels", "low", "pool t4-b", 2, ""),
            ("nodes/nfd-rule-gone", "low", "NodeFeatureRule gpuplan-t4-a", 0, ""),
        },
    ),
    (
        "a pool whose driver the operator installs has another name",
        [("  l4-a:", "  l4-b:"), (TEAMS, f"moved: [{{from: nodePools.l4-a, to: nodePools.l4-b}}]\n{TEAMS}")],
        {
            ("pool/renamed", "low", "pool l4-b", 2, ""),
            ("driver/renamed", "disruptive", "pool l4-b", 2, "nlp"),
            ("nodes/labels-first", "disruptive", "pool l4-b", 2, "nlp"),
            ("nodes/registration-only", "low", "pool l4-b", 2, ""),
            ("files/provisioner-gone", "low", "provisioner snippets", 0, ""),
            SNIPPET,
            REMOVALS,
        },
    ),
]
LABELS: list[tuple[str, Sequence[tuple[str, str]], set[Told]]] = [
    (
        "labels that others set",
        [("{type: hgx}", "{type: hgx2}")],
        {("nodes/labels-first", "destructive", "pool h100-a", 16, "nlp"), *rolls(16)},
    ),
    (
        "NFD labels the nodes from now on",
        [("{labels: {type: hgx}}", "{nfd: {}}")],
        {("nodes/nfd-relabels", "low", "pool h100-a", 16, ""), *rolls(16)},
    ),
    (
        "NFD looks at names, too",
        [
            (
                "lab, nodes: 4, selectedBy: {nfd: {}}",
                "lab, nodes: 4, selectedBy: {nfd: {nodeNames: [a-1, a-2, a-3, a-4]}}",
            )
        ],
        {("nodes/nfd-match", "low", "pool a100-a", 4, "")},
    ),
    (
        "Karpenter makes the nodes from now on",
        [("ops, selectedBy: {provisioner: kubelet}", "ops, selectedBy: {provisioner: karpenter}")],
        {("nodes/karpenter-replaces", "disruptive", "pool l4-a", 2, "nlp"), SNIPPET},
    ),
    (
        "Karpenter learns of a taint",
        [(KARPENTER, f"{KARPENTER}, {TAINT}")],
        {
            ("nodes/karpenter-replaces", "disruptive", "pool l40s-a", 8, "nlp,vision"),
            ("serving/state-lost", "disruptive", "task pool chat on pool l40s-a", 8, "nlp,vision"),
            ("taints/added", "low", "pool l40s-a", 8, ""),
            SNIPPET,
            *rolls(8),
        },
    ),
    (
        "a taint that evicts",
        [("taints: [{", "taints: [{key: x.y/z, effect: NoExecute}, {")],
        {("taints/evicts", "disruptive", "pool h100-a", 16, "nlp"), *rolls(16)},
    ),
    (
        "a taint that begins to evict",
        [("effect: NoSchedule", "effect: NoExecute")],
        {
            ("taints/evicts", "disruptive", "pool h100-a", 16, "nlp"),
            ("taints/removed", "low", "pool h100-a", 16, ""),
            *rolls(16),
        },
    ),
    (
        "no taint any more",
        [(", taints: [{key: nvidia.com/gpu, effect: NoSchedule}]", "")],
        {("taints/removed", "low", "pool h100-a", 16, ""), *rolls(16)},
    ),
    (
        "a taint of nodes whose driver the operator installs",
        [("ops, selectedBy: {provisioner: kubelet}", f"ops, selectedBy: {{provisioner: kubelet}}, {TAINT}")],
        {
            ("driver/settings", "disruptive", "pool l4-a", 2, "nlp"),
            ("nodes/registration-only", "low", "pool l4-a", 2, ""),
            ("operator/agents-roll", "low", "GPU Operator", 2, ""),
            ("taints/added", "low", "pool l4-a", 2, ""),
            SNIPPET,
        },
    ),
]


@pytest.mark.parametrize(("edits", "expected"), [case[1:] for case in POOLS], ids=[case[0] for case in POOLS])
def test_a_change_of_pools_warns_of_what_it_does(edits: Sequence[tuple[str, str]], expected: set[Told]) -> None:
    assert told(of_nodes(edits)) == expected


@pytest.mark.parametrize(("edits", "expected"), [case[1:] for case in LABELS], ids=[case[0] for case in LABELS])
def test_a_change_of_labels_or_taints_warns_of_what_it_does(
    edits: Sequence[tuple[str, str]], expected: set[Told]
) -> None:
    assert told(of_nodes(edits)) == expected


@pytest.mark.parametrize("provisioner", ["capi", "eks", "gke", "talos"])
def test_provisioners_that_change_nodes_in_place_replace_none(provisioner: str) -> None:
    base = edited(BASE, (KARPENTER, f"{{provisioner: {provisioner}}}"))
    found = told(of_nodes([(f"{{provisioner: {provisioner}}}", f"{{provisioner: {provisioner}}}, {TAINT}")], base))
    assert (f"nodes/{provisioner}-in-place", "low", "pool l40s-a", 8, "") in found
    assert not [one for one in found if one[1] != "low"]


def test_nodes_that_need_one_label_less_are_found_as_before() -> None:
    base = edited(BASE, ("{type: hgx}", "{type: hgx, zone: a}"))
    assert told(of_nodes([("{type: hgx, zone: a}", "{type: hgx}")], base)) == rolls(16)


def test_a_pool_that_leaves_others_of_its_flavor_behind_is_no_loss_for_good() -> None:
    second = T4.replace("t4-a", "t4-b").replace("{nfd: {}}", "{nfd: {nodeNames: [t4-b-1]}}")
    found = told(of_nodes([(second, "")], edited(BASE, (T4, T4 + second))))
    assert ("pool/removed", "disruptive", "pool t4-b", 2, "vision") in found


def test_a_summary_names_the_pool_its_nodes_and_why() -> None:
    found = by_fact(of_nodes([(KARPENTER, f"{KARPENTER}, {TAINT}")]))
    assert found["nodes/karpenter-replaces"].summary == (
        "pool l40s-a: 8 nodes (32 cards) are replaced by Karpenter, since taints of its NodePool change"
    )
    assert found["nodes/karpenter-replaces"].causes[0].path == ("nodePools", "l40s-a", "taints")
    assert "900 s" in found["serving/state-lost"].summary


@pytest.mark.parametrize(
    ("there", "risk", "nodes"), [(8, "disruptive", 2), (6, "low", 2)], ids=["all are there", "they are gone already"]
)
def test_nodes_that_are_gone_already_disturb_nobody_when_the_spec_follows(there: int, risk: str, nodes: int) -> None:
    live = {"eu": LiveCluster(pools={"l40s-a": LiveNodes(present=there, schedulable=there)})}
    found = by_fact(of_nodes([("nodes: 8, selectedBy", "nodes: 6, selectedBy")], live=live))
    assert (found["pool/shrunk"].risk.value, found["pool/shrunk"].nodes) == (risk, nodes)


def test_a_pool_of_which_no_node_is_left_is_taken_out_without_harm() -> None:
    live = {"eu": LiveCluster(pools={"t4-a": LiveNodes(present=0, schedulable=0)})}
    assert ("pool/removed", "low", "pool t4-a", 0, "") in told(of_nodes(WITHOUT_T4, live=live))


def test_nodes_are_counted_as_the_cluster_lists_them_where_somebody_looked() -> None:
    live = {"eu": LiveCluster(pools={"l40s-a": LiveNodes(present=7, schedulable=7)})}
    found = by_fact(of_nodes([(KARPENTER, f"{KARPENTER}, {TAINT}")], live=live))
    assert (found["nodes/karpenter-replaces"].nodes, found["agent/plugin-rolls"].nodes) == (7, 7)


def by_fact(found: list[Effect]) -> dict[str, Effect]:
    return {effect.fact: effect for effect in found}
