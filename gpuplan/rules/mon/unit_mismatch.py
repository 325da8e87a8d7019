"""A recorded series whose name says another unit than its expression gives.

DCGM counts memory in MiB, clocks in MHz and most use in percent; a name that ends in a base unit promises bytes, hertz and a
ratio from 0 to 1. Dashboards and alerts that trust the name are wrong by the factor.

Source: NVIDIA/gpu-operator, its own recording rules; Prometheus, naming of metrics.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.alerting import Rule, rules
from gpuplan.inventory.metrics.promql import Binary, Node
from gpuplan.inventory.metrics.units import WORDS, Reader, Unit, expected, number
from gpuplan.inventory.metrics.uses import DCGM, MEMORY_PARTS, NVIDIA, lacks_vendor, surely_missing
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="mon/unit-mismatch",
    severity=Severity.ERROR,
    summary="A recorded series in another unit than its name says",
    why="Whoever reads the series by its name is wrong by the factor, or reads something else altogether.",
    fix="Scale the expression to the unit of the name, or name the series after the unit that it has.",
    bad="- {record: card_sm_clock_hertz, expr: DCGM_FI_DEV_SM_CLOCK}",
    good="- {record: card_sm_clock_hertz, expr: DCGM_FI_DEV_SM_CLOCK * 1000000}",
)
_CLOSE = 0.1
"""Part by which a scale may be off and still be a matter of taste: MB for MiB."""
_MEANT: tuple[tuple[str, str, str], ...] = (
    ("bytes", r"total|capacity|size", f"{MEMORY_PARTS} * 1048576"),
    ("bytes", r"free|available", "DCGM_FI_DEV_FB_FREE * 1048576"),
    ("bytes", r"", "DCGM_FI_DEV_FB_USED * 1048576"),
    ("hertz", r"mem", "DCGM_FI_DEV_MEM_CLOCK * 1000000"),
    ("hertz", r"", "DCGM_FI_DEV_SM_CLOCK * 1000000"),
    ("celsius", r"mem", "DCGM_FI_DEV_MEMORY_TEMP"),
    ("celsius", r"", "DCGM_FI_DEV_GPU_TEMP"),
    ("watts", r"", "DCGM_FI_DEV_POWER_USAGE"),
    ("joules", r"", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION / 1000"),
    ("ratio", r"mem|fb|vram", f"DCGM_FI_DEV_FB_USED / {MEMORY_PARTS}"),
    ("ratio", r"", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"),
)
"""(dimension, what the name has in it) -> what was probably meant; the first that fits."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each recorded series whose unit is sure and another than its name's."""
    found = tuple(rules(inventory))
    recorded = {rule.record: rule.expression.tree for rule in found if rule.record and rule.expression.tree is not None}
    reader = Reader(inventory.catalog, recorded)
    for rule in found:
        wanted, tree = expected(rule.record), rule.expression.tree
        if wanted is None or tree is None or not _speaks_of_cards(rule, recorded, inventory):
            continue
        unit = reader.unit(tree)
        if unit is not None and not _agree(unit, wanted, 1e-6) and _is_slip(unit, wanted):
            yield _finding(rule, unit, wanted, tree)


def _speaks_of_cards(rule: Rule, recorded: Mapping[str, Node], inventory: Inventory) -> bool:
    names = [selector.name for selector in rule.expression.selectors]
    fields = [name for name in names if DCGM.fullmatch(name) and name not in recorded]
    if lacks_vendor(inventory, NVIDIA) or any(surely_missing(name, inventory) for name in fields):
        return False
    return bool(fields) or any(name in recorded for name in names)


def _is_slip(unit: Unit, wanted: Unit) -> bool:
    """Tell whether a unit rather than a capacity, a price or a loss makes the difference.

    Somebody who multiplies by the bandwidth of a card has bytes; in another dimension only what nobody scaled is wrong, and in
    the same one what is off by powers of 10 and of 1024.
    """
    if unit[0] != wanted[0]:
        return any(_agree(unit, known, 1e-6) for known in WORDS.values())
    factor = unit[1] / wanted[1]
    tens = (math.log10(factor / 1024**step) for step in range(-3, 4))
    return any(abs(ten - round(ten)) < 1e-6 for ten in tens)


def _agree(unit: Unit, wanted: Unit, tolerance: float) -> bool:
    return unit[0] == wanted[0] and abs(unit[1] / wanted[1] - 1) <= tolerance


def _finding(rule: Rule, unit: Unit, wanted: Unit, tree: Node) -> Diagnostic:
    first = rule.expression.selectors[0]
    return DOC.found(
        f"`{rule.record}` says {_said(wanted)}, and its expression is in {_said(unit)}",
        at=rule.inside(first.at),
        severity=Severity.WARNING if _agree(unit, wanted, _CLOSE) else None,
        fix=f"Write `{_right(rule, unit, wanted, tree)}`.",
    )


def _said(unit: Unit) -> str:
    word = next(
        (word for word, known in WORDS.items() if known[0] == unit[0] and abs(known[1] / unit[1] - 1) < 1e-6), ""
    )
    return word.replace("_", " ") or f"{unit[0]} times {number(unit[1])}"


def _right(rule: Rule, unit: Unit, wanted: Unit, tree: Node) -> str:
    text = " ".join(rule.text.split())
    if unit[0] != wanted[0]:
        return next(
            (
                meant
                for dimension, named, meant in _MEANT
                if dimension == wanted[0] and re.search(named, rule.record.lower())
            ),
            text,
        )
    factor = unit[1] / wanted[1]
    whole = f"({text})" if isinstance(tree, Binary) else text
    return f"{whole} * {number(factor)}" if factor >= 1 else f"{whole} / {number(round(1 / factor, 6))}"
