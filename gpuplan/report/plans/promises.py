"""What floors are worth before and after: cards, whole nodes, and how their cards come back from those who borrow them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from gpuplan.plan.promise import Promise, Worth
from gpuplan.report.plans.parts import Section, Table
from gpuplan.report.plans.words import amount, code

NOUN: Final = ("promise", "promises")
TITLE: Final = "Promises: what floors are worth"
LEGEND: Final = {
    "SURE PODS": "sure pods: of the largest size of their task pool, with room for them if others are tidy",
    "WHOLE NODES": "whole nodes: free for it however others place what they hold by right",
    "IF TIDY": "if tidy: where large pods of others keep to their largest size",
    "EXPOSED": "exposed: lent to work that nobody may evict, and back only when that ends",
    "SLOWEST RETURN": "slowest return: the longest grace of those who have to give the rest back",
}
NOTHING: Final = "-"
MINUTE: Final = 60


def _seconds(worth: Worth) -> str:
    seconds = worth.returns_seconds
    if not seconds:
        return NOTHING
    return f"{seconds} s" if seconds % MINUTE or seconds < 2 * MINUTE else f"{seconds // MINUTE} min"


def _pods(promise: Promise) -> str:
    pods = amount(promise.old.pods, promise.new.pods)
    size = promise.new.pod or promise.old.pod
    return pods if pods == NOTHING or not size else f"{pods} x {size}"


def _slowest(promise: Promise) -> str:
    old, new = _seconds(promise.old), _seconds(promise.new)
    return new if old == new else f"{old} → {new}"


COLUMNS: Final[dict[str, Callable[[Promise], str]]] = {
    "CARDS": lambda one: amount(one.old.cards, one.new.cards),
    "SURE PODS": _pods,
    "WHOLE NODES": lambda one: amount(one.old.whole_nodes, one.new.whole_nodes),
    "IF TIDY": lambda one: amount(one.old.whole_nodes_if_tidy, one.new.whole_nodes_if_tidy),
    "LENT": lambda one: amount(one.old.lent, one.new.lent),
    "EXPOSED": lambda one: amount(one.old.exposed, one.new.exposed),
    "SLOWEST RETURN": _slowest,
}
NAMES: Final = ("QUEUE", "SERVICE")


def sections(promises: Sequence[Promise]) -> tuple[Section, ...]:
    """Return the section of promises that change, or whose queue's rights do; none where there are none."""
    worth = [promise for promise in promises if promise.old != promise.new or promise.new.pieces]
    columns = [name for name, cell in COLUMNS.items() if any(cell(promise) != NOTHING for promise in worth)]
    tables = [
        _table(place, list(rows), columns)
        for place, rows in groupby(worth, key=lambda one: (one.cluster, one.flavor, one.resource))
    ]
    if not tables:
        return ()
    tables[-1] = replace(tables[-1], after=tuple(LEGEND[name] for name in columns if name in LEGEND))
    return (Section(title=TITLE, noun=NOUN, blocks=tuple(tables)),)


def _table(place: tuple[str, str, str], rows: Sequence[Promise], columns: Sequence[str]) -> Table:
    cluster, flavor, resource = place
    return Table(
        title=f"{cluster} · {flavor} · {code(resource)}",
        header=(*NAMES, *columns),
        rows=tuple((row.queue, row.service, *(COLUMNS[name](row) for name in columns)) for row in rows),
        right=frozenset(range(len(NAMES), len(NAMES) + len(columns))),
    )
