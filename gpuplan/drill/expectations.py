"""What a drill expects, and whether it came so: met, not met, or unknown, with times and evidence."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from gpuplan.drill.following import must_be_ready
from gpuplan.drill.plan import ALERT
from gpuplan.drill.seen import KILLED
from gpuplan.drill.state import Move, Record, State
from gpuplan.words import counted

Outcome = Literal["met", "not met", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """One thing that a fleet promises of its nodes. `subject` is the node; `summary` one line without a period."""

    name: str
    subject: str
    outcome: Outcome
    summary: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a drill came to. `why` says why it was broken off; `kept` what a person has changed meanwhile, which stays."""

    state: State
    expectations: tuple[Expectation, ...]
    began_at: datetime.datetime
    ended_at: datetime.datetime
    left: tuple[str, ...] = ()
    """Nodes that could not be taken back: `gpuplan drill clean-up` does it."""

    @property
    def failed(self) -> bool:
        """Whether something was not met, or the drill was broken off."""
        return bool(self.state.why or self.left) or any(one.outcome == "not met" for one in self.expectations)


def expectations(state: State) -> tuple[Expectation, ...]:
    """Return what became of each expectation on each node that was reached, in the order in which they are due."""
    made: list[Expectation] = []
    for name in state.plan.nodes:
        record = state.records.get(name)
        if record and record.closed_at:
            moves = tuple(move for move in state.moves if move.node == name)
            made += [judge(state, record, moves) for judge in _EXPECTED[state.plan.kind]]
    return tuple(made)


def _isolated(state: State, record: Record, _moves: tuple[Move, ...]) -> Expectation:
    name, symptom = "isolated before any restart", state.plan.pool.symptom
    if record.isolated_at is None:
        seconds = f"{state.plan.limits.isolate:.0f} s after {symptom.condition} said that it is broken"
        why = (
            (symptom.why,)
            if not symptom.isolates
            else ("the rule is rendered: does the controller run, and select it?",)
        )
        return _made(name, record, "not met", f"the node was still open to new pods {seconds}", why)
    after = _seconds(record.closed_at, record.isolated_at)
    summary = f"{record.isolated_by}, after {after}"
    if record.restarted:
        return _made(name, record, "not met", f"{summary}, but first {record.restarted}")
    healed = (
        (f"whoever reports {symptom.condition} wrote over it, {counted(record.healed, 'time')}",)
        if record.healed
        else ()
    )
    return _made(name, record, "met", summary, (f"nothing on {record.name} had started anew", *healed))


def _alert(state: State, record: Record, _moves: tuple[Move, ...]) -> Expectation:
    name, symptom = "alert fired", state.plan.pool.symptom
    if not symptom.alerts:
        return _made(
            name, record, "not met", f"no rendered alert watches condition {symptom.condition}", (symptom.why,)
        )
    if not state.plan.watches_alert:
        return _made(name, record, "unknown", "no Prometheus was named to be asked", ("name it with --prometheus",))
    return _due(state, record, name, record.alerted_at, "is the rule loaded, and kube-state-metrics scraped?")


def _received(state: State, record: Record, _moves: tuple[Move, ...]) -> Expectation:
    name = "alert reached Alertmanager"
    if not state.plan.pool.symptom.alerts or not state.plan.watches_receipt:
        return _made(name, record, "unknown", "no Alertmanager was asked", ("name it with --alertmanager",))
    return _due(state, record, name, record.received_at, "is Prometheus told where it is?")


def _due(state: State, record: Record, name: str, at: datetime.datetime | None, look: str) -> Expectation:
    if at:
        return _made(name, record, "met", f"{ALERT} after {_seconds(record.closed_at, at)}")
    if state.why:
        return _made(name, record, "unknown", "the drill was broken off before the alert was due")
    return _made(name, record, "not met", f"no {ALERT} within {state.plan.limits.alert:.0f} s", (look,))


def _drained(state: State, record: Record, moves: tuple[Move, ...]) -> Expectation:
    name = "drained within its budgets"
    if record.drained_at is None:
        if record.isolated_at is None:
            return _made(name, record, "unknown", "not tried, since the node was never isolated")
        refusal = (state.refusal,) if state.refusal else ()
        return _made(name, record, "not met", state.why or "it was not drained", refusal)
    evidence = tuple(f"{move.pod} ended after {_seconds(move.evicted_at, move.gone_at)}" for move in moves)
    took = _seconds(record.isolated_at, record.drained_at)
    return _made(name, record, "met", f"{counted(len(moves), 'pod')} evicted in {took}", evidence)


def _serving(state: State, record: Record, moves: tuple[Move, ...]) -> Expectation:
    name = "serving ready before the next node"
    serving = [move for move in moves if (move.pod.namespace, move.pod.queue) in state.plan.pool.stateful]
    if not serving:
        return _made(name, record, "unknown", "no pod of a stateful task pool was on the node")
    late = [move for move in serving if not in_time(record, move)]
    if late:
        return _made(
            name, record, "not met", f"{len(late)} of {len(serving)} have no successor that is ready", _lines(late)
        )
    longest = max(move.without_seconds or 0.0 for move in serving)
    return _made(name, record, "met", f"each had a ready successor after at most {longest:.0f} s", _lines(serving))


def _rescheduled(state: State, record: Record, moves: tuple[Move, ...]) -> Expectation:
    name = "work rescheduled"
    if record.isolated_at is None:
        return _made(name, record, "unknown", "not tried, since the node was never isolated")
    if not moves:
        return _made(name, record, "unknown", "no pod that a drain takes was on the node")
    owned = [move for move in moves if move.pod.owner]
    late = [move for move in owned if not in_time(record, move)]
    must = [move for move in late if must_be_ready(state, move)]
    if must:
        return _made(
            name,
            record,
            "not met",
            f"{len(must)} of {counted(len(owned), 'pod')} without a successor that is ready",
            _lines(late),
        )
    if late:
        summary = f"{len(late)} of {counted(len(owned), 'pod')} waiting, with no cards of their own to claim"
        return _made(name, record, "unknown", summary, _lines(late))
    return _made(name, record, "met", f"of {counted(len(owned), 'pod')} all run again", _lines(moves))


def in_time(record: Record, move: Move) -> bool:
    """Whether a pod had a ready successor elsewhere while the node was away; one that waited for the node had none."""
    opened = record.opened_at
    return (
        move.ready_at is not None and (opened is None or move.ready_at <= opened) and move.successor_node != record.name
    )


def _sessions(state: State, record: Record, moves: tuple[Move, ...]) -> Expectation:
    name = "no session lost"
    serving = [move for move in moves if (move.pod.namespace, move.pod.queue) in state.plan.pool.stateful]
    if not serving:
        return _made(name, record, "unknown", "no pod of a stateful task pool was on the node")
    found = [(move, *lost(move)) for move in serving]
    evidence = tuple(f"{move.pod}: {why}" for move, _, why in found)
    known = [count for _, count, _ in found if count is not None]
    if any(known):
        return _made(name, record, "not met", f"{counted(sum(known), 'request')} cut off", evidence)
    if len(known) < len(found):
        return _made(name, record, "unknown", f"of {counted(len(found) - len(known), 'pod')} nobody knows", evidence)
    return _made(name, record, "met", f"{counted(len(found), 'pod')} handed over", evidence)


def lost(move: Move) -> tuple[int | None, str]:
    """Return how many requests were lost with a pod, None where nobody knows, and how that is known.

    A pod that ends by itself within its grace has done what its preStop hook waits for. One that is killed at the end of it
    loses what still ran in it, which only its engine's own metric tells.
    """
    took = (move.gone_at - move.evicted_at).total_seconds() if move.gone_at else None
    running = "" if move.requests is None else f", {counted(move.requests, 'request')} in it when it was last seen"
    if move.requests == 0:
        return 0, "no request ran in it when it was last seen"
    killed = KILLED in move.exit_codes or (took is not None and took >= move.pod.grace_seconds > 0)
    if killed:
        return (
            move.requests,
            f"killed after {took or 0:.0f} s, grace {move.pod.grace_seconds} s{running or ', nobody knows what ran in it'}",
        )
    if move.exit_codes:
        return (
            0,
            f"ended by itself within its grace of {move.pod.grace_seconds} s, exit code {move.exit_codes[0]}{running}",
        )
    return None, f"gone after {took or 0:.0f} s of {move.pod.grace_seconds} s; its exit was not seen{running}"


def _returned(_state: State, record: Record, _moves: tuple[Move, ...]) -> Expectation:
    name = "node returned"
    if record.returned_at:
        cards = ", ".join(f"{amount} {one}" for one, amount in sorted(record.allocatable.items()) if "/" in one)
        summary = f"Ready and open {_seconds(record.opened_at, record.returned_at)} after it was given back"
        return _made(name, record, "met", summary, (f"it offers {cards}",) if cards else ())
    if record.opened_at is None:
        return _made(name, record, "unknown", "the drill was broken off before it was looked at")
    return _made(name, record, "not met", record.missing or "it was not seen")


_Judge = Callable[[State, Record, tuple[Move, ...]], Expectation]
_EXPECTED: dict[str, tuple[_Judge, ...]] = {
    "maintenance": (_drained, _serving, _rescheduled, _sessions, _returned),
    "fault": (_isolated, _alert, _received, _drained, _rescheduled, _sessions, _returned),
}


def _lines(moves: Iterable[Move]) -> tuple[str, ...]:
    return tuple(_line(move) for move in moves)


def _line(move: Move) -> str:
    if not move.pod.owner:
        return f"{move.pod}: nobody makes it anew"
    if move.ready_at and move.successor_node == move.node:
        after = _seconds(move.evicted_at, move.ready_at)
        return f"{move.pod} → {move.successor}, on the same node when that was back, after {after}"
    if move.ready_at:
        where = f" on {move.successor_node}" if move.successor_node else ""
        return f"{move.pod} → {move.successor}{where}, ready after {_seconds(move.evicted_at, move.ready_at)}"
    if move.successor:
        return (
            f"{move.pod} → {move.successor}, not ready: {move.successor_waits or 'it runs on ' + move.successor_node}"
        )
    return f"{move.pod}: {move.pod.owner_kind} {move.pod.owner_name} has made no other"


def _made(name: str, record: Record, outcome: Outcome, summary: str, evidence: tuple[str, ...] = ()) -> Expectation:
    return Expectation(name=name, subject=record.name, outcome=outcome, summary=summary, evidence=evidence)


def _seconds(start: datetime.datetime | None, end: datetime.datetime | None) -> str:
    return f"{(end - start).total_seconds():.0f} s" if start and end else "an unknown time"


def moves_of(state: State) -> Iterator[tuple[Move, int | None]]:
    """Yield each pod that was moved, with the requests that were lost with it (None: nobody knows)."""
    for move in state.moves:
        stateful = (move.pod.namespace, move.pod.queue) in state.plan.pool.stateful
        yield move, lost(move)[0] if stateful else 0
