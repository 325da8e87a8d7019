"""What changes of delivery, maintenance and monitoring do: what a reviewer is warned of, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gpuplan.plan import compare_states
from gpuplan.plan.effects import effects_of
from gpuplan.plan.parts import Risk
from tests.unit.plan.node_fleet import AREAS, BASE, Told, of_nodes, told
from tests.unit.plan.test_effects_nodes import SNIPPET, TEAMS, WITHOUT_T4, by_fact, rolls
from tests.unit.plan.two import comparison, edited, state

MONITORING = "monitoring:\n"
ALERTMANAGER: Told = ("files/values", "low", "kube-prometheus-stack (Alertmanager)", 0, "")
KUBE_STATE: Told = ("files/values", "low", "kube-state-metrics", 0, "")
OPERATOR_ROLLS: Told = ("operator/agents-roll", "low", "GPU Operator", 2, "")
EXPORTER_ROLLS = next(one for one in rolls(30) if one[0] == "agent/exporter-rolls")
WINDOW = 'windows: [{name: night, schedule: "0 2 * * 0", duration: 4h, timeZone: Europe/Berlin, clusters: [eu]}]'
WITHOUT_OP = (
    ('  op: {kubernetes: "1.36", release: "2026.08", stack: operator}\n', ""),
    ("  ops: {cards: [l4]}\n  amd: {cards: [mi300x]}\n", ""),
    ("  l4-a: {cluster: op, tier: ops, selectedBy: {provisioner: kubelet}}\n", ""),
    (
        "  mi300x-a: {cluster: op, tier: amd, nodes: 1, cardsPerNode: 8, selectedBy: {nfd: {}}, driver: {preinstalled: true}}\n",
        "",
    ),
    ("  tests: {kind: batchInference, service: queued, tiers: [ops]}\n", ""),
    (", tests: {ops: {guaranteed: 4}}", ""),
)


def delivery(settings: str) -> list[tuple[str, str]]:
    """Return the edit that adds settings of delivery."""
    return [(TEAMS, f"delivery: {{argocd: {{{settings}}}}}\n{TEAMS}")]


def monitoring(settings: str) -> list[tuple[str, str]]:
    """Return the edit that adds settings of monitoring."""
    return [(MONITORING, f"{MONITORING}  {settings}\n")]


def of_clusters(fact: str) -> set[Told]:
    """Return a disruptive effect on both clusters."""
    return {(fact, "disruptive", f"cluster {name}", 0, "") for name in ("eu", "op")}


CASES: list[tuple[str, Sequence[tuple[str, str]], set[Told]]] = [
    (
        "a cluster is somewhere else",
        [("https://eu", "https://us")],
        {("delivery/destination", "disruptive", "cluster eu", 30, "nlp,vision")},
    ),
    ("another branch", delivery("targetRevision: prod"), of_clusters("delivery/source")),
    ("another folder", delivery("path: out"), of_clusters("delivery/source")),
    ("one ApplicationSet", delivery("mode: applicationSet"), {("delivery/mode", "low", "delivery", 0, "")}),
    (
        "a cluster leaves",
        WITHOUT_OP,
        {
            ("delivery/cluster-removed", "disruptive", "cluster op", 3, "nlp"),
        },
    ),
    (
        "a maintenance window",
        [(TEAMS, f"governance: {{maintenance: {{{WINDOW}}}}}\n{TEAMS}")],
        {("delivery/windows", "low", "maintenance windows", 0, "")},
    ),
    (
        "node health is judged",
        [
            (
                TEAMS,
                f"governance: {{nodeHealth: {{controller: nodeReadiness, conditions: [{{type: GpuHealthy}}]}}}}\n{TEAMS}",
            )
        ],
        {("health/rules", "low", "node health", 30, ""), ("health/rules", "low", "node health", 3, "")},
    ),
    (
        "a team's alerts go to somebody else",
        [("receiver: nlp-chat", "receiver: other")],
        {("monitoring/receiver", "low", "team nlp", 0, "nlp"), ALERTMANAGER},
    ),
    (
        "a team no longer hears of its alerts",
        [("    alerts: {receiver: nlp-chat}\n", "")],
        {("monitoring/receiver", "low", "team nlp", 0, "nlp"), ALERTMANAGER},
    ),
    (
        "the platform's alerts go to somebody else",
        [("platform: oncall", "platform: other")],
        {("monitoring/receiver", "low", "platform alerts", 0, ""), ALERTMANAGER},
    ),
    (
        "a receiver is told in another channel",
        [('channel: "#nlp"', 'channel: "#language"')],
        {("monitoring/receiver-way", "low", "receiver nlp-chat", 0, ""), ALERTMANAGER},
    ),
    (
        "office hours",
        [("    platform: oncall\n", "    platform: oncall\n    officeHours: {timeZone: Europe/Berlin}\n")],
        {("monitoring/office-hours", "low", "office hours", 0, ""), ALERTMANAGER},
    ),
    (
        "a threshold",
        monitoring("thresholds: {queueWaitMinutes: 60}"),
        {
            ("monitoring/threshold", "low", "threshold queueWaitMinutes", 0, ""),
            ("monitoring/alerts-changed", "low", "alerts", 0, ""),
        },
    ),
    (
        "no profiling",
        monitoring("exporter: {profiling: false}"),
        {
            ("monitoring/counters-gone", "low", "DCGM exporter", 0, ""),
            ("monitoring/alerts-gone", "low", "alerts", 0, ""),
            ("monitoring/series-stop", "low", "recorded series", 0, ""),
            EXPORTER_ROLLS,
            OPERATOR_ROLLS,
        },
    ),
    (
        "one more field",
        monitoring("exporter: {extraCounters: [DCGM_FI_DEV_FAN_SPEED]}"),
        {EXPORTER_ROLLS, OPERATOR_ROLLS},
    ),
    (
        "samples come more rarely",
        monitoring("exporter: {intervalSeconds: 60}"),
        {("monitoring/scrape-changes", "low", "scraping", 0, ""), KUBE_STATE, EXPORTER_ROLLS, OPERATOR_ROLLS},
    ),
    (
        "labels for another Prometheus",
        monitoring("selectorLabels: {release: prometheus}"),
        {("monitoring/selector", "low", "Prometheus", 0, ""), KUBE_STATE},
    ),
    (
        "no dashboards",
        monitoring("dashboards: {enabled: false}"),
        {("monitoring/dashboards-gone", "low", "dashboards", 0, "")},
    ),
    ("runbooks elsewhere", monitoring("runbookBase: https://runbooks.example/"), set()),
]


@pytest.mark.parametrize(("edits", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_change_of_delivery_or_monitoring_warns_of_what_it_does(
    edits: Sequence[tuple[str, str]], expected: set[Told]
) -> None:
    assert told(of_nodes(edits)) == expected


def renamed() -> str:
    """Return the spec with another name for a cluster."""
    text = BASE.replace("  eu: {", "  us: {").replace("cluster: eu", "cluster: us")
    return edited(text, (TEAMS, f"moved: [{{from: clusters.eu, to: clusters.us}}]\n{TEAMS}"))


def test_a_cluster_with_another_name_cannot_be_synced_until_its_objects_forget_the_old_one() -> None:
    found = of_nodes([(BASE, renamed())])
    assert told(found) == {("delivery/cluster-renamed", "disruptive", "cluster us", 0, "")}
    assert "gpuplan-eu" in by_fact(found)["delivery/cluster-renamed"].summary


def test_a_cluster_that_joins_is_one_thing_with_all_that_it_brings() -> None:
    found = of_nodes([(edited(BASE, *WITHOUT_OP), BASE)], edited(BASE, *WITHOUT_OP))
    assert told(found) == {SNIPPET, ALERTMANAGER, KUBE_STATE}
    joins = by_fact(found)["delivery/cluster-added"]
    assert (joins.risk, joins.nodes, joins.cards) == (Risk.NONE, 3, 16)


def test_what_a_cluster_leaves_behind_is_said_with_it_and_nothing_is_said_to_be_removed() -> None:
    facts = {effect.fact for effect in of_nodes(WITHOUT_OP)}
    assert not facts & {"pool/removed", "driver/removed", "amd/removed", "delivery/confirm", "monitoring/alerts-gone"}


def test_a_removal_that_waits_for_a_person_is_counted_by_kind() -> None:
    assert by_fact(of_nodes(WITHOUT_T4))["delivery/confirm"].summary == (
        "removals in cluster eu that wait for a person to confirm: 1 ClusterQueue, 1 Cohort, 1 ResourceFlavor and 1 Topology"
    )


def test_changes_say_for_which_window_they_wait() -> None:
    base = edited(BASE, (TEAMS, f"governance: {{maintenance: {{{WINDOW}}}}}\n{TEAMS}"))
    found = [effect for effect in of_nodes([("nodes: 16", "nodes: 20")], base) if effect.fact == "delivery/held"]
    assert [effect.summary for effect in found] == [
        "changes reach cluster eu in night (`0 2 * * 0` for 4h, Europe/Berlin) only"
    ]


def test_alerts_that_only_follow_their_pools_warn_of_nothing() -> None:
    found = by_fact(of_nodes(WITHOUT_T4))
    assert found["monitoring/alerts-follow"].risk is Risk.NONE
    assert "monitoring/alerts-changed" not in found


def test_a_threshold_is_told_with_both_numbers() -> None:
    found = by_fact(of_nodes(monitoring("thresholds: {queueWaitMinutes: 60}")))
    assert found["monitoring/threshold"].summary == "threshold queueWaitMinutes of alerts: 30 → 60"


def test_what_the_version_of_gpuplan_changes_is_told_apart_for_each_cluster() -> None:
    new = state(edited(BASE, ("nodes: 16", "nodes: 20")))
    old = replace(state(BASE), again=new.manifests)
    found = [effect for effect in effects_of(compare_states(old, new)) if effect.fact == "tool/version"]
    assert [(effect.cluster, effect.risk) for effect in found] == [("eu", Risk.NONE)]
    assert found[0].summary.endswith("of cluster eu differ by the version of gpuplan, not by the spec")


def test_rendered_trees_without_their_specs_tell_what_their_objects_do() -> None:
    older = ('op: {kubernetes: "1.36", release: "2026.08"', 'op: {kubernetes: "1.35", release: "2026.05"')
    newer = edited(BASE, *monitoring("exporter: {profiling: false}"))
    old, new = (replace(state(one), fleet=None, written={}) for one in (edited(BASE, older), newer))
    found = [effect for effect in effects_of(compare_states(old, new)) if effect.fact.partition("/")[0] in AREAS]
    assert {one[:3] for one in told(found)} == {
        ("agent/exporter-rolls", "low", "DCGM exporter"),
        ("delivery/no-longer-permitted", "low", "project acme-kueue"),
        ("driver/settings", "disruptive", "NVIDIADriver gpuplan-l4-a"),
        ("monitoring/alerts-gone", "low", "alerts"),
        ("monitoring/counters-gone", "low", "DCGM exporter"),
        ("monitoring/series-stop", "low", "recorded series"),
        ("operator/runtime", "low", "GPU Operator"),
        ("release/gpu-operator-drivers", "disruptive", "GPU Operator"),
        ("release/kueue", "low", "Kueue"),
    }


def test_a_spec_against_itself_does_nothing() -> None:
    assert effects_of(comparison(BASE, BASE)) == ()
