"""From a case to a direction: what is ruled out, then the sum of the weighted points, and the stack of today where it is 0."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from gpuplan.advise.case import Case, Way
from gpuplan.advise.dimensions import DIMENSIONS, Points, against_operator
from gpuplan.advise.settings import Settings
from gpuplan.rules.judgement import Verdict as Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The points of one dimension, times its weight."""

    dimension: str
    weight: Fraction
    made: Points

    @property
    def total(self) -> Fraction:
        """Weighted points; above 0 they speak for the operator."""
        return self.weight * self.made.points


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledOut:
    """A way that cannot be gone, why, and what would open it."""

    way: Way
    why: str
    opens: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """What is advised for a case. `stuck` where both ways are ruled out: the stack of today stays, and people must decide."""

    way: Way
    total: Fraction
    scores: tuple[Score, ...]
    ruled_out: tuple[RuledOut, ...]
    stuck: bool

    @property
    def narrow(self) -> bool:
        """Whether the points alone hardly decide it."""
        return not self.ruled_out and abs(self.total) < NARROW


NARROW = 2
"""A sum below this is a narrow one: one dimension judged otherwise turns it."""


def direction(case: Case, settings: Settings) -> Direction:
    """Decide for one pool."""
    scores = tuple(
        Score(dimension=name, weight=settings.of(f"weights.{name}"), made=dimension.judge(case, settings))
        for name, dimension in DIMENSIONS.items()
    )
    total = sum((score.total for score in scores), start=Fraction(0))
    out = ruled_out(case)
    closed = {one.way for one in out}
    stuck = closed == {"manual", "operator"}
    way: Way = case.now if total == 0 else "operator" if total > 0 else "manual"
    if stuck:
        way = case.now
    elif way in closed:
        way = "operator" if way == "manual" else "manual"
    return Direction(way=way, total=total, scores=scores, ruled_out=out, stuck=stuck)


def ruled_out(case: Case) -> tuple[RuledOut, ...]:
    """Return the ways that cannot be gone, none of which depends on how many nodes there are."""
    found: list[RuledOut] = []
    if case.claims:
        why = "its pods claim devices (DRA), which the operator's device plugin would give away a second time"
        found.append(RuledOut(way="operator", why=why, opens="`exposure: devicePlugin`", facts=("exposure",)))
    if case.privileged == "forbidden":
        why = "privileged pods are forbidden, and the operator's driver, toolkit and validation run as such"
        found.append(
            RuledOut(way="operator", why=why, opens="an exception for the operator's namespace", facts=("privileged",))
        )
    for cell in against_operator(case):
        if cell.verdict is Cell.BAD:
            opens = "`driver: {preinstalled: true}`" if cell is case.image else "another version"
            why = f"the operator does not work here: {cell.here}, {cell.known}"
            found.append(RuledOut(way="operator", why=why, opens=opens, facts=("versions", "driver")))
    if case.manual_trouble:
        found.append(
            RuledOut(way="manual", why=case.manual_trouble, opens="another distribution", facts=("distribution",))
        )
    return tuple(found)
