"""A decision record as data: for each pool what is advised and why, what would change it, what it costs, and the first step."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from fractions import Fraction

from gpuplan.advise.case import Fact
from gpuplan.advise.costs import Costs
from gpuplan.advise.decide import RuledOut, Score
from gpuplan.advise.fixed import Fixed
from gpuplan.advise.measures import Measure
from gpuplan.advise.settings import Used
from gpuplan.advise.turns import Turn
from gpuplan.rules.judgement import Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Pools of one cluster of which all the same is said. `advised` is manual, operator or external."""

    cluster: str
    pools: tuple[str, ...]
    now: str
    advised: str
    total: Fraction
    """Weighted points; above 0 they speak for the operator, below it for scripts."""
    scores: tuple[Score, ...]
    ruled_out: tuple[RuledOut, ...]
    stuck: bool
    narrow: bool
    because: str
    """Why it is not what the points say, empty where it is."""
    judged: tuple[Judgement, ...]
    """How the operator goes together with the cluster, and with its driver image."""
    facts: tuple[Fact, ...]
    conditions: tuple[str, ...]
    """What has to be done or known before."""
    turns: tuple[Turn, ...]

    @property
    def moves(self) -> bool:
        """Whether the advice is another stack than today's."""
        return self.now != self.advised

    def fact(self, name: str) -> Fact:
        """Return a fact by name; an unknown one is a fault of ours and raises KeyError."""
        return {fact.name: fact for fact in self.facts}[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A question without an answer: what stands in for it, and how an answer would change the advice."""

    key: str
    asks: str
    assumed: str
    changes: tuple[str, ...]
    """Sentences; none where no answer turns any direction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One pool that changes its stack, and why it comes at its place in the order."""

    cluster: str
    pool: str
    nodes: int
    now: str
    to: str
    critical: str
    """What runs there that must not fail, empty where nothing does."""
    whole_cluster: tuple[str, ...]
    """Pools that have to move with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pilot:
    """The proof over one full upgrade cycle: on the first pool that moves, or in place where none does."""

    cluster: str
    pool: str
    now: str
    to: str
    """The stack of today where nothing moves: then it is a base line."""
    why: tuple[str, ...]
    split: int
    """Nodes to take out of the pool first, as a pool of their own; 0 where the pool moves as it is."""
    keep_off: tuple[str, ...]
    """Other pools of the cluster whose nodes the operator would serve meanwhile, unless a label keeps it off."""
    days: int
    """Length of the base line."""
    measures: tuple[Measure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """All of it, for one fleet on one day."""

    fleet: str
    date: datetime.date
    answers: str
    """Name of the answers file, empty where there is none."""
    groups: tuple[Group, ...]
    fixed: tuple[Fixed, ...]
    missing: tuple[Missing, ...]
    costs: Costs
    order: tuple[Move, ...]
    pilot: Pilot | None
    figures: tuple[Used, ...]
    """Every number that the record rests on."""

    @property
    def direction(self) -> str:
        """The direction of the pools that may choose: manual, operator, external or mixed; none where no pool may."""
        ways = {group.advised for group in self.groups}
        return ways.pop() if len(ways) == 1 else "mixed" if ways else "none"

    def advised(self, cluster: str, pool: str) -> str:
        """Return what is advised for a pool that may choose; any other raises KeyError."""
        for group in self.groups:
            if group.cluster == cluster and pool in group.pools:
                return group.advised
        raise KeyError((cluster, pool))
