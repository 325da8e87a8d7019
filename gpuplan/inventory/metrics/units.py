"""Units of PromQL: what an expression is in, and what the name of a recorded series says it is in.

A unit is a dimension and a scale: a value of 1 is so many of the dimension's base unit, so MiB are `("bytes", 1048576)`. An
expression whose unit is not sure has none: nothing is said of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from gpuplan.catalog import Catalog, dcgm_fields
from gpuplan.inventory.metrics.promql import (
    COMPARISONS,
    Aggregation,
    Binary,
    Call,
    Negated,
    Node,
    Number,
    Selector,
    Subquery,
)
from gpuplan.inventory.metrics.uses import field

Unit: TypeAlias = tuple[str, float]

WORDS: Final[Mapping[str, Unit]] = {
    "bytes": ("bytes", 1.0),
    "kibibytes": ("bytes", 1024.0),
    "mebibytes": ("bytes", 1048576.0),
    "gibibytes": ("bytes", 1073741824.0),
    "hertz": ("hertz", 1.0),
    "megahertz": ("hertz", 1e6),
    "ratio": ("ratio", 1.0),
    "percent": ("ratio", 0.01),
    "celsius": ("celsius", 1.0),
    "seconds": ("seconds", 1.0),
    "milliseconds": ("seconds", 1e-3),
    "nanoseconds": ("seconds", 1e-9),
    "watts": ("watts", 1.0),
    "milliwatts": ("watts", 1e-3),
    "joules": ("joules", 1.0),
    "millijoules": ("joules", 1e-3),
    "bytes_per_second": ("bytes/seconds", 1.0),
}
"""Words for units, of the catalogue and in the names of series."""
_MORE_WORDS: Final = {"mib": "mebibytes", "gib": "gibibytes", "mhz": "megahertz"}
_OPERATION: Final = re.compile(
    r"(ir|r)ate\d*\w*|increase\d*\w*|deriv\w*|count\w*|sum_over_time\w*|stdvar\w*|changes\w*"
)
"""Last parts of a recorded name (`level:metric:operation`) that change what it is in."""
_ENDINGS: Final = re.compile(r"_(total|sum|max|min|avg|mean|p\d+|used|free|limit)$")
_KEEP: Final = frozenset({"sum", "avg", "min", "max", "topk", "bottomk", "quantile", "stddev", "limitk", "limit_ratio"})
"""Aggregations that stay in the unit of their input."""
_FUNCTIONS_KEEP: Final = frozenset(
    {
        "abs",
        "ceil",
        "floor",
        "round",
        "clamp",
        "clamp_min",
        "clamp_max",
        "sort",
        "sort_desc",
        "label_replace",
        "label_join",
    }
    | {f"{what}_over_time" for what in ("avg", "min", "max", "last", "first", "quantile", "stddev", "mad")}
    | {"delta", "idelta", "increase", "sort_by_label", "sort_by_label_desc", "scalar", "vector"}
)
_PER_SECOND: Final = {"joules": "watts", "seconds": "ratio", "bytes": "bytes/seconds"}
_INFO: Final = re.compile(r".*[_:](info|labels|owner)|kube_(pod|node|namespace)_(labels|annotations|info)")
"""Series that are 1 and only carry labels: joining them changes no value."""


def expected(record: str) -> Unit | None:
    """Return the unit that a recorded name says; of several the last, None where none or an operation says otherwise.

    >>> expected("card_memory_used_bytes"), expected("node:gpu_temperature_celsius:max"), expected("node:gpu_bytes:rate5m")
    (('bytes', 1.0), ('celsius', 1.0), None)
    """
    parts = record.split(":")
    if _OPERATION.fullmatch(parts[-1]) and len(parts) > 1:
        return None
    found = [unit for unit in map(_of_part, parts) if unit is not None]
    return found[-1] if found else None


def _of_part(part: str) -> Unit | None:
    bare = part.lower()
    while (shorter := _ENDINGS.sub("", bare)) != bare:
        bare = shorter
    if bare.endswith("_per_second"):
        return None
    word = bare.rpartition("_")[2]
    return WORDS.get(_MORE_WORDS.get(word, word))


@dataclass(frozen=True, slots=True)
class Reader:
    """Tells the units of expressions: by the catalogue, and by the rules that record what they read."""

    catalog: Catalog
    recorded: Mapping[str, Node]
    """Expressions by the name that they are recorded under."""

    def unit(self, node: Node | None, depth: int = 0) -> Unit | None:
        """Return what an expression is in; None where that is not sure."""
        match node:
            case Selector():
                return self._of_metric(node.name, depth)
            case Subquery() | Negated():
                return self.unit(node.of, depth)
            case Aggregation():
                return self.unit(node.of, depth) if node.op in _KEEP else None
            case Call():
                return self._of_call(node, depth)
            case Binary():
                return self._of_binary(node, depth)
        return None

    def _of_metric(self, name: str, depth: int) -> Unit | None:
        row = field(name, self.catalog)
        if name in dcgm_fields.load().unsettled:
            return None
        if row is not None:
            return WORDS.get(row.unit)
        fields = dcgm_fields.load()
        if name in fields.ids:
            return WORDS.get(fields.units.get(fields.ids[name], ""))
        told = expected(name)
        if told is not None or name not in self.recorded or depth > _DEEPEST:
            return told if not name.endswith(("_bucket", "_count", "_info")) else None
        return self.unit(self.recorded[name], depth + 1)

    def _of_call(self, node: Call, depth: int) -> Unit | None:
        arguments = [arg for arg in node.args if not isinstance(arg, Number)]
        inner = self.unit(arguments[0], depth) if arguments else None
        if node.name in _FUNCTIONS_KEEP:
            return inner
        if node.name in ("rate", "irate", "deriv") and inner is not None:
            per_second = _PER_SECOND.get(inner[0])
            return (per_second, inner[1]) if per_second else None
        return None

    def _of_binary(self, node: Binary, depth: int) -> Unit | None:
        left, right = self.unit(node.left, depth), self.unit(node.right, depth)
        if node.by_bool:
            return None
        if node.op in COMPARISONS or node.op in ("and", "unless"):
            return right if isinstance(node.left, Number) or constant(node.left) is not None else left
        if node.op == "or":
            return left if _same(left, right) else None
        if node.op in ("+", "-"):
            return self._added(node, left, right)
        if node.op in ("*", "/"):
            return self._scaled(node, left, right)
        return None

    def _added(self, node: Binary, left: Unit | None, right: Unit | None) -> Unit | None:
        if constant(node.right) is not None:
            return left
        if constant(node.left) is not None:
            return right
        return left if _same(left, right) else None

    def _scaled(self, node: Binary, left: Unit | None, right: Unit | None) -> Unit | None:
        by, of = constant(node.right), constant(node.left)
        if by is not None and left is not None:
            return _times(left, by if node.op == "*" else 1 / by if by else 0)
        if of is not None and right is not None:
            return _times(right, of) if node.op == "*" else None
        if node.op == "/" and left is not None and right is not None and left[0] == right[0] and right[1]:
            return "ratio", left[1] / right[1]
        if node.op == "*":
            return left if _is_info(node.right) else right if _is_info(node.left) else _product(left, right)
        return None


_DEEPEST: Final = 20
_SMALLEST: Final = 1e-30


def _times(unit: Unit, factor: float) -> Unit | None:
    """Return the unit of values that were multiplied; None where no unit is scaled so far, or below nothing."""
    if not (math.isfinite(factor) and factor > 0):
        return None
    scale = unit[1] / factor
    return (unit[0], scale) if _SMALLEST < scale < 1 / _SMALLEST else None


def _product(left: Unit | None, right: Unit | None) -> Unit | None:
    if left is None or right is None:
        return None
    for one, other in ((left, right), (right, left)):
        if one == ("ratio", 1.0):
            return other
    return None


def _is_info(node: Node) -> bool:
    while isinstance(node, Aggregation):
        node = node.of
    if isinstance(node, Binary) and (node.op in COMPARISONS or node.op in ("and", "unless")):
        node = node.left
    return isinstance(node, Selector) and _INFO.fullmatch(node.name) is not None


def constant(node: Node) -> float | None:
    """Return the number that an expression of numbers alone gives."""
    if isinstance(node, Number):
        return node.value
    if not isinstance(node, Binary):
        return None
    left, right = constant(node.left), constant(node.right)
    if left is None or right is None:
        return None
    try:
        return _ARITHMETIC[node.op](left, right) if node.op in _ARITHMETIC else None
    except (ZeroDivisionError, OverflowError, ValueError):
        return None


_ARITHMETIC: Final = {
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "^": math.pow,
}


def _same(left: Unit | None, right: Unit | None) -> bool:
    return (
        left is not None and right is not None and left[0] == right[0] and math.isclose(left[1], right[1], rel_tol=1e-6)
    )


def number(value: float) -> str:
    """Return a number as people write it in PromQL.

    >>> number(1048576.0), number(0.01)
    ('1048576', '0.01')
    """
    whole = math.isfinite(value) and value == int(value) and abs(value) < 1e15
    return str(int(value)) if whole else f"{value:g}"
