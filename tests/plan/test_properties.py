"""What holds for every plan, whatever changes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from gpuplan.compare import apply, compare
from gpuplan.plan import Plan, State, compare_states, plan
from gpuplan.plan.parts import Action, ObjectChange
from gpuplan.plan.state import Ref
from tests.generated import fleets
from tests.plan.kinds import BASE, CASES, read, state

MIRRORED = {Action.CREATE: Action.DELETE, Action.DELETE: Action.CREATE}
Objects = dict[Ref, Mapping[str, object]]

few = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


def planned(old: State, new: State) -> Plan:
    return plan(compare_states(old, new))


def objects(side: State) -> Objects:
    return {ref: made.object for ref, made in side.objects.items()}


def applied(changes: tuple[ObjectChange, ...], held: Objects) -> Objects:
    """Do to some objects what a plan says will be done to them."""
    left = dict(held)
    for change in changes:
        if change.action is Action.DELETE:
            del left[change.ref]
        elif change.action is Action.CREATE:
            assert change.ref not in left
            assert change.after is not None
            left[change.ref] = change.after
        else:
            left[change.ref] = apply(left.pop(change.was or change.ref), change.changes)
    return left


def same(one: Objects, other: Objects) -> bool:
    return one.keys() == other.keys() and not any(compare(held, other[ref]) for ref, held in one.items())


def mirrored(old: State, new: State) -> None:
    there, back = planned(old, new), planned(new, old)
    forth = {change.ref: change for change in there.objects}
    assert {change.was or change.ref for change in there.objects} == {change.ref for change in back.objects}
    for change in back.objects:
        if change.ref in forth:
            assert change.action is MIRRORED.get(forth[change.ref].action, forth[change.ref].action)
            assert (change.before, change.after) == (forth[change.ref].after, forth[change.ref].before)
    assert [(row.new, row.old) for row in back.quotas] == [(row.old, row.new) for row in there.quotas]
    assert [one.capacity[::-1] for one in back.balances] == [one.capacity for one in there.balances]
    assert {text.path for text in there.texts} == {text.path for text in back.texts}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_spec_against_itself_changes_nothing(path: Path) -> None:
    made = planned(state(read(path).new), state(read(path).new))
    assert made.empty
    assert [made.effects, made.quotas, made.rollouts, made.approvals, made.spec] == [()] * 5


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_objects_of_a_plan_done_to_the_old_side_give_the_new_one(path: Path) -> None:
    old, new = state(BASE), state(read(path).new)
    assert same(applied(planned(old, new).objects, objects(old)), objects(new))


@pytest.mark.parametrize("path", [path for path in CASES if "renamed" not in path.stem], ids=lambda path: path.stem)
def test_the_way_back_is_the_mirror_of_the_way_there(path: Path) -> None:
    mirrored(state(BASE), state(read(path).new))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_each_change_of_an_object_leads_back_to_a_line_of_the_spec(path: Path) -> None:
    made = planned(state(BASE), state(read(path).new))
    assert all(change.causes for change in made.objects)
    assert all(change.causes for change in made.texts)


@few
@given(fleets(), fleets())
def test_it_holds_between_any_two_fleets(one: str, other: str) -> None:
    old, new = state(one), state(other)
    assert planned(old, old).empty
    assert same(applied(planned(old, new).objects, objects(old)), objects(new))
    mirrored(old, new)
