"""Which alerts on cards a cluster gets, and what each reads. That they fire and stay quiet: tests/promtool."""

from __future__ import annotations

import re

import pytest

from gpuplan.catalog import load
from gpuplan.emit import counters
from gpuplan.emit.monitoring import scenes, state
from gpuplan.emit.monitoring.alerts import Alert, Group
from gpuplan.emit.monitoring.state.common import CORDON
from tests.unit.emit.fleets import Place, place

TWO = "a: {tier: big}, b: {tier: desk, cardsPerNode: 4}"
EVERY_VENDOR = "a: {tier: big}, b: {tier: amd, stack: operator}, c: {tier: gaudi}, d: {tier: ascend}"
ALWAYS = {"GpuNodesUnknown", "GpuExporterDownOnGpuNode", "GpuThermalMarginLow", "GpuMemoryUncorrectable"}


def group(here: Place) -> Group:
    (made,) = state.groups(here.fleet, here.cluster)
    return made


def alerts(here: Place) -> dict[str, Alert]:
    return {alert.name: alert for alert in group(here).alerts}


def codes(alert: Alert) -> set[int]:
    (listed,) = set(re.findall(r'xid[=!]~"([0-9|]+)"', alert.expr))
    return set(map(int, listed.split("|")))


@pytest.mark.parametrize("pools", [TWO, EVERY_VENDOR, "a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}", "a: {tier: amd}"])
def test_every_alert_brings_a_case_of_each_kind_and_the_group_stays_small(pools: str) -> None:
    made = group(place(pools, "stack: operator"))
    assert len(made.records) + len(made.alerts) <= 20
    for alert in made.alerts:
        assert {case.kind for case in alert.cases} == {"firing", "healthy", "absent", "edge"}, alert.name
        names = [case.name for case in alert.cases]
        assert len(names) == len(set(names)), alert.name
        assert all(case.fires for case in alert.cases if case.kind == "firing"), alert.name
        assert not any(case.fires for case in alert.cases if case.kind == "healthy"), alert.name


def test_cases_speak_of_the_fleets_own_pools() -> None:
    for alert in alerts(place("frankfurt: {tier: big}")).values():
        told = {labels["pool"] for case in alert.cases for labels in case.fires if "pool" in labels}
        assert told <= {"frankfurt"}, alert.name


def test_a_planned_drain_silences_what_it_causes_and_nothing_that_a_card_says() -> None:
    more = "governance: {nodeHealth: {controller: nodeReadiness, conditions: [{type: GpuHealthy}]}}"
    silenced = {name for name, alert in alerts(place(EVERY_VENDOR, more=more)).items() if CORDON in alert.expr}
    assert silenced == {
        "GpuAllocatableLow",
        "GpuCountersMissing",
        "GpuExporterDownOnGpuNode",
        "GpuMissingFromNode",
        "GpuNodeConditionBad",
    }


@pytest.mark.parametrize(
    ("xids", "drains", "tells", "known"),
    [
        ("", {79, 48}, {13, 31}, {45, 63}),
        ("{drain: [63, 13]}", {79, 63, 13}, {31}, {63}),
        ("{ignore: [109, 31]}", {79}, {13}, {109, 31}),
        ("{ignore: [171, 999]}", {79}, {13}, {171, 999}),
        ("{drain: [171], ignore: [171]}", {171}, {13}, {171}),
    ],
)
def test_a_fleet_judges_xids_otherwise(xids: str, drains: set[int], tells: set[int], known: set[int]) -> None:
    made = alerts(place(TWO, more=f"monitoring: {{xids: {xids}}}" if xids else ""))
    drain, program, unknown = (codes(made[f"GpuXid{name}"]) for name in ("NodeDrain", "Application", "Unknown"))
    assert drains <= drain
    assert tells <= program
    assert drain | program | known <= unknown
    assert not drain & program


def test_an_ignored_code_is_told_by_no_alert() -> None:
    made = alerts(place(TWO, more="monitoring: {xids: {ignore: [109, 31]}}"))
    assert not {109, 31} & (codes(made["GpuXidNodeDrain"]) | codes(made["GpuXidApplication"]))


def test_codes_that_are_newer_than_the_catalogue_are_told_and_never_drain() -> None:
    made = alerts(place(TWO))
    assert not {162, 171, 172, 999} & codes(made["GpuXidUnknown"])
    assert not {162, 171, 172, 999} & codes(made["GpuXidNodeDrain"])


def test_where_every_code_is_ignored_there_is_no_alert_on_them() -> None:
    every = sorted(code for row in load().xids.values() for code in row.codes)
    made = alerts(place(TWO, more=f"monitoring: {{xids: {{ignore: {every}}}}}"))
    assert [name for name in made if "Xid" in name] == ["GpuXidUnknown"]


@pytest.mark.parametrize(("release", "known"), [("2026.08", True), ("2026.05", False)])
def test_what_the_driver_asks_for_is_watched_where_the_exporter_knows_it(release: str, known: bool) -> None:
    here = place("a: {tier: big}", f'release: "{release}"')
    assert ("GpuRecoveryNeeded" in alerts(here)) is known
    assert ("DCGM_FI_DEV_GPU_RECOVERY_ACTION" in counters.collected(here.fleet, here.cluster)) is known


@pytest.mark.parametrize(
    ("pools", "missing"),
    [
        ("a: {tier: desk}", {"GpuNvlinkErrors", "GpuRowRemapFailed", "GpuRowRemapPending", "GpuUnhealthy"}),
        ("a: {tier: big, cardsPerNode: 1}", {"GpuMissingFromNode", "GpuUnhealthy"}),
        ("a: {tier: big, exposure: dra}", {"GpuAllocatableLow", "GpuUnhealthy"}),
        (
            "a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}",
            {"GpuRowRemapFailed", "GpuRowRemapPending", "GpuUnhealthy"},
        ),
        (
            "a: {tier: gaudi}",
            {"GpuUnhealthy", "GpuCountersMissing", "GpuNodeConditionBad", "GpuRecoveryNeeded", "GpuThrottled"}
            | {"GpuXidNodeDrain", "GpuXidApplication", "GpuXidUnknown", "GpuPcieReplaysHigh", "GpuNvlinkErrors"}
            | {"GpuRowRemapFailed", "GpuRowRemapPending"},
        ),
    ],
)
def test_what_a_cluster_can_never_tell_has_no_alert(pools: str, missing: set[str]) -> None:
    made = alerts(place(pools)).keys()
    every = alerts(place(EVERY_VENDOR)).keys()
    assert every - made == missing
    assert made >= ALWAYS


def test_a_cluster_of_other_vendors_records_no_throttling() -> None:
    assert not group(place("a: {tier: gaudi}")).records
    assert [rule["record"] for rule in group(place(TWO)).records] == ["gpuplan:card_throttled:bool"]


@pytest.mark.parametrize(
    ("distribution", "seen", "unseen"),
    [
        ("aks", {"GPUMissing", "XIDErrors", "SysLogsXIDError"}, {"AcceleratedHardwareReady"}),
        ("eks", {"AcceleratedHardwareReady", "SysLogsXIDError"}, {"GPUMissing"}),
        ("kubeadm", {"SysLogsXIDError"}, {"AcceleratedHardwareReady", "GPUMissing"}),
    ],
)
def test_the_conditions_are_those_that_somebody_sets_there(distribution: str, seen: set[str], unseen: set[str]) -> None:
    expr = alerts(place(TWO, f"distribution: {distribution}"))["GpuNodeConditionBad"].expr
    named = set(re.findall(r"[A-Za-z]+", expr))
    assert seen <= named
    assert not unseen & named


def test_a_fleets_own_conditions_count_as_it_judges_nodes_by_them() -> None:
    conditions = "[{type: GpuHealthy}, {type: GpuMissing, healthyWhen: false}]"
    more = f"governance: {{nodeHealth: {{controller: nodeReadiness, conditions: {conditions}}}}}"
    expr = alerts(place("a: {tier: gaudi}", more=more))["GpuNodeConditionBad"].expr
    assert 'condition=~"GpuMissing", status="true"' in expr
    assert 'condition=~"GpuHealthy", status="false"' in expr
    assert "SysLogsXIDError" not in expr


@pytest.mark.parametrize(
    ("pools", "counter", "asked"),
    [
        ("a: {tier: big}", "DCGM_FI_DEV_ROW_REMAP_FAILURE", True),
        ("a: {tier: desk}", "DCGM_FI_DEV_ROW_REMAP_FAILURE", False),
        ("a: {tier: desk}", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", True),
        ("a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", False),
        ("a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}", "DCGM_EXP_XID_ERRORS_COUNT", True),
        ("a: {tier: big}", "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", False),
    ],
)
def test_only_counters_that_a_card_must_have_are_missed(pools: str, counter: str, asked: bool) -> None:
    assert (counter in alerts(place(pools))["GpuCountersMissing"].expr) is asked


def test_a_counter_that_some_pools_have_is_missed_there_alone() -> None:
    expr = alerts(place(TWO))["GpuCountersMissing"].expr
    remap, ecc = (
        next(part for part in expr.split("label_replace") if f"unless on (node) {counter}" in part)
        for counter in ("DCGM_FI_DEV_ROW_REMAP_FAILURE", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL")
    )
    assert 'pool=~"a"' in remap
    assert "pool=~" not in ecc


def test_the_spec_sets_the_thresholds_of_links_and_throttling() -> None:
    thresholds = "{throttledPercent: 7, pcieReplaysPerMinute: 11, nvlinkErrorsPerSecond: 13}"
    made = alerts(place("a: {tier: big}", more=f"monitoring: {{thresholds: {thresholds}}}"))
    assert made["GpuThrottled"].expr.endswith("* 100 > 7")
    assert "* 60 > 11 <" in made["GpuPcieReplaysHigh"].expr
    assert " > 13 <" in made["GpuNvlinkErrors"].expr


@pytest.mark.parametrize(
    ("selector", "labels", "series"),
    [
        ("up", {"node": "n"}, 'up{node="n"}'),
        ("up", {"node": ""}, "up{}"),
        ('hw{bdf!="",kind="gpu"}', {"node": "n"}, 'hw{bdf="not-empty", kind="gpu", node="n"}'),
        ('hw{bdf!="",state!="ok"}', {"bdf": "0"}, 'hw{bdf="0", state="not-ok"}'),
    ],
)
def test_a_scene_has_a_series_that_a_selector_selects(selector: str, labels: dict[str, str], series: str) -> None:
    assert scenes.selected(selector, **labels) == series


@pytest.mark.parametrize(
    ("condition", "parts"),
    [
        ("gpu_health == 0", ("gpu_health", "0", "1")),
        ('hw{state!="ok"} > 0', ('hw{state!="ok"}', "1", "0")),
        ("broken", ("broken", "1", "0")),
    ],
)
def test_a_scene_knows_for_which_values_a_condition_holds(condition: str, parts: tuple[str, str, str]) -> None:
    assert scenes.holds(condition) == parts


@pytest.mark.parametrize(
    ("pools", "series"),
    [
        ("a: {tier: big}", 'x{UUID="a-2-gpu-1", gpu="1", node="a-2", pool="a"}'),
        ("a: {tier: amd, stack: operator}", 'x{node="a-2", serial_number="a-2-gpu-1"}'),
        ("a: {tier: ascend}", 'x{id="1", node="a-2"}'),
    ],
)
def test_a_card_in_a_scene_is_named_as_its_exporter_does(pools: str, series: str) -> None:
    here = place(pools)
    assert scenes.card(here.fleet.catalog, here.pool, index=1, number=2).of("x") == series
