"""Views of a bill: its amounts by team, pool or cost centre, with what is nobody's as lines of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from gpuplan.cost.asking import What
from gpuplan.cost.bill import Bill, added
from gpuplan.cost.ledger import Amount, Key

By = Literal["team", "pool", "costCenter"]
RowKind = Literal["owner", "noTeam", "unallocated", "total"]
OF_TEAMS = (What.RESERVED, What.ALLOCATED, What.USED, What.IDLE, What.BORROWED)
OF_POOLS = (What.CAPACITY, What.ALLOCATED, What.USED, What.IDLE, What.NO_TEAM, What.UNALLOCATED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line. `names` belong to the view's columns; amounts that a line does not have are absent."""

    kind: RowKind
    names: tuple[str, ...]
    amounts: Mapping[What, Amount]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Rows in one currency, owners first (the largest amount on top), the total last."""

    by: By
    currency: str
    columns: tuple[str, ...]
    whats: tuple[What, ...]
    rows: tuple[Row, ...]

    @property
    def total(self) -> Row:
        """The last row."""
        return self.rows[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """What a view shows: its columns of names, its amounts, and the names that own an amount."""

    columns: tuple[str, ...]
    whats: tuple[What, ...]
    owner: Callable[[Key], str | tuple[str, str]]
    second: Callable[[Key], str]
    """The other column of names, of which an owner may have several."""


SHAPES: Mapping[By, _Shape] = {
    "team": _Shape(
        columns=("team", "costCenter"),
        whats=OF_TEAMS,
        owner=lambda key: key.team,
        second=lambda key: key.cost_center,
    ),
    "costCenter": _Shape(
        columns=("costCenter", "teams"),
        whats=OF_TEAMS,
        owner=lambda key: key.cost_center,
        second=lambda key: key.team,
    ),
    "pool": _Shape(
        columns=("pool", "cluster"),
        whats=OF_POOLS,
        owner=lambda key: (key.place, key.cluster),
        second=lambda key: key.cluster,
    ),
}


def view(bill: Bill, by: By, currency: str) -> View:
    """Return one view of a bill, in one of its currencies."""
    shape = SHAPES[by]
    amounts = {key: amount for key, amount in bill.amounts.items() if key.currency == currency}
    owners = _pools(shape, amounts) if by == "pool" else _teams(shape, amounts)
    rows = sorted(owners, key=lambda row: _rank(row, shape.whats))
    rest = () if by == "pool" else _rest(amounts)
    return View(
        by=by,
        currency=currency,
        columns=shape.columns,
        whats=shape.whats,
        rows=(*rows, *rest, _total(shape.whats, by, amounts)),
    )


def _teams(shape: _Shape, amounts: Mapping[Key, Amount]) -> list[Row]:
    of_teams = {key: amount for key, amount in amounts.items() if key.team}
    return list(_grouped(shape, of_teams))


def _pools(shape: _Shape, amounts: Mapping[Key, Amount]) -> list[Row]:
    """Return the pools; what is reserved and borrowed is of tiers, and no pool's."""
    return list(_grouped(shape, {key: amount for key, amount in amounts.items() if key.what in OF_POOLS}))


def _grouped(shape: _Shape, amounts: Mapping[Key, Amount]) -> Iterable[Row]:
    owners: dict[str | tuple[str, str], dict[Key, Amount]] = {}
    for key, amount in amounts.items():
        owners.setdefault(shape.owner(key), {})[key] = amount
    for owner, own in owners.items():
        others = ", ".join(sorted({shape.second(key) for key in own} - {""}))
        first = owner if isinstance(owner, str) else owner[0]
        yield Row(kind="owner", names=(first, others), amounts=_sums(own, shape.whats))


def _sums(amounts: Mapping[Key, Amount], whats: Iterable[What]) -> dict[What, Amount]:
    return {what: added(amount for key, amount in amounts.items() if key.what is what) for what in whats}


def _rest(amounts: Mapping[Key, Amount]) -> tuple[Row, Row]:
    """Return the lines of what pods of no team held, and of what nobody held."""
    found = _sums(amounts, (What.NO_TEAM, What.UNALLOCATED))
    return (
        Row(kind="noTeam", names=("", ""), amounts={What.ALLOCATED: found[What.NO_TEAM]}),
        Row(kind="unallocated", names=("", ""), amounts={What.ALLOCATED: found[What.UNALLOCATED]}),
    )


def _total(whats: tuple[What, ...], by: By, amounts: Mapping[Key, Amount]) -> Row:
    """Return the last line. By team and cost centre the lines of the column ALLOCATED add up to all cards' price."""
    sums = _sums(amounts, whats)
    if by != "pool":
        whole = _sums(amounts, (What.ALLOCATED, What.NO_TEAM, What.UNALLOCATED))
        sums[What.ALLOCATED] = added(whole.values())
    return Row(kind="total", names=("", ""), amounts=sums)


def _rank(row: Row, whats: tuple[What, ...]) -> tuple[object, ...]:
    first = row.amounts[What.CAPACITY if What.CAPACITY in whats else What.ALLOCATED]
    return (-first.money, -first.hours, row.names)
