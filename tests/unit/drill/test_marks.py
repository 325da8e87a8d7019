"""The note of a drill is read back as it was written, and only what is still as the drill left it is taken back."""

from __future__ import annotations

import datetime
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan import conventions
from gpuplan.drill import marks, seen
from gpuplan.drill.marks import Mark
from tests.unit.drill.scenery import NOW, Object, kind_of, node

TEXT = st.text(max_size=20)
MARKS = st.builds(
    Mark,
    drill=TEXT,
    kind=st.sampled_from(["maintenance", "fault"]),
    pool=TEXT,
    who=TEXT,
    until=st.datetimes(datetime.datetime(1999, 1, 1), datetime.datetime(2100, 1, 1)).map(  # noqa: DTZ001 - it gets its zone
        lambda at: at.replace(microsecond=0, tzinfo=datetime.UTC)
    ),
    condition=TEXT,
    before=st.none() | st.dictionaries(TEXT, TEXT, max_size=4),
)


@given(MARKS)
def test_a_note_is_read_back_as_it_was_written(made: Mark) -> None:
    assert marks.read(made.text()) == made


@given(st.text(max_size=60) | st.dictionaries(TEXT, TEXT | st.integers() | st.none()).map(json.dumps))
def test_what_no_drill_has_written_is_no_note(text: str) -> None:
    assert marks.read(text) is None


def note(kind: str = "maintenance") -> Mark:
    before = {"type": "GpuHealthy", "status": "True", "reason": "Fine"}
    fault = {"condition": "GpuHealthy", "before": before} if kind == "fault" else {}
    return Mark(drill="d1", kind=kind, pool="l40s", who="me:1", until=NOW, **fault)  # type: ignore[arg-type]  # a table's text


def cordoned(manager: str) -> Object:
    made = node("a", unschedulable=True)
    made["metadata"]["managedFields"] = [{"manager": manager, "fieldsV1": {"f:spec": {"f:unschedulable": {}}}}]
    return made


def broken(reason: str) -> Object:
    made = node("a")
    made["status"]["conditions"][1] = {"type": "GpuHealthy", "status": "False", "reason": reason}
    return made


CASES = [
    ("closed by the drill", "maintenance", cordoned(conventions.DRILLER), "open"),
    ("closed by a person since", "maintenance", cordoned("kubectl-cordon"), "unmark"),
    ("open already", "maintenance", node("a"), "unmark"),
    ("broken by the drill", "fault", broken(marks.REASON), "mend"),
    ("broken in earnest since", "fault", broken("XidError"), "unmark"),
    ("a cordon beside a fault drill", "fault", cordoned(conventions.DRILLER), "unmark"),
]


@pytest.mark.parametrize(("kind", "made", "step"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_only_what_is_as_the_drill_left_it_is_taken_back(kind: str, made: Object, step: str) -> None:
    assert kind_of(next(marks.take_back(seen.node(made), note(kind)))) == step


def test_a_condition_that_was_there_comes_back_in_its_place_and_one_that_was_not_goes() -> None:
    there = seen.node(broken(marks.REASON))
    back = next(marks.take_back(there, note("fault")))
    assert back.change["status"]["conditions"] == node("a")["status"]["conditions"]

    new = Mark(drill="d1", kind="fault", pool="l40s", who="me:1", until=NOW, condition="GpuHealthy")
    gone = next(marks.take_back(there, new))
    assert [one["type"] for one in gone.change["status"]["conditions"]] == ["Ready"]


def test_a_node_looks_broken_by_the_status_that_a_healthy_one_does_not_have() -> None:
    there = seen.node(node("a"))
    for healthy, status in ((True, "False"), (False, "True")):
        step = marks.break_node(there, "GpuHealthy", healthy=healthy, drill="d1", now=NOW)
        said = {one["type"]: one["status"] for one in step.change["status"]["conditions"]}
        assert (step.status, said) == (True, {"Ready": "True", "GpuHealthy": status})
