"""A drill decides step by step, and takes everything back whatever comes in between."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from gpuplan import conventions
from gpuplan.drill import marks
from gpuplan.drill.expectations import expectations
from gpuplan.drill.plan import Limits
from gpuplan.drill.state import Phase, State
from tests.unit.drill.scenery import Object, World, node, plan, pod, pool, world


def outcomes(state: State) -> dict[str, str]:
    return {one.name: one.outcome for one in expectations(state)}


def serving(**how: Any) -> World:
    return world(
        [node("a"), node("b")], [pod("p", "a"), pod("q", "b"), pod("agent", "a", "", owner="DaemonSet")], **how
    )


def bare(made: World) -> dict[str, Object]:
    """Return the nodes without what the server counts."""
    found = copy.deepcopy(made.nodes)
    for one in found.values():
        one["metadata"].pop("resourceVersion")
        one["metadata"].pop("managedFields", None)
        one["spec"] = {key: value for key, value in one["spec"].items() if value}
    return found


def test_a_maintenance_drill_notes_closes_drains_waits_and_opens() -> None:
    made = serving()
    before = bare(made)

    state = made.play(plan())

    assert made.writes == ["mark", "cordon", "evict", "open"]
    assert bare(made) == before
    assert outcomes(state) == {
        "drained within its budgets": "met",
        "serving ready before the next node": "met",
        "work rescheduled": "met",
        "no session lost": "unknown",
        "node returned": "met",
    }
    (move,) = state.moves
    assert (move.node, move.successor, move.successor_node) == ("a", "p'", "b")


def test_a_fault_drill_breaks_waits_for_others_to_isolate_drains_and_mends() -> None:
    made = serving(alerts=True)
    before = bare(made)

    state = made.play(plan("fault", watches_alert=True, watches_receipt=True))

    assert made.writes == ["mark", "break", "evict", "mend", "unmark"]
    assert bare(made) == before
    found = outcomes(state)
    assert found.pop("no session lost") == "unknown"
    assert set(found.values()) == {"met"}


def test_where_nothing_isolates_a_node_the_drill_says_so_and_does_not_do_it_itself() -> None:
    made = serving(reacts=False)
    before = bare(made)

    state = made.play(plan("fault"))

    assert made.writes == ["mark", "break", "mend", "unmark"]
    assert bare(made) == before
    assert outcomes(state) == {
        "isolated before any restart": "not met",
        "alert fired": "unknown",
        "alert reached Alertmanager": "unknown",
        "drained within its budgets": "unknown",
        "work rescheduled": "unknown",
        "no session lost": "unknown",
        "node returned": "met",
    }


def test_a_restart_before_the_isolation_is_seen() -> None:
    def start_anew(made: World) -> None:
        made.reacts = made.seconds >= 10
        if made.seconds == 5:
            made.nodes["a"]["status"]["nodeInfo"]["bootID"] = "b2"

    state = serving(before_look=start_anew).play(plan("fault"))

    (isolated, *_) = expectations(state)
    assert isolated.outcome == "not met"
    assert "first a has started anew" in isolated.summary


def test_a_reporter_that_writes_over_the_condition_is_written_over_again() -> None:
    healed: list[bool] = []

    def heal(made: World) -> None:
        broken = [one for one in made.nodes["a"]["status"]["conditions"] if one["type"] == "GpuHealthy"]
        if broken[0]["reason"] == marks.REASON and made.nodes["a"]["spec"]["taints"] and not healed:
            healed.append(True)
            broken[0].update({"status": "True", "reason": "Fine"})

    made = serving(before_look=heal)
    state = made.play(plan("fault"))

    assert made.writes == ["mark", "break", "break", "evict", "mend", "unmark"]
    assert state.records["a"].healed == 1


def test_a_budget_that_forbids_is_asked_again_and_given_up_on_in_time() -> None:
    made = serving(forbids=lambda _name: "it would violate the pod's disruption budget")
    before = bare(made)

    state = made.play(plan())

    assert "disruption budget" in state.why
    assert made.writes.count("refused") > 3
    assert (made.writes[-1], bare(made)) == ("open", before)
    assert outcomes(state)["drained within its budgets"] == "not met"
    assert 30 < made.seconds < 60


def test_a_budget_that_allows_after_a_while_is_waited_for() -> None:
    made = serving()
    made.forbids = lambda _name: "not now" if made.seconds < 20 else ""

    assert outcomes(made.play(plan()))["drained within its budgets"] == "met"


def test_the_next_node_is_taken_when_the_first_serves_again() -> None:
    made = serving()
    state = made.play(plan(nodes=("a", "b")))

    assert made.writes == ["mark", "mark", "cordon", "evict", "open", "cordon", "evict", "evict", "open"]
    assert state.why == ""
    assert [move.node for move in state.moves] == ["a", "b", "b"]


def test_no_other_node_is_taken_while_a_pod_that_serves_has_no_successor() -> None:
    made = serving(replaces=False)
    before = bare(made)

    state = made.play(plan(nodes=("a", "b")))

    assert made.writes == ["mark", "mark", "cordon", "evict", "open", "unmark"]
    assert "no other node is taken" in state.why
    assert bare(made) == before


def test_work_without_cards_of_its_own_may_wait() -> None:
    made = world([node("a"), node("b")], [pod("p", "a", "scratch")], replaces=False)

    state = made.play(plan())

    assert outcomes(state)["work rescheduled"] == "unknown"
    assert made.seconds < plan().limits.ready


def other_drill(made: World) -> None:
    text = marks.Mark(drill="d2", kind="fault", pool="l40s", who="you:2", until=made.now.replace(year=2027)).text()
    made.nodes["b"]["metadata"]["annotations"][conventions.ANNOTATION_DRILL] = text


def strange(made: World) -> None:
    made.nodes["a"]["metadata"]["annotations"][conventions.ANNOTATION_DRILL] = "mine"


def unmark(made: World) -> None:
    if made.seconds >= 10:
        made.nodes["a"]["metadata"]["annotations"].clear()


TROUBLE: dict[str, tuple[Callable[[World], None], str, list[str]]] = {
    "another drill on the pool": (other_drill, "drill d2 of you:2 is on node b", []),
    "a note that nobody knows": (strange, "a note that is no drill's is on node a", []),
    "its note is taken off": (unmark, "somebody has taken the drill's note off node a", ["mark", "cordon", "open"]),
}


@pytest.mark.parametrize("name", TROUBLE)
def test_trouble_ends_a_drill(name: str) -> None:
    change, why, begun = TROUBLE[name]
    made = serving(before_look=change, forbids=lambda _name: "never")

    state = made.play(plan())

    assert why in state.why
    assert [one for one in made.writes if one != "refused"] == begun


def test_of_two_drills_that_begin_at_once_one_sees_the_other_and_goes_back() -> None:
    made = serving()

    def come(world_: World) -> None:
        if "mark" in world_.writes:
            other_drill(world_)

    made.before_look = come
    state = made.play(plan())

    assert made.writes == ["mark", "unmark"]
    assert "drill d2" in state.why


def test_a_person_who_opens_the_node_ends_the_drill_and_one_who_closes_it_anew_keeps_it_closed() -> None:
    def close_by_hand(made: World) -> None:
        if made.seconds >= 10:
            made.close("a", "kubectl-cordon")

    made = serving(before_look=close_by_hand, forbids=lambda _name: "never")
    state = made.play(plan())
    assert made.nodes["a"]["spec"]["unschedulable"] is True
    assert state.kept == ("a stays cordoned: kubectl-cordon did that",)

    opened = serving(forbids=lambda _name: "never")
    opened.before_look = lambda one: one.close("a", "kubectl", closed=False) if one.seconds >= 10 else None
    assert "somebody has opened node a" in opened.play(plan()).why


@pytest.mark.parametrize("kind", ["maintenance", "fault"])
@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.DONE])
def test_whenever_it_is_stopped_everything_is_taken_back(kind: str, phase: Phase) -> None:
    made = serving()
    before = bare(made)

    state = made.play(plan(kind, nodes=("a", "b")), lambda one: "Ctrl-C" if one.phase is phase else "")

    assert bare(made) == before
    assert conventions.ANNOTATION_DRILL not in json.dumps(bare(made))
    if phase not in (Phase.GIVE_BACK, Phase.ISOLATE):
        assert state.why == "Ctrl-C"


def test_signs_of_life_are_given_while_it_waits() -> None:
    made = serving(forbids=lambda _name: "never")
    limits = plan().limits
    made.play(plan(limits=type(limits)(budget=60, hold=20)))

    assert made.writes.count("mark") > 4


def test_a_symptom_that_nothing_reacts_to_is_named_in_what_was_not_met() -> None:
    symptom = pool().symptom
    deaf = type(symptom)(condition="GpuHealthy", healthy=True, isolates=False, alerts=False, why="No rule does.")
    state = serving(reacts=False).play(plan("fault", pool=pool(symptom=deaf)))

    found = {one.name: one for one in expectations(state)}
    assert found["isolated before any restart"].evidence == ("No rule does.",)
    assert found["alert fired"].outcome == "not met"


def heal(made: World) -> None:
    conditions = made.nodes["a"]["status"]["conditions"]
    conditions[1] = {"type": "GpuHealthy", "status": "True", "reason": "Fine"}


def test_a_reporter_that_always_writes_over_the_condition_wins() -> None:
    made = serving(forbids=lambda _name: "never")
    made.before_look = lambda one: heal(one) if one.nodes["a"]["spec"].get("taints") else None
    before = bare(made)

    state = made.play(plan("fault", limits=Limits(budget=1000, isolate=1000, hold=10_000)))

    assert "somebody says again and again that a is healthy" in state.why
    assert bare(made) == before


@pytest.mark.parametrize("kind", ["maintenance", "fault"])
def test_after_any_number_of_decisions_what_was_done_is_taken_back_by_its_own_and_by_its_notes(kind: str) -> None:
    """Its own way back, and that of a guardian that knows nothing but the notes on the nodes."""
    whole = serving()
    whole.play(plan(kind, nodes=("a", "b")))
    for number in range(len(whole.writes) + 1):
        stopped = serving()
        before = bare(stopped)
        stopped.play(plan(kind, nodes=("a", "b")), lambda _: "stopped" if len(stopped.writes) >= number else "")  # noqa: B023 - played at once
        assert bare(stopped) == before

        killed = serving()
        with contextlib.suppress(KilledError):
            killed.play(plan(kind, nodes=("a", "b")), lambda _: kill(killed, number))  # noqa: B023 - see above
        guard(killed)
        assert bare(killed) == before


class KilledError(Exception):
    """SIGKILL."""


def kill(made: World, number: int) -> str:
    if len(made.writes) >= number:
        raise KilledError
    return ""


def guard(made: World) -> None:
    """Take back by the notes, as the guardian does, until none is left."""
    for _ in range(10):
        for one in made.look().nodes.values():
            held = marks.read(one.mark) if one.mark else None
            if held:
                made.write(next(marks.take_back(one, held)))
    made.look()


def test_work_that_comes_back_only_when_the_node_does_was_not_rescheduled() -> None:
    made = world([node("a"), node("b")], [pod("p", "a", "nightly", owner="Job")], replaces=False)

    def come_back(now: World) -> None:
        if "open" in now.writes and "p'" not in now.pods:
            now.succeed(pod("p", "a", "nightly", owner="Job"))

    made.before_look = come_back
    state = made.play(plan())

    (move,) = state.moves
    assert (move.successor_node, move.ready_at is not None) == ("a", True)
    assert outcomes(state)["work rescheduled"] == "not met"
