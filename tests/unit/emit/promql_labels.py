"""Which labels the answer of an expression has, as far as it can be told without data; mistakes in labels found on the way."""

from __future__ import annotations

import promql_parser as promql

from gpuplan import catalog
from gpuplan.emit.monitoring import series

EXTERNAL = "cluster"
"""A label that whoever gathers several clusters adds to everything."""
OURS = {one.name: frozenset((*one.labels, EXTERNAL)) for one in series.ALL}
SCRAPED = frozenset(
    {"node", "pool", "namespace", "pod", "container", "gpu", "UUID", "GPU_I_ID", "GPU_I_PROFILE", EXTERNAL}
)
"""Labels of everything that the exporters of cards serve, by the scrape contract."""
SERVED = frozenset({"namespace", "pod", "task_pool", EXTERNAL})
"""Labels of everything that engines serve, by the same."""
OTHERS = {
    "ALERTS": frozenset({"alertname", "alertstate", "severity", "team", "namespace", "node", EXTERNAL}),
    **{name: frozenset((*one.labels, *SCRAPED)) for name, one in catalog.load().metrics.items()},
    **{name: frozenset((*one.labels, *SERVED)) for name, one in catalog.load().serving.metrics.items()},
}
NO_LABELS: frozenset[str] = frozenset()


class LabelError(AssertionError):
    """An expression uses a label that what it is used on does not have."""


def labels(expr: promql.Expr) -> frozenset[str]:
    """Return the labels of an expression's answer. Raises `LabelError`."""
    if isinstance(expr, promql.VectorSelector):
        known = OURS.get(expr.name or "") or OTHERS.get(expr.name or "") or SCRAPED
        return _need(known, {matcher.name for matcher in expr.matchers.matchers}, expr)
    if isinstance(expr, promql.MatrixSelector):
        return labels(expr.vector_selector)
    if isinstance(expr, promql.AggregateExpr):
        return _aggregated(expr)
    if isinstance(expr, promql.BinaryExpr):
        return _joined(expr)
    if isinstance(expr, promql.Call):
        inner = [labels(argument) for argument in expr.args if not isinstance(argument, promql.StringLiteral)]
        return frozenset().union(*inner)
    if isinstance(expr, (promql.ParenExpr, promql.UnaryExpr, promql.SubqueryExpr)):
        return labels(expr.expr)
    return NO_LABELS


def _need(had: frozenset[str], wanted: set[str], where: object) -> frozenset[str]:
    if wanted - had:
        raise LabelError(f"{sorted(wanted - had)} not among {sorted(had)}: {where}")
    return had


def _aggregated(expr: promql.AggregateExpr) -> frozenset[str]:
    inner = labels(expr.expr)
    if expr.modifier is None:
        return NO_LABELS
    named = set(expr.modifier.labels)
    _need(inner, named, expr)
    return frozenset(named) if expr.modifier.type == promql.AggModifierType.By else inner - named


def _joined(expr: promql.BinaryExpr) -> frozenset[str]:
    left, right = labels(expr.lhs), labels(expr.rhs)
    if isinstance(expr.rhs, promql.NumberLiteral):
        return left
    if isinstance(expr.lhs, promql.NumberLiteral):
        return right
    on = set(expr.modifier.matching.labels) if expr.modifier and expr.modifier.matching else set()
    _need(left, on, expr)
    _need(right, on, expr)
    operator = str(expr.op)
    if operator == "or":
        return left | right
    if operator in ("and", "unless"):
        return left
    if expr.modifier and expr.modifier.card == promql.VectorMatchCardinality.ManyToOne:
        added = set(expr.modifier.group_labels or ())
        _need(right, added, expr)
        return left | added
    if not on and left != right:
        raise LabelError(f"{sorted(left)} joined with {sorted(right)}: {expr}")
    return frozenset(on) if on else left
