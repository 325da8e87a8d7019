"""What shared task pools own as a whole, and how teams share it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gpuplan.model.queues import Service
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.effects.claims import Claims, most
from gpuplan.plan.effects.quotas import flavors_of, in_use, parts, queue_changes
from gpuplan.plan.parts import NOTHING, Effect, Holding, ObjectChange, QuotaRow, Risk
from gpuplan.plan.quotas import task_pool_of

Pool = tuple[str, str]
"""(cluster, task pool)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A shared task pool of a cluster: what it owns by flavor, and its teams' rows."""

    cluster: str
    name: str
    owned: tuple[QuotaRow, ...]
    members: tuple[QuotaRow, ...]
    changes: tuple[ObjectChange, ...]
    """Of its cohort and its queues."""

    @property
    def teams(self) -> tuple[str, ...]:
        """Teams that have a queue in it on both sides, sorted."""
        return tuple(sorted({row.team for row in self.members if NOTHING not in (row.old, row.new)}))

    def effect(self, fact: str, risk: Risk, summary: str, teams: tuple[str, ...] = (), cards: int = 0) -> Effect:
        """Return an effect on this pool."""
        return Effect(
            fact=fact,
            risk=risk,
            cluster=self.cluster,
            subject=f"task pool {self.name}",
            summary=f"task pool {self.name}: {summary}",
            objects=reading.refs(self.changes),
            causes=reading.causes(self.changes),
            teams=teams,
            cards=cards,
        )


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what changes for shared task pools that both sides have."""
    claims = Claims.of(comparison)
    for pool in _pools(comparison):
        yield from _owned(pool, claims, comparison)
        yield from _borrowed(pool)
        yield from _fair_shares(pool)


def _pools(comparison: Comparison) -> Iterator[Shared]:
    owned: dict[Pool, list[QuotaRow]] = defaultdict(list)
    members: dict[Pool, list[QuotaRow]] = defaultdict(list)
    for row in comparison.quotas:
        if row.service == Service.SHARED.value:
            (members if row.team else owned)[row.cluster, row.task_pool].append(row)
    changes: dict[Pool, list[ObjectChange]] = defaultdict(list)
    for change in reading.changes(comparison, "Cohort"):
        changes[change.ref.cluster or "", task_pool_of(reading.sides(change))].append(change)
    for (cluster, _, pool), change in queue_changes(comparison).items():
        changes[cluster, pool].append(change)
    for (cluster, name), touching in changes.items():
        cohort = next((one for one in touching if one.ref.key.kind == "Cohort"), None)
        if owned[cluster, name] and (cohort is None or (cohort.before and cohort.after)):
            both = {*flavors_of(cohort.before)} & {*flavors_of(cohort.after)} if cohort else set()
            yield Shared(
                cluster=cluster,
                name=name,
                owned=tuple(row for row in owned[cluster, name] if row.flavor in both or not cohort),
                members=tuple(members[cluster, name]),
                changes=tuple(touching),
            )


def _owned(pool: Shared, claims: Claims, comparison: Comparison) -> Iterator[Effect]:
    cut = [row for row in pool.owned if row.new.guaranteed < row.old.guaranteed]
    grown = [row for row in pool.owned if row.new.guaranteed > row.old.guaranteed]
    if cut:
        prey = [claims.against(row) for row in cut]
        taken = sum(pieces for pieces, _ in prey)
        told = [*_used(pool, cut, comparison), "the cut itself evicts nobody" if taken else "nobody is evicted"]
        if taken:
            takers = reading.listed(name for _, names in prey for name in names)
            told.append(f"but {taken} of what runs are only borrowed from then on: {takers} may take them back")
        over = sum(max(0, row.old.guaranteed - (most(row.new) or 0)) for row in cut)
        told += [f"its teams get nothing more until {over} are free"] if over else []
        summary = f"owns {parts(cut, _nominal)}; {', '.join(told)}"
        cards = sum(reading.in_cards(row.old.guaranteed - row.new.guaranteed, row.per_piece) for row in cut)
        yield pool.effect("quota/pool-cut", Risk.DISRUPTIVE if taken else Risk.LOW, summary, pool.teams, cards)
    if grown:
        lent = any(row for one in grown for row in claims.rivals(one) if row.task_pool != pool.name)
        summary = f"owns {parts(grown, _nominal)}" + ("; who borrows them loses them when a team asks" if lent else "")
        yield pool.effect("quota/pool-grown", Risk.LOW if lent else Risk.NONE, summary)


def _used(pool: Shared, cut: Sequence[QuotaRow], comparison: Comparison) -> list[str]:
    """Return what all its teams use now of what is cut, where somebody looked."""
    places = {(row.flavor, row.resource) for row in cut}
    used = [
        in_use(comparison, pool.cluster, row.was_queue, row)
        for row in pool.members
        if (row.flavor, row.resource) in places and row.old != NOTHING
    ]
    known = [pieces for pieces in used if pieces is not None]
    return [f"{sum(known)} in use now"] if known and len(known) == len(used) else []


def _nominal(holding: Holding) -> int:
    return holding.guaranteed


def _borrowed(pool: Shared) -> Iterator[Effect]:
    rows = [row for row in pool.owned if row.old.borrowable != row.new.borrowable]
    if rows:
        number: Callable[[Holding], int | None] = lambda holding: holding.borrowable  # noqa: E731  # one word
        fewer = any((most(row.old) or 0) > (most(row.new) or 0) for row in rows if most(row.new) is not None)
        summary = f"may borrow {parts(rows, number)} beyond what it owns"
        yield pool.effect(
            "quota/pool-borrow-changed", Risk.LOW if fewer else Risk.NONE, summary, pool.teams if fewer else ()
        )


def _fair_shares(pool: Shared) -> Iterator[Effect]:
    """Yield how teams' shares move, where they do; a team loses if it is by a card or more."""
    old = _shares({row.was_team or row.team: row.old.weight for row in pool.members if row.old != NOTHING})
    new = _shares({row.team: row.new.weight for row in pool.members if row.new != NOTHING})
    names = {row.team: row.was_team or row.team for row in pool.members}
    moved = {
        team: (old[names[team]], share)
        for team, share in new.items()
        if names[team] in old and old[names[team]] != share
    }
    if not moved:
        return
    cards = sum((row.new.guaranteed * row.per_piece for row in pool.owned if row.per_piece is not None), Fraction(0))
    losing = tuple(sorted(team for team, (was, will) in moved.items() if (was - will) * cards >= 1))
    told = reading.listed(f"{team} {_percent(was)} → {_percent(will)}" for team, (was, will) in sorted(moved.items()))
    come = reading.listed(sorted(set(new) - {team for team in new if names[team] in old}))
    gone = reading.listed(sorted(set(old) - {names[team] for team in new}))
    because = [*([f"{come} joins"] if come else []), *([f"{gone} leaves"] if gone else [])]
    summary = f"fair share of {told}" + (f", since {' and '.join(because)}" if because else "")
    yield pool.effect("quota/fair-share", Risk.LOW if losing else Risk.NONE, summary, losing)


def _shares(weights: Mapping[str, int]) -> dict[str, Fraction]:
    total = sum(weights.values())
    return {team: Fraction(weight, total) for team, weight in weights.items()} if total else {}


def _percent(share: Fraction) -> str:
    return f"{round(share * 100)} %"
