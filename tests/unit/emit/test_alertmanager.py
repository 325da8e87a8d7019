"""Who hears of what, when, and what is silenced; that amtool agrees: tests/amtool."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from gpuplan.emit.monitoring import alertmanager, publish
from gpuplan.model.monitoring import DailyHours
from gpuplan.reclaim.steps import ALERT
from gpuplan.report import alert_runbooks
from tests.build import fleet
from tests.unit.emit.fleets import Place, place

RUNBOOKS = Path(alert_runbooks.__file__).parent / "templates" / "alerts"
POOLS = "a: {tier: big}, b: {tier: desk, cardsPerNode: 4}"
TEAMS = """
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [big]}}
teams:
  vision: {namespaces: [vision], alerts: {receiver: vision-oncall}, quotas: {pretrain: {}}}
  nlp: {namespaces: [nlp], quotas: {pretrain: {}}}
"""
RECEIVERS = """
monitoring:
  alertmanager:
    platform: desk
    %s
    smtp: {server: "mail.acme.io:587", from: gpu@acme.io, login: {username: gpu, secret: mail, key: password}}
    receivers:
      desk: {slack: {channel: "#gpu", secret: slack, key: address}}
      vision-oncall: {pagerduty: {secret: pagerduty, key: vision}}
      hook: {webhook: {secret: hooks}}
      post: {email: {to: gpu-team@acme.io}}
"""
Alert = dict[str, str]
HOURS = "officeHours: {timeZone: Europe/Berlin, from: '08:00', to: '18:00', days: [mon, fri]}"


def config(more: str = "") -> Any:
    return alertmanager.configuration(place(POOLS, more=TEAMS + RECEIVERS % more).fleet)


def files(here: Place) -> dict[str, str]:
    return {text.path: text.text for text in alertmanager.texts(here.fleet, here.cluster)}


def test_without_receivers_nothing_is_rendered() -> None:
    assert files(place(POOLS, more=TEAMS)) == {}


def test_a_cluster_without_pools_has_no_alerts_to_route() -> None:
    made = fleet(
        'apiVersion: gpuplan.dev/v1alpha1\nmetadata: {name: acme}\nclusters: {eu: {kubernetes: "1.36"}, hub: {kubernetes: "1.36"}}\n'
        "cardTiers: {big: {cards: [h100-sxm-80gb]}}\n"
        "nodePools: {a: {cluster: eu, tier: big, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}}}\n"
        "monitoring: {alertmanager: {platform: desk, receivers: {desk: {webhook: {secret: hook}}}}}\n"
    )
    assert [bool(tuple(alertmanager.texts(made, cluster))) for cluster in made.clusters] == [True, False]


def test_the_chart_gets_the_same_configuration_and_every_secret_that_it_reads() -> None:
    made = files(place(POOLS, more=TEAMS + RECEIVERS % ""))
    values = yaml.safe_load(made["provisioner/eu/kube-prometheus-stack/values.yaml"])
    text = made["prometheus/eu/alertmanager.yaml"]
    assert values["alertmanager"]["config"] == yaml.safe_load(text)
    mounted = set(values["alertmanager"]["alertmanagerSpec"]["secrets"])
    assert (
        mounted
        == set(re.findall(r"/etc/alertmanager/secrets/([^/]+)/", text))
        == {"hooks", "mail", "pagerduty", "slack"}
    )


def test_each_receiver_is_told_its_way_and_no_secret_is_in_the_text() -> None:
    told = {one.pop("name"): one for one in config()["receivers"]}
    assert told["desk"]["slack_configs"][0]["api_url_file"] == "/etc/alertmanager/secrets/slack/address"
    assert told["vision-oncall"]["pagerduty_configs"][0]["routing_key_file"].endswith("/pagerduty/vision")
    assert told["hook"] == {
        "webhook_configs": [{"url_file": "/etc/alertmanager/secrets/hooks/value", "send_resolved": True}]
    }
    assert told["post"]["email_configs"][0]["to"] == "gpu-team@acme.io"
    assert told[alertmanager.NOBODY] == {}
    assert config()["global"]["smtp_auth_password_file"] == "/etc/alertmanager/secrets/mail/password"


def route(made: Any, alert: Alert) -> Any:
    """Return the route that an alert takes: the first that matches, else the root."""
    found = (one for one in made["route"]["routes"] if matches(one["matchers"], alert))
    return {**{key: value for key, value in made["route"].items() if key != "routes"}, **next(found, {})}


@pytest.mark.parametrize(
    ("labels", "receiver", "waits"),
    [
        ({"team": "vision", "severity": "critical"}, "vision-oncall", False),
        ({"team": "vision", "severity": "warning"}, "vision-oncall", True),
        ({"team": "vision", "severity": "info"}, "vision-oncall", True),
        ({"team": "vision", "severity": "page"}, "vision-oncall", False),
        ({"team": "vision", "severity": "warning", "alertname": ALERT}, "vision-oncall", False),
        ({"team": "nlp", "severity": "warning", "alertname": ALERT}, "desk", False),
        ({"team": "nlp", "severity": "warning"}, "desk", True),
        ({"team": "platform", "severity": "critical"}, "desk", False),
        ({"team": "platform", "severity": "info"}, "desk", True),
        ({}, "desk", False),
    ],
)
def test_what_presses_never_waits_and_the_rest_waits_for_office_hours(
    labels: Alert, receiver: str, waits: bool
) -> None:
    taken = route(config(HOURS), labels)
    assert taken["receiver"] == receiver
    assert taken.get("active_time_intervals", []) == (["office-hours"] if waits else [])
    assert taken["group_wait"] == ("5m" if waits else "10s")
    assert taken["group_by"] == ["cluster", "alertname", "team"]


@pytest.mark.parametrize(("mode", "waits"), [("off", True), ("dryRun", True), ("suspend", False)])
def test_word_of_idle_work_comes_at_once_where_it_is_suspended(mode: str, waits: bool) -> None:
    reclaim = f"governance: {{reclaim: {{mode: {mode}, image: registry.acme.io/gpuplan}}}}\n"
    made = alertmanager.configuration(place(POOLS, more=TEAMS + RECEIVERS % HOURS + reclaim).fleet)
    taken = route(made, alert("GpuWorkIdle", team="vision"))
    assert ("active_time_intervals" in taken) == waits
    assert taken["receiver"] == "vision-oncall"


def test_office_hours_are_alertmanager_s() -> None:
    (named,) = config(HOURS)["time_intervals"]
    assert named == {
        "name": "office-hours",
        "time_intervals": [
            {
                "times": [{"start_time": "08:00", "end_time": "18:00"}],
                "weekdays": ["monday", "friday"],
                "location": "Europe/Berlin",
            }
        ],
    }


def test_the_notice_of_the_reclaimer_is_the_one_that_it_sends() -> None:
    assert alertmanager.NOTICE == ALERT


def test_without_office_hours_nothing_is_muted() -> None:
    made = config()
    assert "time_intervals" not in made
    assert not any("active_time_intervals" in route for route in made["route"]["routes"])


def test_alerts_of_the_platform_stay_its_own_where_a_team_has_its_name() -> None:
    teams = TEAMS.replace("vision:", "platform:", 1)
    made: Any = alertmanager.configuration(place(POOLS, more=teams + RECEIVERS % "").fleet)
    assert {route["receiver"] for route in made["route"]["routes"]} == {"desk", alertmanager.NOBODY}


def minutes(intervals: list[Any]) -> set[int]:
    """Return the minutes of the week, from Sunday, that Alertmanager's intervals hold."""
    found = set()
    for one in intervals:
        (times,) = one["times"]
        start, end = (int(clock[:2]) * 60 + int(clock[3:]) for clock in (times["start_time"], times["end_time"]))
        assert 0 <= start < end <= 24 * 60, "Alertmanager's times never run past midnight"
        found |= {alertmanager.DAYS.index(day) * 1440 + m for day in one["weekdays"] for m in range(start, end)}
    return found


@given(st.sets(st.integers(0, 6), min_size=1), st.integers(0, 1439), st.integers(0, 1439))
@example({6}, 22 * 60, 6 * 60)
@example({1}, 0, 0)
def test_hours_past_midnight_belong_to_the_day_on_which_they_begin(days: set[int], start: int, end: int) -> None:
    hours = DailyHours(time_zone="UTC", days=tuple(sorted(days)), start=start, end=end, path=())
    length = (end - start) % 1440 or 1440
    wanted = {(day * 1440 + start + minute) % (7 * 1440) for day in days for minute in range(length)}
    assert minutes(alertmanager.intervals(hours)) == wanted


def matches(matchers: list[str], alert: Alert) -> bool:
    """Tell whether Alertmanager's matchers take an alert; a label that is not there is empty."""
    for matcher in matchers:
        name, operator, value = re.fullmatch(r'(\w+)(=~|!~|!=|=)"([^"]*)"', matcher).groups()  # type: ignore[union-attr]  # a matcher
        has = alert.get(name, "")
        like = bool(re.fullmatch(value, has))
        if not {"=": has == value, "!=": has != value, "=~": like, "!~": not like}[operator]:
            return False
    return True


def silenced(alert: Alert, beside: Alert) -> bool:
    """Tell whether an alert says nothing while another one fires, by Alertmanager's rules."""
    return any(
        matches(rule["source_matchers"], beside)
        and matches(rule["target_matchers"], alert)
        and all(alert.get(label, "") == beside.get(label, "") for label in rule["equal"])
        for rule in config()["inhibit_rules"]
    )


def alert(name: str, severity: str = "warning", **labels: str) -> Alert:
    return {"alertname": name, "severity": severity, "cluster": "eu", **labels}


DOWN = alert("GpuExporterDownOnGpuNode", "critical", node="n1", pool="a")
CARD = {"node": "n1", "gpu": "0", "UUID": "GPU-1"}


@pytest.mark.parametrize(
    ("beside", "other", "quiet"),
    [
        (DOWN, alert("GpuXidNodeDrain", "critical", xid="79", **CARD), True),
        (DOWN, alert("GpuNodeConditionBad", "critical", node="n1", condition="XIDErrors"), True),
        (DOWN, alert("GpuXidNodeDrain", "critical", **{**CARD, "node": "n2"}), False),
        (DOWN, {**alert("GpuThrottled", **CARD), "cluster": "us"}, False),
        (DOWN, DOWN, False),
        (DOWN, alert("KubeNodeNotReady", node="n1"), False),
        (DOWN, alert("GpuQueueStuck", "critical", cluster_queue="nlp"), False),
        (alert("GpuNodesUnknown"), alert("GpuMissingFromNode", "critical", node="n1"), True),
        (alert("KueueMetricsMissing"), alert("GpuQueueStuck", "critical", cluster_queue="nlp"), True),
        (alert("KueueMetricsMissing"), alert("GpuThrottled", **CARD), False),
        (alert("GpuMemoryUncorrectable", "critical", **CARD), alert("GpuThrottled", **CARD), True),
        (alert("GpuMemoryUncorrectable", "critical", **CARD), alert("GpuThrottled", **{**CARD, "UUID": "GPU-2"}), False),
        (alert("GpuMemoryUncorrectable", "critical", **CARD), alert("GpuXidNodeDrain", "critical", **CARD), False),
        (alert("GpuThrottled", **CARD), alert("GpuPcieReplaysHigh", **CARD), False),
        (alert("GpuUnhealthy", "critical", node="n", gpu="3"), alert("GpuThermalMarginLow", node="n", gpu="3"), True),
        (alert("GpuUnhealthy", "critical", node="n", gpu="3"), alert("GpuThermalMarginLow", node="n", gpu="4"), False),
        (alert("GpuMissingFromNode", "critical", node="n1"), alert("GpuThrottled", **CARD), False),
        (alert("GpuQueueStuck", "critical", cluster_queue="q"), alert("GpuQueueWaitHigh", cluster_queue="q"), True),
        (alert("GpuQueueStuck", "critical", cluster_queue="q"), alert("GpuQueueWaitHigh", cluster_queue="r"), False),
        (alert("GpuQueueStuck", "critical", cluster_queue="q"), alert("GpuPoolCongested", cohort="p"), False),
        (alert("InfoInhibitor", "none", namespace="a"), alert("CPUThrottlingHigh", "info", namespace="a"), True),
        (alert("InfoInhibitor", "none", namespace="a"), alert("CPUThrottlingHigh", "info", namespace="b"), False),
        (alert("InfoInhibitor", "none", namespace="a"), alert("GpuXidApplication", "info", namespace="a"), False),
        (
            alert(ALERT, namespace="a", owner_kind="Job", owner="x", task_pool="scratch"),
            alert("GpuWorkIdle", namespace="a", owner_kind="Job", owner="x", task_pool="scratch"),
            True,
        ),
        (
            alert(ALERT, namespace="a", owner_kind="Job", owner="x"),
            alert("GpuWorkIdle", namespace="a", owner_kind="Job", owner="y"),
            False,
        ),
        (
            alert("InferenceLatencyBurnFast", "critical", namespace="a", task_pool="chat", model="m"),
            alert("InferenceLatencyBurnSlow", namespace="a", task_pool="chat", model="m"),
            True,
        ),
        (
            alert("InferenceLatencyBurnFast", "critical", namespace="a", task_pool="chat", model="m"),
            alert("InferenceLatencyBurnSlow", namespace="a", task_pool="chat", model="other"),
            False,
        ),
    ],
)  # fmt: skip
def test_an_alert_that_another_explains_is_silenced_and_no_other(beside: Alert, other: Alert, quiet: bool) -> None:
    assert silenced(other, beside) == quiet


@pytest.mark.parametrize("cluster", ["", "stack: operator", "stack: external"])
def test_a_silent_exporter_silences_whatever_else_we_say_of_its_node(cluster: str) -> None:
    here = place(POOLS + ", c: {tier: amd, selectedBy: {labels: {pool: c}}}", cluster, TEAMS)
    seen = 0
    for group in publish.groups(here.fleet, here.cluster):
        for one in group.alerts:
            for labels in (labels for case in one.cases for labels in case.fires if "node" in labels):
                seen += 1
                made = {**labels, **alert(one.name, one.severity)}
                told = {**DOWN, "node": made["node"], "pool": made.get("pool", "")}
                assert silenced(made, told) == (one.name != DOWN["alertname"])
    assert seen


def test_the_alerts_that_explain_others_and_those_that_they_silence_are_alerts_of_ours() -> None:
    known = {path.name.removesuffix(".md.j2") for path in RUNBOOKS.glob("*.md.j2")}
    for source, target, _ in alertmanager.EXPLAINED:
        for matcher in (*source, *target):
            for name in re.findall(r"\b[A-Z][A-Za-z]{2,}\b(?!\.)", matcher.partition("alertname")[2]):
                assert name.lower() in known or name == ALERT or name in alertmanager.ALWAYS_FIRING


AGES = ("gpuplan:serving_slow:ratio1h", "gpuplan:release_failures:increase1d")  # An alert on these lasts by itself.


def test_no_alert_on_a_moment_is_over_before_its_route_has_waited() -> None:
    """Alertmanager tells nobody of a group that is resolved by the time it first looks."""
    here, patience = place(POOLS, more=TEAMS), int(str(alertmanager.LATER["group_wait"]).removesuffix("m"))
    moments = [
        alert
        for group in publish.groups(here.fleet, here.cluster)
        for alert in group.alerts
        if alert.severity != "critical" and not alert.wait and not any(name in alert.expr for name in AGES)
    ]
    assert {"GpuXidApplication", "GpuXidUnknown"} <= {alert.name for alert in moments}
    for alert in moments:
        assert int(alert.hold.removesuffix("m") or 0) >= 2 * patience, alert.name
