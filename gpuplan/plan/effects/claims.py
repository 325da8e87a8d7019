"""Who may take cards back from whom, and what of a cut running work has to fear."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from gpuplan.plan.comparison import Comparison
from gpuplan.plan.evictions import may_evict
from gpuplan.plan.parts import Holding, QuotaRow

Place = tuple[str, str, str]
"""(cluster, flavor, resource)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Rights by place, as far as they decide what running work has to fear."""

    grown: Mapping[Place, tuple[QuotaRow, ...]]
    """Who holds more by right than before."""
    short: Mapping[Place, int]
    """Pieces of all cuts that are not left to nobody."""
    borrowers: Mapping[Place, tuple[QuotaRow, ...]]
    """Who may hold more than its own."""
    capacity: Mapping[Place, tuple[int, int]]
    """All pieces before and after."""
    pools: Mapping[tuple[Place, str], QuotaRow]
    """What shared task pools own, by place and task pool."""

    @classmethod
    def of(cls, comparison: Comparison) -> Claims:
        """Read them off the rows and balances."""
        grown: dict[Place, list[QuotaRow]] = defaultdict(list)
        borrowers: dict[Place, list[QuotaRow]] = defaultdict(list)
        cut: dict[Place, int] = defaultdict(int)
        for row in comparison.quotas:
            place, delta = place_of(row), row.new.guaranteed - row.old.guaranteed
            if delta > 0:
                grown[place].append(row)
            if row.team and borrows(row.new):
                borrowers[place].append(row)
            cut[place] += max(0, -delta)
        rest = {(one.cluster, one.flavor, one.resource): max(0, one.rest[1]) for one in comparison.balances}
        short = {place: max(0, pieces - rest.get(place, 0)) for place, pieces in cut.items()}
        return cls(
            grown={place: tuple(rows) for place, rows in grown.items()},
            short=short,
            borrowers={place: tuple(rows) for place, rows in borrowers.items()},
            capacity={(one.cluster, one.flavor, one.resource): one.capacity for one in comparison.balances},
            pools={(place_of(row), row.task_pool): row for row in comparison.quotas if not row.team},
        )

    def against(self, row: QuotaRow) -> tuple[int, tuple[str, ...]]:
        """Return the pieces of a cut that others may take from running work, and who they are."""
        place = place_of(row)
        claimants = [one for one in self.grown.get(place, ()) if may_evict(one.service, row.service)]
        gained = sum(one.new.guaranteed - one.old.guaranteed for one in claimants)
        pieces = min(row.old.guaranteed - row.new.guaranteed, self.short.get(place, 0), gained)
        return pieces, tuple(owner_name(one) for one in claimants) if pieces else ()

    def whole(self, row: QuotaRow) -> tuple[int | None, int | None]:
        """Return the most that a queue without floor can ever hold, before and after: its pool, or all that there is."""
        pool = self.pools.get((place_of(row), row.task_pool))
        if pool is not None:
            return most(pool.old), most(pool.new)
        return self.capacity.get(place_of(row), (0, 0))

    def rivals(self, row: QuotaRow) -> tuple[QuotaRow, ...]:
        """Return the others who may have borrowed what an owner gets."""
        return tuple(one for one in self.borrowers.get(place_of(row), ()) if one is not row)


def place_of(row: QuotaRow) -> Place:
    """Return where a right is."""
    return row.cluster, row.flavor, row.resource


def most(holding: Holding) -> int | None:
    """Return all that an owner may hold at once; None is without end."""
    return None if holding.borrowable is None else holding.guaranteed + holding.borrowable


def borrows(holding: Holding) -> bool:
    """Tell whether an owner may hold more than its own."""
    return holding.borrowable != 0 or holding.reclaimable != 0


def owner_name(row: QuotaRow) -> str:
    """Return what people call the owner of a right."""
    return f"queue {row.queue}" if row.team else f"task pool {row.task_pool}"
