"""Reads rules as Prometheus would, with nothing but what a cluster exports: which labels an answer has, and what can go wrong.

A parser's tree is walked once. Every metric must be known to the `World` of the cluster, every label must be on what it is
used on, every range must be long enough for how often the metric is sampled, and every join must have one row for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import promql_parser as promql

Labels = frozenset[str]
NONE: Labels = frozenset()
SET_OPERATORS = ("and", "or", "unless")
COMPARISONS = ("==", "!=", ">", "<", ">=", "<=")
LATCHES = ("DCGM_FI_DEV_XID_ERRORS",)
"""What keeps the last bad value for ever: it says nothing of now."""
NOT_EVERYWHERE = re.compile(
    "double_exponential_smoothing|first_over_time|histogram_(avg|stddev|stdvar)|holt_winters|info|limitk|limit_ratio"
    "|mad_over_time|sort_by_label(_desc)?|ts_of_.*"
)
"""Functions that either Prometheus 2.42 or 3 does not have."""
KEEP_ROWS = ("topk", "bottomk")
KEEP_LEFT = ("and", "unless", *COMPARISONS)


@dataclass(frozen=True, slots=True)
class Metric:
    """What a cluster's Prometheus has: its labels, seconds between samples, and whether each label set is there once.

    `unique` are our own series, which bear one row for each set of labels by how they are recorded.
    """

    labels: Labels
    seconds: int
    unique: bool = False
    follower: bool = False
    """Whether replicas that follow serve it, too."""


@dataclass(slots=True)
class World:
    """The metrics of a cluster, by name."""

    metrics: Mapping[str, Metric]
    mistakes: list[str] = field(default_factory=list)

    def wrong(self, what: str, where: object) -> None:
        self.mistakes.append(f"{what}: {str(where)[:300]}")

    def need(self, had: Labels, wanted: Iterable[str], where: object) -> None:
        missing = set(wanted) - had
        if missing:
            self.wrong(f"label {', '.join(sorted(missing))} not among {', '.join(sorted(had))}", where)


def read(world: World, expression: str) -> Labels:
    """Return the labels of an expression's answer; mistakes go to the world."""
    try:
        tree = promql.parse(expression)
    except ValueError as broken:
        world.wrong(str(broken), expression)
        return NONE
    return _labels(world, tree)


def names_read(expression: str) -> set[str]:
    """Return the names of all metrics that an expression reads."""
    return {node.name or "" for node in _walked(promql.parse(expression)) if isinstance(node, promql.VectorSelector)}


def _walked(tree: promql.Expr) -> Iterator[promql.Expr]:
    found: list[promql.Expr] = []
    promql.walk(tree, found.append)
    for node in found:
        yield node
        if isinstance(node, promql.MatrixSelector):
            yield node.vector_selector


def _labels(world: World, node: promql.Expr) -> Labels:
    match node:
        case promql.VectorSelector():
            return _selected(world, node)
        case promql.MatrixSelector():
            metric = world.metrics.get(node.vector_selector.name or "")
            _long_enough(world, node.range, metric.seconds if metric else 0, node.vector_selector)
            return _selected(world, node.vector_selector)
        case promql.SubqueryExpr():
            _long_enough(world, node.range, int(node.step.total_seconds()) if node.step else 60, node.expr)
            return _labels(world, node.expr)
        case promql.AggregateExpr():
            return _aggregated(world, node)
        case promql.BinaryExpr():
            return _joined(world, node)
        case promql.Call():
            return _called(world, node)
        case promql.ParenExpr() | promql.UnaryExpr():
            return _labels(world, node.expr)
    return NONE


def _long_enough(world: World, spans: timedelta | None, seconds: int, where: object) -> None:
    if spans and spans.total_seconds() < 4 * seconds:
        world.wrong(f"a range of {spans} is shorter than four samples", where)


def _selected(world: World, node: promql.VectorSelector) -> Labels:
    name = node.name or ""
    if name in LATCHES:
        world.wrong(f"{name} is a latch", node)
    if node.matchers.or_matchers or node.at:
        world.wrong("a selector that Prometheus 2.42 does not know", node)
    metric = world.metrics.get(name)
    if metric is None:
        world.wrong(f"{name} is not exported here", node)
        return NONE
    world.need(metric.labels, (matcher.name for matcher in node.matchers.matchers), node)
    if metric.follower and not any(
        (matcher.name, str(matcher.op), matcher.value) == ("replica_role", "MatchOp.NotEqual", "follower")
        for matcher in node.matchers.matchers
    ):
        world.wrong("replicas that follow are not left out", node)
    return metric.labels


def _aggregated(world: World, node: promql.AggregateExpr) -> Labels:
    inner = _labels(world, node.expr)
    named = frozenset(node.modifier.labels) if node.modifier else NONE
    without = bool(node.modifier and node.modifier.type != promql.AggModifierType.By)
    if not without:
        world.need(inner, named, node)
    if str(node.op) in KEEP_ROWS:
        return inner
    return inner - named if without else named


def _called(world: World, node: promql.Call) -> Labels:
    name = node.func.name
    if node.func.experimental or NOT_EVERYWHERE.fullmatch(name):
        world.wrong(f"not every Prometheus has {name}()", node)
    vectors = [_labels(world, one) for one in node.args if not isinstance(one, promql.StringLiteral)]
    inner = NONE.union(*vectors)
    if name == "label_replace":
        _, target, _, source, _ = node.args
        if source.val:
            world.need(inner, [source.val], node)
        return inner | {target.val}
    if name == "histogram_quantile":
        world.need(inner, ["le"], node)
        return inner - {"le"}
    return NONE if name in ("scalar", "vector", "time", "absent", "absent_over_time") else inner


def _joined(world: World, node: promql.BinaryExpr) -> Labels:
    left, right = _labels(world, node.lhs), _labels(world, node.rhs)
    operator = str(node.op)
    if _scalar(node.rhs) or _scalar(node.lhs):
        if operator == "/" and not _scalar(node.rhs):
            world.wrong("a division by what may be 0", node)
        return left | right
    matching = node.modifier.matching if node.modifier else None
    on = frozenset(matching.labels) if matching else None
    if on is not None:
        world.need(left, on, node)
        world.need(right, on, node)
    if operator in SET_OPERATORS:
        return left | right if operator == "or" else left
    if operator in ("/", "%") and not _never_zero(node.rhs):
        world.wrong("a division by what may be 0", node)
    return _matched(world, node, left, right, on)


def _matched(world: World, node: promql.BinaryExpr, left: Labels, right: Labels, on: Labels | None) -> Labels:
    """Both sides must have one row for each set of the labels that they are matched by, but the many of a group."""
    card = node.modifier.card if node.modifier else promql.VectorMatchCardinality.OneToOne
    if card == promql.VectorMatchCardinality.OneToOne:
        if on is None and left != right:
            world.wrong(f"label {', '.join(sorted(left ^ right))} is on one side only", node)
        if on is not None and not (_unique(world, node.lhs) and _unique(world, node.rhs)):
            world.wrong("a join of what may be there twice", node)
        return left if on is None else on
    to_one = card == promql.VectorMatchCardinality.ManyToOne
    many, one, node_of_one = (left, right, node.rhs) if to_one else (right, left, node.lhs)
    added = frozenset(node.modifier.group_labels or ()) if node.modifier else NONE
    world.need(one, added, node)
    if not _unique(world, node_of_one):
        world.wrong("a join with what may be there twice", node)
    return many | added


def _scalar(node: promql.Expr) -> bool:
    match node:
        case promql.NumberLiteral():
            return True
        case promql.ParenExpr() | promql.UnaryExpr():
            return _scalar(node.expr)
        case promql.BinaryExpr():
            return _scalar(node.lhs) and _scalar(node.rhs)
        case promql.Call():
            return bool(node.func.return_type == promql.ValueType.Scalar)
    return False


def _never_zero(node: promql.Expr) -> bool:
    """Tell whether a comparison leaves out 0."""
    match node:
        case promql.ParenExpr():
            return _never_zero(node.expr)
        case promql.BinaryExpr():
            if str(node.op) in (">", ">=") and _scalar(node.rhs) and not (node.modifier and node.modifier.return_bool):
                return True
            return _never_zero(node.lhs) and (str(node.op) in KEEP_LEFT or _never_zero(node.rhs))
        case promql.AggregateExpr():
            return str(node.op) == "count" or _never_zero(node.expr)
        case promql.Call():
            return bool(node.func.name in ("label_replace", "count_over_time") and _never_zero(node.args[0]))
    return False


def _unique(world: World, node: promql.Expr) -> bool:
    """Tell whether each set of labels is there once, however many exporters and replicas there are."""
    match node:
        case promql.AggregateExpr():
            return str(node.op) not in KEEP_ROWS or _unique(world, node.expr)
        case promql.VectorSelector():
            metric = world.metrics.get(node.name or "")
            return metric is None or metric.unique
        case promql.MatrixSelector():
            return _unique(world, node.vector_selector)
        case promql.ParenExpr() | promql.UnaryExpr() | promql.SubqueryExpr():
            return _unique(world, node.expr)
        case promql.Call():
            return all(_unique(world, one) for one in node.args if not _plain(one))
        case promql.BinaryExpr():
            sides = [side for side in (node.lhs, node.rhs) if not _scalar(side)]
            return all(_unique(world, side) for side in sides) or (
                str(node.op) in ("and", "unless") and _unique(world, node.lhs)
            )
    return False


def _plain(node: object) -> bool:
    return isinstance(node, promql.StringLiteral) or (isinstance(node, promql.Expr) and _scalar(node))
