"""Effects that need another fleet than the small one: each on the change that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from gpuplan.manifests.set import Manifest, ManifestSet
from gpuplan.plan import State, compare_states
from gpuplan.plan.effects import effects_of
from tests.unit.plan.node_fleet import BASE, of_nodes, told
from tests.unit.plan.test_effects_nodes import TEAMS, by_fact
from tests.unit.plan.two import edited, state

Edits = Sequence[tuple[str, str]]
A100 = "a100-a: {cluster: eu, tier: lab, nodes: 4"
L4 = "l4-a: {cluster: op, tier: ops, selectedBy"
AMD = "mi300x-a: {cluster: op"
OP = 'op: {kubernetes: "1.36", release: "2026.08"'
SECOND_A100 = "  a100-b: {cluster: eu, tier: lab, nodes: 1, selectedBy: {nfd: {nodeNames: [b-1]}}}\n  l4-a:"
HEALTH = "governance: {nodeHealth: {controller: nodeReadiness, conditions: [{type: GpuHealthy}]}}\n"
OPERATOR_OF = 'release: "2026.08", components: {{gpuOperator: {{version: {0}}}}}, stack: operator'

CASES: list[tuple[str, Edits, Edits, tuple[str, str, str, int, str]]] = [
    (
        "a pool goes to another tier",
        [
            ("lab: {cards: [a100-sxm-40gb]}\n", "lab: {cards: [a100-sxm-40gb]}\n  attic: {cards: [a100-sxm-40gb]}\n"),
            ("  l4-a:", SECOND_A100),
        ],
        [("a100-b: {cluster: eu, tier: lab", "a100-b: {cluster: eu, tier: attic")],
        ("pool/tier-changed", "low", "pool a100-b", 1, "vision"),
    ),
    (
        "shares ask for a label that EKS is to set",
        [("{provisioner: karpenter}", "{provisioner: eks}")],
        [("{provisioner: eks}", "{provisioner: eks}, sharing: {timeSlicing: {replicas: 2}}")],
        ("nodes/labels-first", "disruptive", "pool l40s-a", 8, "nlp,vision"),
    ),
    (
        "shares ask for a label that only new nodes get",
        [],
        [(L4, L4.replace("tier: ops", "tier: ops, sharing: {timeSlicing: {replicas: 2}}"))],
        ("nodes/labels-first", "destructive", "pool l4-a", 2, "nlp"),
    ),
    (
        "more nodes let the operator have more of them out of service",
        [],
        [(L4, L4.replace("tier: ops", "tier: ops, nodes: 16"))],
        ("driver/upgrade-policy", "none", "pool l4-a", 16, ""),
    ),
    (
        "the driver is for nodes with another label",
        [("big, nodes: 16", "big, stack: operator, nodes: 16")],
        [("{type: hgx}", "{type: hgx2}")],
        ("driver/selector", "disruptive", "pool h100-a", 16, "nlp"),
    ),
    (
        "agents of others have to tolerate a taint",
        [("big, nodes: 16", "big, stack: external, nodes: 16")],
        [("taints: [{", "taints: [{key: a.b/c, effect: NoSchedule}, {")],
        ("taints/agents-of-others", "low", "pool h100-a", 16, ""),
    ),
    (
        "the operator's MPS daemon gets another image",
        [
            (L4, L4.replace("tier: ops", "tier: ops, sharing: {mps: {replicas: 4}}")),
            (OP, OP.replace("08", "05").replace("36", "35")),
        ],
        [(OP.replace("08", "05").replace("36", "35"), OP)],
        ("operator/mps-rolls", "disruptive", "GPU Operator", 2, "nlp"),
    ),
    (
        "the operator leaves a line out",
        [('release: "2026.08", stack: operator', OPERATOR_OF.format("v25.3.4"))],
        [("v25.3.4", "v26.7.0")],
        ("release/skips-line", "disruptive", "GPU Operator", 0, ""),
    ),
    (
        "claims are counted again",
        [(A100, A100.replace("tier: lab", "tier: lab, exposure: dra"))],
        [("tier: lab, exposure: dra", "tier: lab")],
        ("claims/class-gone", "destructive", "device classes", 0, ""),
    ),
    (
        "claim templates go with the last pool to claim from",
        [(A100, A100.replace("tier: lab", "tier: lab, exposure: dra"))],
        [("tier: lab, exposure: dra", "tier: lab")],
        ("claims/template-gone", "disruptive", "claim templates", 0, ""),
    ),
    (
        "node health is judged no more",
        [(TEAMS, HEALTH + TEAMS)],
        [(HEALTH, "")],
        ("health/rules-gone", "low", "node health", 30, ""),
    ),
    (
        "node health is only reported",
        [(TEAMS, HEALTH + TEAMS)],
        [("{controller: nodeReadiness,", "{controller: nodeReadiness, dryRun: true,")],
        ("health/dry-run", "none", "node health", 30, ""),
    ),
    (
        "NPUs are cut",
        [("amd: {cards: [mi300x]}", "amd: {cards: [ascend-310p3]}"), (AMD, f"{AMD}, stack: external")],
        [(f"{AMD}, stack: external", f"{AMD}, stack: external, sharing: {{vnpu: {{templates: {{vir02: 4}}}}}}")],
        ("sharing/vnpu", "disruptive", "pool mi300x-a", 1, ""),
    ),
    (
        "AMD's operator takes a pool over",
        [(AMD, f"{AMD}, stack: external")],
        [(", stack: external", "")],
        ("amd/agents-start", "none", "pool mi300x-a", 1, ""),
    ),
    (
        "clusters are synced step by step",
        [(TEAMS, f"delivery: {{argocd: {{mode: applicationSet}}}}\n{TEAMS}")],
        [("mode: applicationSet", "mode: applicationSet, rollout: [[op], [eu]]")],
        ("delivery/mode", "low", "delivery", 0, ""),
    ),
    (
        "the set of Applications has another name",
        [(TEAMS, f"delivery: {{argocd: {{mode: applicationSet}}}}\n{TEAMS}")],
        [("mode: applicationSet", "mode: applicationSet, project: gpus")],
        ("delivery/mode", "low", "delivery", 0, ""),
    ),
    (
        "all windows go, and changes come at once",
        [(TEAMS, f"governance: {{maintenance: {{windows: [{{schedule: '0 2 * * 0', duration: 4h}}]}}}}\n{TEAMS}")],
        [("governance: {maintenance: {windows: [{schedule: '0 2 * * 0', duration: 4h}]}}\n", "")],
        ("delivery/windows", "low", "maintenance windows", 0, ""),
    ),
]


@pytest.mark.parametrize(("before", "edits", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_change_of_another_fleet_is_told_of(
    before: Edits, edits: Edits, expected: tuple[str, str, str, int, str]
) -> None:
    found = of_nodes(edits, edited(BASE, *before))
    assert expected in {(one.fact, one.risk.value, one.subject, one.nodes, ",".join(one.teams)) for one in found}, [
        one.summary for one in found
    ]


def test_a_selector_that_a_daemon_set_cannot_take_stops_the_sync() -> None:
    new = state(BASE)
    old = replace(new, manifests=_with_another_selector(new))
    found = by_fact(list(effects_of(compare_states(old, new))))["agent/immutable"]
    assert found.subject == "DaemonSet nvidia-device-plugin-h100-a"
    assert "`selector` can never change" in found.summary


def _with_another_selector(side: State) -> ManifestSet:
    """Return a side's objects with one DaemonSet that selects its pods by a label more."""

    def made(one: Manifest) -> Manifest:
        if one.key.name != "nvidia-device-plugin-h100-a" or one.key.kind != "DaemonSet":
            return one
        body: Mapping[str, Any] = one.object
        spec = {**body["spec"], "selector": {"matchLabels": {"app": "old"}}}
        return replace(one, object={**body, "spec": spec})

    return ManifestSet.of(map(made, side.manifests), side.manifests.texts)


def test_a_change_of_windows_says_what_holds_from_now_on() -> None:
    before = edited(BASE, *CASES[-1][1])
    summary = by_fact(of_nodes(CASES[-1][2], before))["delivery/windows"].summary
    assert summary == "maintenance windows: gone: allow `0 2 * * 0` for 4h, UTC for eu and op; changes come at any time"


def test_the_same_change_twice_is_told_of_once() -> None:
    found = of_nodes([("big, nodes: 16", "big, stack: operator, nodes: 16")])
    named = [(one.fact, one.cluster, one.subject) for one in found]
    assert len(named) == len(set(named))
    assert told(found)
