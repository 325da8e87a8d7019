"""Before a drill begins it is looked at whether work would bear it."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from gpuplan import conventions
from gpuplan.drill import marks, seen
from gpuplan.drill.checks import Check, Scenery, checks, chosen
from tests.unit.drill.scenery import CARD, NOW, Object, node, pod, pool

EARLIER, LATER = NOW - datetime.timedelta(minutes=5), NOW + datetime.timedelta(minutes=5)


def scene(nodes: list[Object], pods: list[Object], budgets: tuple[Object, ...] = ()) -> Scenery:
    return Scenery(nodes=seen.nodes(nodes), pods=seen.pods(pods), budgets=tuple(map(seen.budget, budgets)))


def looked(made: Scenery, count: int = 1, **changed: Any) -> dict[str, Check]:
    about = pool(**changed)
    names = chosen(about, made, count)
    return {one.name.split(" a ")[0]: one for one in checks(about, made, names, count, NOW)}


def budget(allowed: int, healthy: int, expected: int, name: str = "chat", desired: int = 1, **selector: Any) -> Object:
    return {
        "metadata": {"namespace": "vision", "name": name},
        "spec": {"selector": selector or {"matchLabels": {conventions.LABEL_QUEUE_NAME: "chat"}}},
        "status": {
            "disruptionsAllowed": allowed,
            "currentHealthy": healthy,
            "desiredHealthy": desired,
            "expectedPods": expected,
        },
    }


def marked(until: datetime.datetime) -> Object:
    made = node("b")
    text = marks.Mark(drill="d2", kind="fault", pool="l40s", who="you:2", until=until).text()
    made["metadata"]["annotations"][conventions.ANNOTATION_DRILL] = text
    return made


GOOD = [node("a"), node("b")]
TAINTED = node("b", taints=[{"key": conventions.TAINT_UNHEALTHY, "effect": "NoSchedule"}])
FULL = [pod(f"q{number}", "b", "nightly") for number in range(4)]
CASES: dict[str, tuple[Scenery, str, str]] = {
    "all is well": (scene(GOOD, [pod("p", "a")], (budget(1, 2, 2),)), "", ""),
    "a drill runs": (scene([node("a"), marked(LATER)], []), "no other drill is on the pool", "not met"),
    "a dead drill": (scene([node("a"), marked(EARLIER)], []), "no other drill is on the pool", "not met"),
    "the other node is cordoned": (
        scene([node("a"), node("b", unschedulable=True)], []),
        "there are enough nodes",
        "unknown",
    ),
    "the other node is broken": (scene([node("a"), TAINTED], []), "there are enough nodes", "unknown"),
    "a pod without a controller": (scene(GOOD, [pod("p", "a", owner="")]), "what runs on", "not met"),
    "no room elsewhere": (scene(GOOD, [pod("p", "a"), *FULL]), "floors hold while", "not met"),
    "room by cards in all, on no single node": (
        scene([*GOOD, node("c")], [pod("p", "a", cards=4), pod("q", "b", "nightly"), pod("r", "c", "nightly")]),
        "floors hold while",
        "not met",
    ),
    "a budget that never allows": (
        scene(GOOD, [pod("p", "a")], (budget(0, 2, 2, desired=2),)),
        "budgets let",
        "not met",
    ),
    "a budget that does not allow now": (scene(GOOD, [pod("p", "a")], (budget(0, 1, 2),)), "budgets let", "unknown"),
    "two budgets": (
        scene(GOOD, [pod("p", "a")], (budget(1, 2, 2), budget(1, 2, 2, "mine"))),
        "budgets let",
        "not met",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_thing_that_work_would_not_bear_is_found(case: str) -> None:
    made, name, outcome = CASES[case]
    found = {one.name: one.outcome for one in looked(made).values()}
    bad = {key: value for key, value in found.items() if value != "met"}
    assert ([*bad.values()] == [outcome] and next(iter(bad)).startswith(name)) if name else not bad


def test_cards_of_work_that_gives_way_are_room() -> None:
    yielding = [pod(f"q{number}", "b", "scratch") for number in range(4)]
    found = looked(scene(GOOD, [pod("p", "a"), *yielding]))
    assert {one.outcome for one in found.values()} == {"met"}


def test_work_that_kueue_has_given_the_node_by_topology_is_said_to_wait() -> None:
    fixed, free = pod("p", "a", "nightly", owner="Job"), pod("q", "a")
    for one in (fixed, free):
        one["spec"]["nodeSelector"] = {"kubernetes.io/hostname": "a"}

    (said,) = [one for one in looked(scene(GOOD, [fixed, free])).values() if one.outcome != "met"]

    assert said.name == "work on a can go elsewhere"
    assert (said.outcome, said.evidence) == ("unknown", ("vision/p of Job nightly-set",))


def test_floors_that_are_promised_with_the_cards_of_the_node_are_said() -> None:
    found = looked(scene(GOOD, [pod("p", "a")]), floors={CARD: 10})
    (said,) = [one for one in found.values() if one.outcome == "unknown"]
    assert said.evidence == (
        "10 nvidia.com/gpu are promised and 8 are left: who claims its whole floor meanwhile may wait",
    )


def test_more_nodes_than_there_are_is_refused() -> None:
    found = looked(scene(GOOD, []), count=3)
    assert found["there are enough nodes"].outcome == "not met"


def test_nodes_with_most_stateful_pods_are_taken_first_and_closed_ones_never() -> None:
    nodes = [
        node("a"),
        node("b"),
        node("c"),
        node("d", unschedulable=True),
        TAINTED | {"metadata": node("e")["metadata"]},
    ]
    pods = [pod("p", "b"), pod("q", "c", "nightly"), pod("r", "d"), pod("s", "e")]
    assert chosen(pool(), scene(nodes, pods), 9) == ("b", "c", "a")


SELECTORS: list[tuple[dict[str, Any] | None, bool]] = [
    (None, False),
    ({}, True),
    ({"matchLabels": {"app": "chat"}}, True),
    ({"matchLabels": {"app": "other"}}, False),
    ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["chat"]}]}, True),
    ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["chat"]}]}, False),
    ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, True),
    ({"matchExpressions": [{"key": "job", "operator": "DoesNotExist"}]}, True),
    ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, False),
]


@pytest.mark.parametrize(("selector", "covers"), SELECTORS)
def test_a_budget_covers_the_pods_that_its_selector_selects(selector: dict[str, Any] | None, covers: bool) -> None:
    made = seen.budget({**budget(1, 1, 1), "spec": {"selector": selector}})
    one = pod("p", "a")
    one["metadata"]["labels"] = {"app": "chat"}
    assert made.covers(seen.pod(one)) is covers
    one["metadata"]["namespace"] = "elsewhere"
    assert not made.covers(seen.pod(one))
