"""A threshold in another unit than the metric that it is held against.

A ratio from 0 to 1 is never above 90, and memory in MiB is never below a thousand million: the alert never fires, or always.

Source: NVIDIA/dcgm-exporter etc/dcp-metrics-included.csv; Prometheus, naming of metrics.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.alerting import Rule, rules
from gpuplan.inventory.metrics.promql import COMPARISONS, Aggregation, Binary, Call, Node, Selector, walk
from gpuplan.inventory.metrics.units import WORDS, Reader, Unit, constant, number
from gpuplan.inventory.metrics.uses import DCGM, NVIDIA, lacks_vendor, recorded, surely_missing
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="mon/threshold-unit",
    severity=Severity.ERROR,
    summary="A threshold in another unit than its metric",
    why="No value of the metric is near the threshold: the condition never holds, or always.",
    fix="Write the threshold in the unit of the metric.",
    bad="- {alert: CardIdle, expr: DCGM_FI_PROF_GR_ENGINE_ACTIVE < 5}",
    good="- {alert: CardIdle, expr: DCGM_FI_PROF_GR_ENGINE_ACTIVE < 0.05}",
)
_OTHERS: tuple[tuple[str, float, float, str, float], ...] = (
    ("ratio", 2, 100, "percent", 0.01),
    ("mebibytes", 2**27, math.inf, "bytes", 1 / 1048576),
    ("megahertz", 1e5, math.inf, "hertz", 1e-6),
    ("watts", 5e4, 1e7, "milliwatts", 1e-3),
)
"""Unit of a metric -> thresholds (from, to) that no card comes near, the unit of these, and the factor to the metric's."""
_HUNDRED = 100
_LEAST_FRACTION = 0.5
_ADDING = frozenset({"sum", "count", "sum_over_time", "count_over_time", "increase", "rate", "irate", "delta", "deriv"})


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such threshold."""
    if lacks_vendor(inventory, NVIDIA):
        return
    made = recorded(inventory)
    reader = Reader(inventory.catalog, {})
    for rule in rules(inventory):
        tree = rule.expression.tree
        for node in walk(tree) if tree is not None else ():
            if isinstance(node, Binary) and node.op in COMPARISONS:
                yield from _judged(rule, node, reader, made, inventory)


def _judged(
    rule: Rule, node: Binary, reader: Reader, made: frozenset[str], inventory: Inventory
) -> Iterator[Diagnostic]:
    for side, other in ((node.left, node.right), (node.right, node.left)):
        bound, unit, fields = (
            constant(other),
            reader.unit(side),
            [one for one in walk(side) if isinstance(one, Selector)],
        )
        if bound is not None and 1 < bound <= _HUNDRED and (part := _part_of_whole(side)) is not None:
            yield DOC.found(
                f"{number(bound)} is in percent, and a part of a whole, as this of `{part.name}`, is 1 at most",
                at=rule.inside(part.at),
                fix=f"Write `{number(bound / _HUNDRED)}`.",
            )
            continue
        known = all(DCGM.fullmatch(one.name) and one.name not in made for one in fields)
        if bound is None or unit is None or not fields or not known or _adds(side):
            continue
        right = _right(unit, bound) or (_fraction(unit, bound) if _above(node, side) else None)
        if right is not None and not any(surely_missing(one.name, inventory) for one in fields):
            yield DOC.found(
                f"{number(bound)} is in {right[0]}, and `{fields[0].name}` is in {_word(unit)}",
                at=rule.inside(fields[0].at),
                fix=f"Write `{number(right[1])}`.",
            )


def _right(unit: Unit, bound: float) -> tuple[str, float] | None:
    """Return the unit of a threshold and what it is in the metric's; None where it may be meant."""
    for word, low, high, other, factor in _OTHERS:
        if WORDS[word] == unit and low <= bound <= high:
            return other, bound * factor
    return None


def _fraction(unit: Unit, bound: float) -> tuple[str, float] | None:
    """Return the same of a fraction that percents are to be above: every card with anything to do is above 0.9 percent."""
    meant = WORDS["percent"] == unit and _LEAST_FRACTION <= bound < 1
    return ("ratio", bound * _HUNDRED) if meant else None


def _above(node: Binary, side: Node) -> bool:
    """Tell whether a comparison holds for values of a side above the other."""
    return node.op in ((">", ">=") if side is node.left else ("<", "<="))


def _part_of_whole(side: Node) -> Selector | None:
    """Return a metric that is divided by a sum with itself in it, as of used and free memory: no value is above 1."""
    while isinstance(side, Aggregation) and side.op not in _ADDING:
        side = side.of
    if not isinstance(side, Binary) or side.op != "/" or not isinstance(side.left, Selector):
        return None
    part = side.left
    same = (one for one in _summands(side.right) if isinstance(one, Selector) and _alike(one, part))
    return part if any(True for _ in same) and isinstance(side.right, Binary) else None


def _summands(node: Node) -> Iterator[Node]:
    if isinstance(node, Binary) and node.op == "+":
        yield from _summands(node.left)
        yield from _summands(node.right)
    else:
        yield node


def _alike(one: Selector, other: Selector) -> bool:
    said = [{(m.label, m.op, m.value) for m in each.matchers} for each in (one, other)]
    return one.name == other.name and said[0] == said[1]


def _word(unit: Unit) -> str:
    return next(word for word, known in WORDS.items() if known == unit)


def _adds(side: Node) -> bool:
    """Tell whether values of several cards, or of several moments, are added up."""
    for node in walk(side):
        if isinstance(node, Aggregation) and node.op in _ADDING:
            return True
        if isinstance(node, Call) and node.name in _ADDING:
            return True
        if isinstance(node, Binary) and node.op in ("*", "/", "+"):
            return True
    return False
