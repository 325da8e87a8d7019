"""Quotas before and after, by cluster and tier, with the balance to the hardware."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final

from gpuplan.plan import Plan
from gpuplan.plan.parts import NOTHING, Balance, QuotaRow
from gpuplan.report.plans.parts import Section, Table
from gpuplan.report.plans.words import amount, cards, code, counted, decimal, number

NOUN: Final = ("quota row", "quota rows")
TITLE: Final = "Quotas"
NAMES: Final = ("TEAM", "TASK POOL", "SERVICE")

Cell = Callable[[QuotaRow], str]

ALWAYS: Final[dict[str, Cell]] = {
    "GUARANTEED": lambda row: amount(row.old.guaranteed, row.new.guaranteed, row.per_piece),
    "BORROWABLE": lambda row: amount(row.old.borrowable, row.new.borrowable, row.per_piece),
    "RECLAIMABLE": lambda row: amount(row.old.reclaimable, row.new.reclaimable, row.per_piece),
}
IF_CHANGED: Final[dict[str, tuple[str, Cell]]] = {
    "lent": ("LENDS", lambda row: amount(row.old.lent, row.new.lent, row.per_piece)),
    "weight": ("WEIGHT", lambda row: amount(row.old.weight, row.new.weight)),
}
"""Columns that only a change of theirs brings in."""


def sections(plan: Plan, *, full: bool) -> tuple[Section, ...]:
    """Return the section of quotas; none where no right and no capacity changes."""
    tables = tuple(_table(balance, _rows(plan, balance), full=full) for balance in plan.balances)
    return (Section(title=TITLE, noun=NOUN, blocks=tables),) if tables else ()


def _rows(plan: Plan, balance: Balance) -> list[QuotaRow]:
    place = (balance.cluster, balance.flavor, balance.resource)
    return [row for row in plan.quotas if (row.cluster, row.flavor, row.resource) == place]


def _table(balance: Balance, rows: Sequence[QuotaRow], *, full: bool) -> Table:
    shown = [row for row in rows if full or row.changed]
    columns = dict(ALWAYS)
    for field, (name, cell) in IF_CHANGED.items():
        if any(_other(row, field) for row in shown):
            columns[name] = cell
    return Table(
        title=_title(balance),
        header=(*NAMES, *columns),
        rows=tuple((*_owner(row), *(cell(row) for cell in columns.values())) for row in shown),
        right=frozenset(range(len(NAMES), len(NAMES) + len(columns))),
        after=tuple(_notes(balance, len(rows) - len(shown))),
    )


def _other(row: QuotaRow, field: str) -> bool:
    """Tell whether a lesser right changes by itself: what is lent follows the floor unless the spec says else."""
    old, new = getattr(row.old, field), getattr(row.new, field)
    follows = field == "lent" and (row.old.lent, row.new.lent) == (row.old.guaranteed, row.new.guaranteed)
    return old != new and not follows and NOTHING not in (row.old, row.new)


def _owner(row: QuotaRow) -> tuple[str, str, str]:
    was = f" (was {row.was_team})" if row.was_team else ""
    return (f"{row.team}{was}" if row.team else "(shared)", row.task_pool, row.service)


def _title(balance: Balance) -> str:
    tier = f" · tier {balance.tier}" if balance.tier else ""
    unit = "" if balance.per_piece is None or balance.per_piece == 1 else f" ({_unit(balance.per_piece)})"
    return f"{balance.cluster}{tier} · {balance.flavor} · {code(balance.resource)}{unit}"


def _unit(per_piece: Fraction) -> str:
    """Return what one piece is in cards."""
    return f"1 piece is {per_piece} of a card" if per_piece < 1 else f"1 piece is {cards(per_piece)}"


def _notes(balance: Balance, hidden: int) -> Iterator[str]:
    yield "owned / capacity: " + _changed(*(_share(balance, side) for side in (0, 1)))
    if balance.per_piece is not None and balance.per_piece != 1:
        yield "in cards: " + _changed(*(_in_cards(balance, balance.per_piece, side) for side in (0, 1)))
    yield "nobody's, for all who may borrow: " + _changed(*(number(rest) for rest in balance.rest))
    if hidden:
        yield f"{counted(hidden, 'unchanged row')} not shown"


def _changed(old: str, new: str) -> str:
    return old if old == new else f"{old} → {new}"


def _share(balance: Balance, side: int) -> str:
    owned, everything = balance.owned[side], balance.capacity[side]
    percent = f" ({100 * owned // everything} %)" if everything else ""
    return f"{owned:,} / {everything:,}{percent}"


def _in_cards(balance: Balance, per_piece: Fraction, side: int) -> str:
    return f"{decimal(balance.owned[side] * per_piece)} / {decimal(balance.capacity[side] * per_piece)}"
