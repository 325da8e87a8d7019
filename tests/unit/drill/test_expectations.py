"""What was lost with a pod is said as far as it is known, and never guessed."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any

import pytest

from gpuplan.drill import seen
from gpuplan.drill.expectations import Report, expectations, in_time, lost
from gpuplan.drill.state import Move, Record, State
from gpuplan.report import drill
from gpuplan.report.console import drawn
from tests.unit.drill.scenery import NOW, node, plan, pod, world


def after(seconds: float) -> datetime.datetime:
    return NOW + datetime.timedelta(seconds=seconds)


def move(*, gone: float | None = 5, requests: int | None = None, codes: tuple[int, ...] = ()) -> Move:
    return Move(
        pod=seen.pod(pod("p", "a")),
        node="a",
        evicted_at=NOW,
        gone_at=None if gone is None else after(gone),
        requests=requests,
        exit_codes=codes,
    )


LOST: list[tuple[str, Move, int | None]] = [
    ("nothing ran", move(requests=0), 0),
    ("it ended by itself", move(codes=(0,), requests=7), 0),
    ("it was killed while requests ran", move(codes=(137,), requests=7), 7),
    ("it lived to the end of its grace", move(gone=61, requests=3), 3),
    ("it was killed, and nobody knows what ran", move(codes=(137,)), None),
    ("it went, and nobody saw how", move(), None),
    ("it is still there", move(gone=None), None),
]


@pytest.mark.parametrize(("made", "count"), [case[1:] for case in LOST], ids=[case[0] for case in LOST])
def test_requests_that_were_lost_are_known_or_not(made: Move, count: int | None) -> None:
    assert lost(made)[0] == count


def state(kind: Any = "maintenance", **changed: Any) -> State:
    record = Record(name="a", allocatable={}, boot="", taints=(), restarts={}, closed_at=NOW, isolated_at=NOW)
    return State(plan=plan(kind), since=NOW, records={"a": record}, **changed)


def outcome(made: State, name: str) -> str:
    return next(one.outcome for one in expectations(made) if one.name == name)


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ((move(requests=0), move(codes=(0,))), "met"),
        ((move(requests=0), move()), "unknown"),
        ((move(), move(codes=(137,), requests=2)), "not met"),
        ((), "unknown"),
    ],
)
def test_sessions_are_lost_where_one_pod_is_known_to_have_lost_some(moves: tuple[Move, ...], expected: str) -> None:
    assert outcome(state(moves=moves), "no session lost") == expected


@pytest.mark.parametrize(("ready", "where", "expected"), [(5, "b", True), (20, "b", False), (5, "a", False)])
def test_a_successor_counts_that_is_ready_elsewhere_while_the_node_is_away(
    ready: float, where: str, expected: bool
) -> None:
    record = replace(state().records["a"], opened_at=after(10))
    assert in_time(record, replace(move(), ready_at=after(ready), successor_node=where)) is expected


def test_a_drill_that_was_broken_off_has_failed_whatever_was_met() -> None:
    fine = Report(state=state(), expectations=(), began_at=NOW, ended_at=NOW)
    assert not fine.failed
    assert Report(state=state(why="Ctrl-C"), expectations=(), began_at=NOW, ended_at=NOW).failed
    assert Report(state=state(), expectations=(), began_at=NOW, ended_at=NOW, left=("a",)).failed


def finished() -> Report:
    made = world([node("a"), node("b")], [pod("p|<b>", "a")])
    ended = made.play(plan())
    return Report(state=ended, expectations=expectations(ended), began_at=NOW, ended_at=after(9))


def test_people_read_what_moved_where_and_for_how_long() -> None:
    text = drawn(drill.overview(finished()), colour=False, width=200)
    assert "5 expectations: 4 met, 1 unknown. It took 9 s." in text
    row = next(line.split() for line in text.splitlines() if line.startswith("vision/p|<b>"))
    assert row == ["vision/p|<b>", "chat", "a", "b", "0.0", "unknown"]


def test_a_page_has_no_table_that_a_name_can_break_and_no_html_of_others() -> None:
    page = drill.markdown(finished())
    rows = [line for line in page.splitlines() if line.startswith("| vision/")]
    assert rows == ["| vision/p\\|&lt;b> | chat | a | b | 0.0 | unknown |"]
    assert "<b>" not in page
    assert page.count("| met |") == 4


def test_programs_read_the_same() -> None:
    data = drill.data(finished())
    assert (data["failed"], data["brokenOff"], data["nodes"]) == (False, "", ["a"])
    assert [one["outcome"] for one in data["expectations"]].count("met") == 4
    assert data["moves"][0] | {"pod": "p"} == {
        "namespace": "vision",
        "pod": "p",
        "taskPool": "chat",
        "from": "a",
        "to": "b",
        "successor": "p|<b>'",
        "evictedAt": "2026-12-01T08:00:00Z",
        "goneAt": "2026-12-01T08:00:00Z",
        "readyAt": "2026-12-01T08:00:00Z",
        "secondsWithoutReady": 0.0,
        "requestsLost": None,
    }
