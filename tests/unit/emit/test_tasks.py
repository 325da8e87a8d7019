"""Which rules on tasks a cluster has, and where their numbers come from. What they record and when they fire: tests/promtool."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpuplan.emit.monitoring import tasks
from gpuplan.emit.monitoring.alerts import Alert
from tests.unit.emit.fleets import Place, place

POOLS = "a: {tier: big}"
TEAMS = """
---
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [big]}
  web: {kind: onlineInference, service: queued, tiers: [big]}
teams: {vision: {namespaces: [vision], quotas: {%s}}}
"""
BOTH = TEAMS % "pretrain: {}, web: {}"
ALL = {"KueueMetricsMissing", "GpuQueueWaitHigh", "GpuQueueStuck", "GpuStartSlow", "GpuJobSuccessLow"}


def alerts(here: Place) -> Mapping[str, Alert]:
    return {alert.name: alert for group in tasks.groups(here.fleet, here.cluster) for alert in group.alerts}


def records(here: Place) -> Mapping[str, str]:
    return {rule["record"]: rule["expr"] for group in tasks.groups(here.fleet, here.cluster) for rule in group.records}


@pytest.mark.parametrize(
    ("cluster", "more", "missing"),
    [
        ("", BOTH, set()),
        ("", "", ALL),
        ("", TEAMS % "web: {}", {"GpuJobSuccessLow"}),
        ("", f"monitoring: {{thresholds: {{jobSuccessPercent: 0}}}}\n{BOTH}", {"GpuJobSuccessLow"}),
        ("kueue: {podsReadyTimeoutSeconds: 0}", BOTH, {"GpuStartSlow"}),
        ("kueue: {podsReadyTimeoutSeconds: 0}", TEAMS % "pretrain: {}", set()),
    ],
    ids=["queues", "no queues", "no jobs", "any success is enough", "nobody knows whose pods", "pods tell"],
)
def test_an_alert_that_cannot_fire_is_not_there(cluster: str, more: str, missing: set[str]) -> None:
    assert alerts(place(POOLS, cluster, more)).keys() == ALL - missing


def test_every_alert_is_tested_where_it_fires_and_where_it_does_not() -> None:
    for alert in alerts(place(POOLS, more=BOTH)).values():
        assert {case.kind for case in alert.cases} == {"firing", "healthy", "absent", "edge"}, alert.name
        assert all(case.fires for case in alert.cases if case.kind == "firing"), alert.name
        assert not any(case.fires for case in alert.cases if case.kind == "healthy"), alert.name


def test_the_spec_sets_the_thresholds() -> None:
    more = "monitoring: {thresholds: {queueWaitMinutes: 7, queueStuckMinutes: 45, startMinutes: 8, jobSuccessPercent: 55, jobSamples: 9}}"
    here = place(POOLS, more=f"{more}\n{BOTH}")
    made = alerts(here)
    assert "> 420)" in made["GpuQueueWaitHigh"].expr
    assert "> 480)" in made["GpuStartSlow"].expr
    assert "< 0.55)" in made["GpuJobSuccessLow"].expr
    assert "offset 30m" in made["GpuQueueStuck"].expr
    assert made["GpuQueueStuck"].wait == "15m"
    assert ">= 9)" in records(here)["gpuplan:job_success:ratio1d"]


def test_the_head_of_a_strict_queue_is_not_stuck_for_waiting_its_turn() -> None:
    strict = BOTH.replace("service: guaranteed, tiers: [big]", "service: guaranteed, tiers: [big], queueing: strict")
    assert 'task_pool=~"pretrain"' in alerts(place(POOLS, more=strict))["GpuQueueStuck"].expr
    assert "task_pool" not in alerts(place(POOLS, more=BOTH))["GpuQueueStuck"].expr


def test_the_start_is_told_by_kueue_where_it_waits_for_pods_else_by_the_pods() -> None:
    one = TEAMS % "pretrain: {}"
    assert "kueue_admitted_until_ready" in records(place(POOLS, more=one))["gpuplan:queue_start_seconds:p95"]
    by_pods = records(place(POOLS, "kueue: {podsReadyTimeoutSeconds: 0}", one))["gpuplan:queue_start_seconds:p95"]
    assert "kube_pod_status_ready_time" in by_pods
    assert "kueue_" not in by_pods
