"""The shape of the alerts, and that what they read exists. That they fire and stay quiet: tests/promtool."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gpuplan.catalog import load
from gpuplan.emit import counters
from gpuplan.emit.monitoring import publish
from tests.unit.emit.fleets import Place, place

POOLS = "a: {tier: big}, b: {tier: desk, cardsPerNode: 4}"
TEAMS = """
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [big]}}
teams:
  vision: {namespaces: [vision, vision-batch], quotas: {pretrain: {}}}
  nlp: {namespaces: [nlp], quotas: {pretrain: {}}}
"""
CLUSTERS = ["", "stack: external"]


def groups(here: Place) -> dict[str, list[dict[str, Any]]]:
    made = here.of_rules(publish.emit)
    return {group["name"]: group["rules"] for one in made for group in one["spec"]["groups"]}


def alerts(here: Place) -> dict[str, dict[str, Any]]:
    return {rule["alert"]: rule for rules in groups(here).values() for rule in rules if "alert" in rule}


def metrics(here: Place) -> set[str]:
    text = " ".join(rule["expr"] for rules in groups(here).values() for rule in rules)
    return set(re.findall(r"\b(?:DCGM|kube)_[A-Za-z0-9_]+", text))


@pytest.mark.parametrize("more", ["", "monitoring: {exporter: {profiling: false}}"])
def test_every_metric_that_an_alert_reads_is_collected(more: str) -> None:
    here = place(POOLS, more=more)
    read = metrics(here)
    assert {name for name in read if name.startswith("DCGM")} <= set(counters.collected(here.fleet, here.cluster))


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_every_metric_that_an_alert_reads_is_known(cluster: str) -> None:
    assert metrics(place(POOLS, cluster)) <= load().metrics.keys()


def test_every_alert_says_whom_it_concerns_and_what_to_do() -> None:
    for name, alert in alerts(place(POOLS, more="monitoring: {runbookBase: https://runbooks.example/}")).items():
        assert re.fullmatch(r"Gpu[A-Za-z]{1,37}", name)
        assert alert["labels"]["severity"] in ("critical", "warning", "info")
        assert alert["annotations"]["runbook_url"] == f"https://runbooks.example/{name.lower()}"
        summary = alert["annotations"]["summary"]
        assert summary.endswith(".")
        assert "{{" not in summary
        assert alert["annotations"]["description"]


@pytest.mark.parametrize(
    ("repository", "start"),
    [
        ("https://git.acme.io/gpu/fleet.git", "https://git.acme.io/gpu/fleet"),
        ("git@git.acme.io:gpu/fleet.git", "https://git.acme.io/gpu/fleet"),
        ("ssh://git@git.acme.io:2222/gpu/fleet.git", "https://git.acme.io/gpu/fleet"),
        ("https://user:secret@git.acme.io:8443/gpu/fleet", "https://git.acme.io:8443/gpu/fleet"),
    ],
)
def test_without_a_base_the_runbooks_are_those_of_the_repository(repository: str, start: str) -> None:
    made = alerts(place(POOLS, more=f"delivery: {{argocd: {{repoURL: '{repository}', targetRevision: main}}}}"))
    url = made["GpuMissingFromNode"]["annotations"]["runbook_url"]
    assert url == f"{start}/blob/main/rendered/alert-runbooks/gpumissingfromnode.md"


def test_the_spec_sets_the_thresholds() -> None:
    more = "monitoring: {thresholds: {exporterDownMinutes: 7, cardMissingMinutes: 3, thermalMarginCelsius: 5}}"
    made = alerts(place(POOLS, more=more))
    assert made["GpuExporterDownOnGpuNode"]["for"] == "7m"
    assert made["GpuMissingFromNode"]["for"] == "3m"
    assert " - 5\n" in made["GpuThermalMarginLow"]["expr"]
    assert " < 5)" in made["GpuThermalMarginLow"]["expr"]


def test_an_xid_drains_or_concerns_the_program_and_none_does_both() -> None:
    made = alerts(place(POOLS))
    drain, application = (
        set(re.findall(r'xid=~"([0-9|]+)"', made[name]["expr"])[0].split("|"))
        for name in ("GpuXidNodeDrain", "GpuXidApplication")
    )
    assert {"48", "79", "95", "119"} <= drain
    assert {"13", "31", "94"} <= application
    assert not drain & application
    assert "45" not in drain | application


def test_what_others_read_comes_before_them() -> None:
    made = list(groups(place(POOLS)))
    assert made.index("gpuplan-base") < made.index("gpuplan-gpu-state")


def test_where_others_run_the_agents_nodes_are_known_by_their_labels() -> None:
    pools = "a: {tier: big, selectedBy: {labels: {example.com/pool: h100}}}, b: {}"
    assert metrics(place(pools, "stack: external")) & {"kube_node_labels", "kube_pod_info"} == {"kube_node_labels"}
    info = groups(place(pools, "stack: external"))["gpuplan-base"][0]
    assert 'kube_node_labels{label_example_com_pool="h100"}' in info["expr"]


def test_a_cluster_without_nvidia_cards_has_the_alerts_that_every_vendor_can_have() -> None:
    made = alerts(place("a: {tier: amd}", "stack: operator"))
    common = {"GpuNodesUnknown", "GpuExporterDownOnGpuNode", "GpuMissingFromNode", "GpuThermalMarginLow"}
    assert common | {"GpuMemoryUncorrectable", "GpuUnhealthy"} <= made.keys()
    assert not [name for name in made if "Xid" in name or "RowRemap" in name]
    assert not metrics(place("a: {tier: amd}", "stack: operator")) & {"DCGM_FI_DEV_GPU_TEMP"}
    assert set(made) - {"GpuUnhealthy"} <= alerts(place(POOLS)).keys()


def test_cards_of_several_vendors_are_watched_by_each_ones_own_metrics() -> None:
    here = place("a: {tier: amd}, b: {}", "stack: operator")
    cards = {rule["record"]: rule for rule in groups(here)["gpuplan-base"] if "record" in rule}
    temperatures, errors = (alerts(here)[name] for name in ("GpuThermalMarginLow", "GpuMemoryUncorrectable"))
    for rule in (cards["gpuplan:node_cards:count"], temperatures, errors):
        expr = rule["expr"]
        assert "DCGM_" in expr
        assert "gpu_" in expr.replace("gpuplan", "")


@pytest.mark.parametrize(
    ("pools", "known_by"),
    [
        ("a: {tier: big}", {"kube_pod_info"}),
        ("a: {tier: amd, stack: operator}", {"kube_pod_info"}),
        ("a: {tier: big}, b: {stack: external}", {"kube_pod_info", "kube_node_labels"}),
        ("a: {tier: gaudi}", {"kube_node_labels", "kube_node_status_capacity"}),
        ("a: {tier: gaudi}, b: {tier: gaudi, selectedBy: {labels: {x: y}}}", {"kube_node_labels"}),
    ],
)
def test_nodes_are_known_by_what_their_pool_leaves_behind(pools: str, known_by: set[str]) -> None:
    info = groups(place(pools))["gpuplan-base"][0]
    assert set(re.findall(r"kube_[a-z_]+", info["expr"])) == known_by


def test_what_others_scrape_is_missed_only_once_it_was_seen() -> None:
    expr = alerts(place("a: {tier: big}, b: {tier: amd, stack: external}"))["GpuExporterDownOnGpuNode"]["expr"]
    ours, theirs = expr.split("\nor\n(gpuplan")
    assert "count_over_time" not in ours
    assert 'count_over_time(gpu_junction_temperature{node!=""}[1d])' in theirs


@pytest.mark.parametrize(("card", "reported"), [("mi250x", 4), ("mi300x", 8), ("a16", 8)])
def test_dies_of_one_board_are_one_card_where_the_exporter_knows_boards(card: str, reported: int) -> None:
    more = f"---\ncardTiers: {{other: {{cards: [{card}]}}}}"
    here = place(f"a: {{tier: other, stack: external, card: {card}}}", more=more)
    facts = {rule["record"]: rule["expr"] for rule in groups(here)["gpuplan-pools"]}
    assert facts["gpuplan_pool_gpus_per_node"] == f"vector({reported})"
    assert facts["gpuplan_pool_node_cards"] == "vector(8)"


def test_row_remapping_is_not_watched_where_every_card_is_cut() -> None:
    assert not [name for name in alerts(place("a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}")) if "RowRemap" in name]
    assert [name for name in alerts(place(POOLS)) if "RowRemap" in name] == ["GpuRowRemapFailed", "GpuRowRemapPending"]


def test_the_fleets_prometheus_finds_the_rules() -> None:
    here = place(POOLS, more="monitoring: {selectorLabels: {prometheus: main}}")
    assert {made["metadata"]["labels"]["prometheus"] for made in here.of_rules(publish.emit)} == {"main"}
