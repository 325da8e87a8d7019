"""Serving: which pods are scraped and how, and the shape of what is recorded and alerted on (tests/promtool: that it fires)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gpuplan.catalog import load
from gpuplan.emit.monitoring import scrapes
from gpuplan.emit.monitoring import serving as serving_rules
from gpuplan.emit.monitoring.alerts import Group
from tests.unit.emit.fleets import Object, Place, one, place

POOLS = "a: {tier: big, nodes: 8}"


def serving(engine: str = "engine: vllm", more: str = "", keys: str = "") -> Place:
    """Return a fleet whose task pool `chat` serves for two teams."""
    return place(
        POOLS,
        more=f"""
taskPools: {{chat: {{kind: onlineInference, service: guaranteed, tiers: [big], {keys}serving: {{{engine}}}}}}}
teams:
  vision: {{namespaces: [vision, vision-web], quotas: {{chat: {{big: {{guaranteed: 8}}}}}}}}
  nlp: {{namespaces: [nlp], quotas: {{chat: {{big: {{guaranteed: 8}}}}}}}}
{more}""",
    )


def monitor(here: Place) -> Any:
    return one(here.objects(scrapes.emit), "PodMonitor")


def steps(made: Object) -> list[Any]:
    (endpoint,) = made["spec"]["podMetricsEndpoints"]
    return list(endpoint["relabelings"])


def test_the_pods_of_a_queue_are_scraped_in_the_namespaces_of_its_teams() -> None:
    spec = monitor(serving())["spec"]
    assert spec["selector"] == {"matchLabels": {"kueue.x-k8s.io/queue-name": "chat"}}
    assert spec["namespaceSelector"] == {"matchNames": ["nlp", "vision", "vision-web"]}


@pytest.mark.parametrize(
    ("engine", "port"),
    [("vllm", 8000), ("sglang", 30000), ("triton", 8002), ("tgi", 80), ("vllm, port: 9000", 9000)],
)
def test_every_target_of_a_pod_gets_the_address_of_its_engine(engine: str, port: int) -> None:
    found = [
        step["replacement"]
        for step in steps(monitor(serving(f"engine: {engine}")))
        if step.get("targetLabel") == "__address__"
    ]
    assert found == [f"$1:{port}", f"[$1]:{port}"]


def test_targets_of_one_pod_differ_in_no_label_and_so_are_one() -> None:
    made = monitor(serving())
    assert "port" not in made["spec"]["podMetricsEndpoints"][0]
    assert {"regex": "container", "action": "labeldrop"} in steps(made)


def test_namespace_and_pod_are_the_targets_and_the_task_pool_is_ours() -> None:
    made = monitor(serving())
    assert made["spec"]["podMetricsEndpoints"][0]["honorLabels"] is False
    assert {"targetLabel": "task_pool", "replacement": "chat", "action": "replace"} in steps(made)


@pytest.mark.parametrize(("frameworks", "kept"), [("deployment", False), ("leaderworkerset", True)])
def test_of_a_leader_and_its_workers_the_leader_alone_is_scraped(frameworks: str, kept: bool) -> None:
    made = steps(monitor(serving(keys=f"frameworks: [{frameworks}], ")))
    assert ("0?" in [step.get("regex") for step in made if step["action"] == "keep"]) is kept


def test_a_task_pool_without_an_engine_is_not_scraped() -> None:
    here = place(
        POOLS,
        more="taskPools: {chat: {kind: onlineInference, service: guaranteed, tiers: [big]}}\n"
        "teams: {nlp: {namespaces: [nlp], quotas: {chat: {big: {guaranteed: 8}}}}}",
    )
    assert not here.objects(scrapes.emit)


def group(here: Place) -> Group:
    (made,) = serving_rules.groups(here.fleet, here.cluster)
    return made


def rules(here: Place) -> dict[str, str]:
    made = group(here)
    records = {rule["record"]: rule["expr"] for rule in made.records}
    return records | {alert.name: alert.expr for alert in made.alerts}


PROMISE = "slo: {latencyMilliseconds: 2500, objectivePercent: 99}"


@pytest.mark.parametrize("engine", ["vllm", "sglang", "triton", "tgi"])
def test_every_metric_that_is_read_is_the_engines(engine: str) -> None:
    known = load().serving.metrics
    read = {
        name.removesuffix(end)
        for expr in rules(serving(f"engine: {engine}, slo: {{latencyMilliseconds: 2525}}")).values()
        for name in re.findall(r"\b(?:vllm:|sglang:|nv_|tgi_)[a-z0-9_]+", expr)
        for end in ("_bucket", "_count", "")
        if name.endswith(end) and name.removesuffix(end) in known
    }
    assert read
    assert {known[name].of for name in read} == {engine}


@pytest.mark.parametrize(
    ("engine", "alerts"),
    [
        ("engine: vllm", []),
        (f"engine: vllm, {PROMISE}", ["InferenceLatencyBurnFast", "InferenceLatencyBurnSlow"]),
        ("engine: triton, slo: {latencyMilliseconds: 200}", ["InferenceLatencyHigh"]),
        ("engine: vllm, slo: {latencyMilliseconds: 2500, objectivePercent: 90}", ["InferenceLatencyBurnSlow"]),
        ("engine: vllm, slo: {latencyMilliseconds: 2500, objectivePercent: 80}", []),
    ],
)
def test_an_alert_that_could_never_fire_is_not_rendered(engine: str, alerts: list[str]) -> None:
    assert [alert.name for alert in group(serving(engine)).alerts] == alerts


@pytest.mark.parametrize(
    ("objective", "fast", "slow"),
    [("99", "0.144", "0.06"), ("99.9", "0.0144", "0.006"), ("99.999", "0.000144", "0.00006")],
)
def test_limits_are_exact_decimals(objective: str, fast: str, slow: str) -> None:
    made = rules(serving(f"engine: vllm, slo: {{latencyMilliseconds: 2500, objectivePercent: {objective}}}"))
    assert f"> {fast}\n" in made["InferenceLatencyBurnFast"]
    assert f"> {slow}\n" in made["InferenceLatencyBurnSlow"]


@pytest.mark.parametrize(
    ("engine", "bucket"),
    [
        ("vllm, slo: {latencyMilliseconds: 2500}", 'le="2.5"'),
        ("vllm, slo: {latencyMilliseconds: 5000}", 'le=~"5|5.0"'),
        ("tgi, slo: {latencyMilliseconds: 2525}", 'le="2.5251168294042348"'),
        ("vllm, boundsMilliseconds: [300, 2000], slo: {latencyMilliseconds: 300}", 'le="0.3"'),
    ],
)
def test_a_bucket_is_found_however_its_bound_is_printed(engine: str, bucket: str) -> None:
    assert bucket in rules(serving(f"engine: {engine}"))["gpuplan:serving_slow:ratio5m"]


def test_task_pools_with_one_engine_share_their_expressions() -> None:
    here = place(
        POOLS,
        more="""
taskPools:
  chat: {kind: onlineInference, service: guaranteed, tiers: [big], serving: {engine: vllm, slo: {latencyMilliseconds: 2500}}}
  code: {kind: onlineInference, service: guaranteed, tiers: [big], serving: {engine: vllm, slo: {latencyMilliseconds: 2500}}}
teams: {nlp: {namespaces: [nlp], quotas: {chat: {}, code: {}}}}
""",
    )
    assert all('task_pool=~"chat|code"' in expr and "\nor\n" not in expr for expr in rules(here).values())


def test_a_group_is_never_longer_than_twenty_rules() -> None:
    assert len(rules(serving(f"engine: vllm, {PROMISE}"))) <= 20
