"""Which stack for whom: dimensions scored from stated facts, each with its reason, and the pilot that proves the choice.

A pool that may choose is a `Case` of plain facts (`gather`), judged by nine dimensions and by what rules a way out
(`dimensions`, `decide`); the same function, asked again with one fact changed, says what would turn the answer (`turns`).
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from gpuplan.advise.case import Fact
from gpuplan.advise.conditions import conditions
from gpuplan.advise.costs import costs
from gpuplan.advise.decide import Direction, direction
from gpuplan.advise.dimensions import against_operator
from gpuplan.advise.fixed import fixed
from gpuplan.advise.gather import Member, members
from gpuplan.advise.missing import missing
from gpuplan.advise.pilot import order, pilot
from gpuplan.advise.record import Group, Record
from gpuplan.advise.settings import Settings, settings
from gpuplan.advise.turns import turns
from gpuplan.catalog import advice
from gpuplan.model.answers import Answers
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.words import in_a_row


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decided:
    """A pool with its direction, and the stack that is advised with the reason where the points do not say it alone."""

    member: Member
    made: Direction
    advised: str
    because: str = ""


def advise(fleet: Fleet, answers: Answers, date: datetime.date, answers_file: str = "") -> Record:
    """Return the decision record of a fleet; `answers_file` is how it names the file of the answers."""
    chosen = settings(answers)
    decided = _together([_decided(one, chosen) for one in members(fleet, answers)])
    served = {one.member.cluster.name for one in decided if one.advised == "operator"}
    groups = tuple(_groups(decided, chosen, served))
    advised = [(one.member, one.advised) for one in decided]
    moves = order(advised, chosen)
    return Record(
        fleet=fleet.name,
        date=date,
        answers=answers_file,
        groups=groups,
        fixed=fixed(fleet),
        missing=missing(answers, groups),
        costs=costs(fleet, answers, chosen, [one.member.case for one in decided]),
        order=moves,
        pilot=pilot(fleet, advised, moves, chosen),
        figures=tuple(chosen.used.values()),
    )


def _decided(member: Member, chosen: Settings) -> _Decided:
    made = direction(member.case, chosen)
    preferred = advice.read().preferred.get(member.cluster.distribution)
    if preferred and preferred.advise == "external" and member.case.now == "manual":
        return _Decided(member=member, made=made, advised="external", because=f"{preferred.says} ({preferred.source})")
    if made.ruled_out and not made.stuck:
        why = "; ".join(one.why for one in made.ruled_out if one.way != made.way)
        return _Decided(member=member, made=made, advised=made.way, because=why)
    return _Decided(member=member, made=made, advised=made.way)


def _together(decided: Sequence[_Decided]) -> list[_Decided]:
    """Let manual MIG pools follow where another pool of the cluster is advised the operator: they cannot stay beside it."""
    served: dict[str, list[str]] = {}
    for one in decided:
        if one.advised == "operator":
            served.setdefault(one.member.cluster.name, []).append(one.member.pool.name)
    return [_following(one, served.get(one.member.cluster.name, [])) for one in decided]


def _following(one: _Decided, served: Sequence[str]) -> _Decided:
    if not served or one.advised != "manual" or one.member.pool.sharing.mode is not SharingMode.MIG:
        return one
    names = in_a_row([f"`{name}`" for name in served])
    if any(out.way == "operator" for out in one.made.ruled_out):
        why = f"{one.because}; and no MIG pool can stay on scripts beside the operator of {names}: it needs a cluster of its own"
        return replace(one, because=why)
    why = f"the operator serves {names} in this cluster, and takes away the labels by which a MIG manager of ours works"
    return replace(one, advised="operator", because=f"{why} (rule `mig/beside-operator`)")


def _groups(decided: Sequence[_Decided], chosen: Settings, served: Collection[str]) -> Iterator[Group]:
    """Yield one group for all pools of a cluster of which the same is said, in the order of the fleet."""
    alike: dict[object, list[_Decided]] = {}
    for one in decided:
        key = (one.member.cluster.name, one.member.case, one.advised, one.because)
        alike.setdefault(repr(key), []).append(one)
    for ones in alike.values():
        yield _group(ones, chosen, beside=ones[0].member.cluster.name in served)


def _group(ones: Sequence[_Decided], chosen: Settings, *, beside: bool) -> Group:
    first = ones[0]
    case, made = first.member.case, first.made
    return Group(
        cluster=first.member.cluster.name,
        pools=tuple(one.member.pool.name for one in ones),
        now=case.now,
        advised=first.advised,
        total=made.total,
        scores=made.scores,
        ruled_out=made.ruled_out,
        stuck=made.stuck,
        narrow=made.narrow,
        because=first.because,
        judged=against_operator(case),
        facts=tuple(_joined([one.member for one in ones])),
        conditions=tuple(conditions(case, made, first.advised, chosen, beside=beside)),
        turns=turns(case, chosen) if first.advised == made.way else (),
    )


def _joined(ones: Sequence[Member]) -> Iterator[Fact]:
    """Yield each fact once, with its places in all pools; what differs in words is said for each."""
    for name, fact in ones[0].facts.items():
        same = [one.facts[name] for one in ones]
        says = "; ".join(dict.fromkeys(one.says for one in same))
        at = tuple(dict.fromkeys(span for one in same for span in one.at))
        yield replace(fact, says=says, at=at)
