"""Serving: which pods are scraped and how, and the shape of what is recorded and alerted on (tests/promtool: that it fires)."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan.emit.monitoring import scrapes
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
