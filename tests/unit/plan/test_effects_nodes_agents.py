"""What changes of sharing, stacks, drivers, agents and versions do: what a reviewer is warned of, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.unit.plan.node_fleet import BASE, Told, of_nodes, told
from tests.unit.plan.test_effects_nodes import REMOVALS, SNIPPET, by_fact, rolls
from tests.unit.plan.two import edited

A100 = "lab, nodes: 4, selectedBy: {nfd: {}}"
A100_RIGHTS = "lab: {guaranteed: 8}"
SHARED = "sharing: {timeSlicing: {replicas: 4}}"
L4 = "ops, selectedBy: {provisioner: kubelet}}"
EU = 'eu: {kubernetes: "1.36", release: "2026.08"'
OP = 'op: {kubernetes: "1.36", release: "2026.08"'
OLDER_OP = 'op: {kubernetes: "1.35", release: "2026.05"'
PREINSTALLED = "driver: {preinstalled: true}"
EXPORTER: Told = ("agent/exporter-rolls", "low", "DCGM exporter", 4, "")


def relabelled(pool: str, nodes: int) -> Told:
    """Return NFD's part in a change."""
    return ("nodes/nfd-relabels", "low", f"pool {pool}", nodes, "")


def values(what: str) -> Told:
    """Return the settings that a person has to bring."""
    return ("files/values", "low", what, 0, "")


Cases = list[tuple[str, Sequence[tuple[str, str]], set[Told]]]

SHARING: Cases = [
    (
        "whole cards are cut into instances",
        [
            (A100, f"{A100}, sharing: {{mig: {{profiles: {{1g.5gb: 7}}, strategy: mixed}}}}"),
            (A100_RIGHTS, "lab: {guaranteed: 56}"),
        ],
        {
            ("sharing/renamed", "destructive", "pool a100-a", 4, "vision"),
            ("sharing/mig-recut", "disruptive", "pool a100-a", 4, "vision"),
            relabelled("a100-a", 4),
            REMOVALS,
            *rolls(4),
        },
    ),
    (
        "cards are shared among more",
        [("replicas: 4", "replicas: 8")],
        {("sharing/pieces", "low", "pool t4-a", 2, ""), relabelled("t4-a", 2), REMOVALS, *rolls(2)},
    ),
    (
        "MPS instead of time slicing",
        [("timeSlicing: {replicas: 4}", "mps: {replicas: 4}")],
        {("sharing/mps", "disruptive", "pool t4-a", 2, "vision"), relabelled("t4-a", 2), REMOVALS, *rolls(2)},
    ),
    (
        "shared cards become whole",
        [(f", {SHARED}", "")],
        {
            ("sharing/renamed", "destructive", "pool t4-a", 2, "vision"),
            ("sharing/counted-anew", "disruptive", "pool t4-a", 2, "vision"),
            relabelled("t4-a", 2),
            REMOVALS,
            *rolls(2),
        },
    ),
    (
        "whole cards are shared",
        [(A100, f"{A100}, {SHARED}"), (A100_RIGHTS, "lab: {guaranteed: 32}")],
        {
            ("sharing/renamed", "destructive", "pool a100-a", 4, "vision"),
            ("sharing/counted-anew", "disruptive", "pool a100-a", 4, "vision"),
            relabelled("a100-a", 4),
            REMOVALS,
            *rolls(4),
        },
    ),
    (
        "shares under the name of whole cards",
        [("{timeSlicing: {replicas: 4}}", "{timeSlicing: {replicas: 4, renameByDefault: false}}")],
        {
            ("sharing/renamed", "destructive", "pool t4-a", 2, "vision"),
            ("sharing/counted-anew", "disruptive", "pool t4-a", 2, "vision"),
            relabelled("t4-a", 2),
            REMOVALS,
            *rolls(2),
        },
    ),
    (
        "HAMi instead of the device plugin",
        [(A100, f"{A100}, sharing: {{hami: {{split: 4}}}}"), (A100_RIGHTS, "lab: {guaranteed: 32}")],
        {
            ("sharing/hami", "disruptive", "pool a100-a", 4, "vision"),
            ("sharing/pieces", "low", "pool a100-a", 4, ""),
            ("agent/plugin-leaves", "low", "device plugin", 4, ""),
            ("agent/rolls", "low", "GPU Feature Discovery", 4, ""),
            EXPORTER,
            values("HAMi"),
            relabelled("a100-a", 4),
            REMOVALS,
        },
    ),
    (
        "claims instead of counts",
        [(A100, f"{A100}, exposure: dra")],
        {
            ("sharing/renamed", "destructive", "pool a100-a", 4, "vision"),
            ("sharing/claims", "disruptive", "pool a100-a", 4, "vision"),
            ("agent/plugin-leaves", "low", "device plugin", 4, ""),
            EXPORTER,
            values("NVIDIA's DRA driver"),
        },
    ),
    (
        "AMD's cards are partitioned",
        [
            (
                PREINSTALLED,
                f"{PREINSTALLED}, sharing: {{partition: {{compute: CPX, memory: NPS4, resourceNaming: mixed}}}}",
            )
        ],
        {
            ("sharing/renamed", "destructive", "pool mi300x-a", 1, ""),
            ("sharing/partition", "disruptive", "pool mi300x-a", 1, ""),
            ("amd/agents-roll", "low", "pool mi300x-a", 1, ""),
            relabelled("mi300x-a", 1),
            REMOVALS,
        },
    ),
]
STACKS: Cases = [
    (
        "the last pool leaves the operator",
        [("ops, selectedBy", "ops, stack: manual, selectedBy")],
        {
            ("stack/to-manual", "disruptive", "pool l4-a", 2, "nlp"),
            ("stack/operator-stays", "disruptive", "GPU Operator", 2, "nlp"),
            ("driver/removed", "disruptive", "pool l4-a", 2, "nlp"),
            ("delivery/program-left", "low", "GPU Operator", 0, ""),
            ("monitoring/scrape-ends", "low", "scraping", 0, ""),
            values("kube-state-metrics"),
            REMOVALS,
        },
    ),
    (
        "one pool goes to the operator, which is to be kept off the others",
        [("big, nodes: 16", "big, stack: operator, nodes: 16")],
        {
            ("stack/to-operator", "disruptive", "pool h100-a", 16, "nlp"),
            ("driver/added", "disruptive", "pool h100-a", 16, "nlp"),
            ("nodes/karpenter-replaces", "disruptive", "pool l40s-a", 8, "nlp,vision"),
            ("serving/state-lost", "disruptive", "task pool chat on pool l40s-a", 8, "nlp,vision"),
            ("delivery/program-installed", "low", "GPU Operator", 0, ""),
            ("runtime/class-handed-over", "low", "RuntimeClass nvidia", 0, ""),
            relabelled("a100-a", 4),
            relabelled("t4-a", 2),
            values("kube-state-metrics"),
            SNIPPET,
        },
    ),
    (
        "others run the agents",
        [("big, nodes: 16", "big, stack: external, nodes: 16")],
        {
            ("stack/to-others", "disruptive", "pool h100-a", 16, "nlp"),
            ("monitoring/alerts-gone", "low", "alerts", 0, ""),
            ("monitoring/series-stop", "low", "recorded series", 0, ""),
            values("kube-state-metrics"),
        },
    ),
    (
        "others install the operator",
        [("op: {kubernetes", "op: {gpuOperator: external, kubernetes")],
        {
            ("operator/policy-changes-hands", "disruptive", "GPU Operator", 2, ""),
            ("delivery/program-left", "low", "GPU Operator", 0, ""),
        },
    ),
    (
        "another driver",
        [(L4, f'{L4[:-1]}, driver: {{branch: "595"}}}}')],
        {("driver/upgrade", "disruptive", "pool l4-a", 2, "nlp")},
    ),
    (
        "other kernel modules",
        [(L4, f'{L4[:-1]}, driver: {{branch: "580", kernelModules: open}}}}')],
        {("driver/settings", "disruptive", "pool l4-a", 2, "nlp")},
    ),
    (
        "precompiled modules",
        [(L4, f'{L4[:-1]}, driver: {{branch: "580", precompiled: true}}}}')],
        {("driver/immutable", "disruptive", "pool l4-a", 2, "nlp")},
    ),
    (
        "nodes come with the driver",
        [(L4, f'{L4[:-1]}, driver: {{branch: "580", preinstalled: true}}}}')],
        {("driver/removed", "disruptive", "pool l4-a", 2, "nlp"), REMOVALS},
    ),
    (
        "AMD's operator installs the driver",
        [(PREINSTALLED, 'driver: {branch: "580"}')],
        {("amd/driver", "disruptive", "pool mi300x-a", 1, "")},
    ),
    (
        "the nodes' runtime is nvidia's",
        [(EU, f"{EU}, nvidiaRuntime: {{default: true}}")],
        {("runtime/class-gone", "disruptive", "RuntimeClass nvidia", 0, "nlp,vision"), *rolls(30)},
    ),
    (
        "a service is stateful no more",
        [("stateful: {drainSeconds: 900}", "frameworks: [deployment]")],
        {("serving/budget-gone", "low", "disruption budgets -", 0, "nlp,vision")},
    ),
]
VERSIONS: Cases = [
    ("another Kubernetes is stated", [('op: {kubernetes: "1.36"', 'op: {kubernetes: "1.35"')], set()),
    (
        "another NFD is stated, which others install",
        [('release: "2026.08", stack', 'release: "2026.08", components: {nfd: {version: v0.18.0}}, stack')],
        set(),
    ),
    (
        "others install Kueue",
        [("op: {kubernetes", "op: {kueue: external, kubernetes")],
        {("delivery/program-left", "low", "Kueue", 0, ""), values("Kueue")},
    ),
    (
        "everything goes back",
        [(EU, EU.replace("08", "05"))],
        {
            ("release/downgrade", "disruptive", "Kueue", 0, ""),
            ("release/kueue", "low", "Kueue", 0, ""),
            ("monitoring/alerts-gone", "low", "alerts", 0, ""),
            ("monitoring/counters-gone", "low", "DCGM exporter", 0, ""),
            *rolls(30),
        },
    ),
]
ALL = [*SHARING, *STACKS, *VERSIONS]


@pytest.mark.parametrize(("edits", "expected"), [case[1:] for case in ALL], ids=[case[0] for case in ALL])
def test_a_change_of_how_cards_are_served_warns_of_what_it_does(
    edits: Sequence[tuple[str, str]], expected: set[Told]
) -> None:
    assert told(of_nodes(edits)) == expected


def test_an_upgrade_of_the_operator_drains_nodes_for_its_drivers() -> None:
    assert told(of_nodes([(OLDER_OP, OP)], edited(BASE, (OP, OLDER_OP)))) == {
        ("driver/settings", "disruptive", "pool l4-a", 2, "nlp"),
        ("release/gpu-operator-drivers", "disruptive", "GPU Operator", 2, "nlp"),
        ("operator/runtime", "low", "GPU Operator", 2, ""),
        ("release/kueue", "low", "Kueue", 0, ""),
        ("delivery/no-longer-permitted", "low", "project acme-kueue", 0, ""),
    }


def test_an_upgrade_of_the_operator_drains_nobody_whose_nodes_bring_the_driver() -> None:
    base = edited(BASE, (OP, OLDER_OP), (L4, f'{L4[:-1]}, driver: {{branch: "580", preinstalled: true}}}}'))
    assert {one[0] for one in told(of_nodes([(OLDER_OP, OP)], base)) if one[1] != "low"} == set()


def test_an_upgrade_that_leaves_something_out_is_told() -> None:
    old, new = (f"components: {{kueue: {{version: {version}}}}}, stack: operator" for version in ("v0.15.0", "v0.19.2"))
    found = by_fact(of_nodes([(old, new)], edited(BASE, ("stack: operator", old))))
    assert found["release/skips-stop"].summary.startswith("Kueue v0.15.0 → v0.19.2 passes 0.16: ")


def test_a_step_back_to_an_earlier_fix_is_told_of_without_alarm() -> None:
    edits = [("stack: operator", "components: {kueue: {version: v0.19.1}}, stack: operator")]
    assert told(of_nodes(edits)) == {
        ("release/downgrade", "low", "Kueue", 0, ""),
        ("release/kueue", "low", "Kueue", 0, ""),
    }


def test_any_change_of_an_mps_daemon_ends_the_work_on_its_cards() -> None:
    base = edited(BASE, ("timeSlicing: {replicas: 4}", "mps: {replicas: 4}"))
    found = told(of_nodes([("replicas: 4", "replicas: 8")], base))
    assert ("agent/mps-rolls", "disruptive", "MPS control daemon", 2, "vision") in found
    assert ("sharing/mps", "disruptive", "pool t4-a", 2, "vision") not in found


def test_instances_are_named_anew_without_being_cut() -> None:
    cut = f"{A100}, sharing: {{mig: {{profiles: {{1g.5gb: 7}}, strategy: mixed}}}}"
    base = edited(BASE, (A100, cut), (A100_RIGHTS, "lab: {guaranteed: 56}"))
    facts = {one[0] for one in told(of_nodes([("strategy: mixed", "strategy: single")], base))}
    assert {"sharing/mig-strategy", "sharing/renamed"} <= facts
    assert "sharing/mig-recut" not in facts


def test_a_name_that_another_pool_of_the_tier_offers_is_lost_to_nobody() -> None:
    second = "  a100-b: {cluster: eu, tier: lab, nodes: 1, selectedBy: {nfd: {nodeNames: [b-1]}}}\n  l4-a:"
    base = edited(BASE, ("  l4-a:", second))
    edits = [
        (A100, f"{A100}, sharing: {{mig: {{profiles: {{1g.5gb: 7}}, strategy: mixed}}}}"),
        (A100_RIGHTS, "lab/1g.5gb: {guaranteed: 56}, lab/card: {guaranteed: 4}"),
    ]
    assert ("sharing/renamed", "low", "pool a100-a", 4, "") in told(of_nodes(edits, base))


def test_agents_of_all_pools_are_told_of_together_with_what_changes_in_them() -> None:
    found = by_fact(of_nodes([(EU, EU.replace("08", "05"))]))
    assert found["agent/plugin-rolls"].summary == (
        "device plugin restarts on 30 nodes of 4 pools (a100-a, h100-a, l40s-a and t4-a), one at a time in each pool "
        "(image v0.20.0 → v0.19.2)"
    )
    assert len(found["agent/plugin-rolls"].objects) == 4


def test_a_label_that_only_another_pools_move_asks_for_is_blamed_on_that_move() -> None:
    found = by_fact(of_nodes([("big, nodes: 16", "big, stack: operator, nodes: 16")]))
    assert [cause.path for cause in found["nodes/karpenter-replaces"].causes] == [("nodePools", "h100-a", "stack")]
    assert "labels (nvidia.com/gpu.deploy.operands) of its NodePool change" in found["nodes/karpenter-replaces"].summary
