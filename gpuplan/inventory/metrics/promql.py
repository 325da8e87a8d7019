"""PromQL: an expression as a tree of ours, with the place of each metric's name, and what a parser has against it.

promql-parser follows Prometheus' own parser (docs/decisions/0019); it gives no positions, so the text is also scanned
(`promql_scan`), which finds names in expressions that do not parse, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import promql_parser as parser

from gpuplan.inventory.metrics.promql_scan import Seen, depth, scan

COMPARISONS: Final = frozenset({"==", "!=", ">", "<", ">=", "<="})
_OPERATORS: Final = {"MatchOp.Equal": "=", "MatchOp.NotEqual": "!=", "MatchOp.Re": "=~", "MatchOp.NotRe": "!~"}
"""By the parser's spelling: its values are not hashable."""
DEEPEST: Final = 150
"""Brackets inside each other and operators of an expression that is read; the parser's stack is not without end, nor is ours."""
_OF_SOME_VERSIONS: Final = re.compile(
    r"unknown function with name '(holt_winters|\w*_info|label_\w+|rollup\w*|\w+_over_time|range_\w+|running_\w+"
    r"|keep_\w+_value|interpolate|increase_pure|alias|union|sum2|smooth_\w+|remove_resets|ru|now|step|lag|tlast_\w+)'"
    r"|\S*:\S* is not valid label in grouping opts"
    r"|bad number or duration syntax: [\w.]*_\w*"
    r"|unexpected character inside brackets: '[-+*/%^(]'"
)
"""What Prometheus of another version than the parser's takes, or VictoriaMetrics: not wrong for that."""
_KEYWORDS: Final = re.compile(r"\b(anchored|smoothed|fill|fill_left|fill_right)\b")
"""Words that are keywords since some version, and names of metrics before."""
_UNSURE: Final = re.compile(r"invalid syntax|invalid promql query$")
"""Messages that say nothing of the cause."""


@dataclass(frozen=True, slots=True)
class Matcher:
    """A condition on a label; `op` is `=`, `!=`, `=~` or `!~`. `at` is its value's offset in the text, -1 if unknown."""

    label: str
    op: str
    value: str
    at: int = -1


@dataclass(frozen=True, slots=True)
class Number:
    """A number that is written."""

    value: float


@dataclass(frozen=True, slots=True)
class Text:
    """A string that is written."""

    value: str


@dataclass(frozen=True, slots=True)
class Selector:
    """Series by a metric's name, empty where only labels tell; `at` is the offset of the name in the text.

    `seconds` is the range, None for the newest sample of each series.
    """

    name: str
    matchers: tuple[Matcher, ...]
    at: int
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Subquery:
    """An expression over a range."""

    of: Node


@dataclass(frozen=True, slots=True)
class Aggregation:
    """`sum by (labels) (of)`; `by` is None where no grouping is written, and `excluded` tells of `without`."""

    op: str
    of: Node
    labels: tuple[str, ...] | None
    excluded: bool


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments."""

    name: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Binary:
    """Two sides with an operator; `by_bool` for comparisons that give 0 and 1.

    `matching` are the labels of `on`, None where none is written; `many` tells whether a side is joined to many (`group_left`).
    """

    op: str
    left: Node
    right: Node
    by_bool: bool
    matching: tuple[str, ...] | None
    many: bool


@dataclass(frozen=True, slots=True)
class Negated:
    """A minus before an expression."""

    of: Node


Node: TypeAlias = Number | Text | Selector | Subquery | Aggregation | Call | Binary | Negated


@dataclass(frozen=True)
class Expression:
    """An expression: what it says, or why it does not parse."""

    text: str
    tree: Node | None
    """None where it does not parse, and where it is nested too deep to be looked at."""
    problem: str
    """The parser's message; empty where it parses."""

    @cached_property
    def seen(self) -> tuple[Seen, ...]:
        """The metrics that its text names, in order, whether or not it parses."""
        return scan(self.text)

    @property
    def of_some_versions(self) -> bool:
        """Whether what does not parse here may well parse in another version of Prometheus."""
        return bool(_OF_SOME_VERSIONS.search(self.problem) or _KEYWORDS.search(self.text))

    @cached_property
    def selectors(self) -> tuple[Selector, ...]:
        """The series that it reads, in the order of the text; by scanning where it does not parse."""
        if self.tree is not None:
            return tuple(node for node in walk(self.tree) if isinstance(node, Selector))
        return tuple(Selector(one.name, _matchers(one), one.at) for one in self.seen)


def read(text: str) -> Expression:
    """Read an expression.

    >>> [one.name for one in read('avg by (pod) (rate(a[5m])) / b{c="d"} > 5').selectors]
    ['a', 'b']
    >>> read("a and 128 != bool 0").problem
    "set operator 'and' not allowed in binary scalar expression"
    """
    if depth(text) > DEEPEST:
        return Expression(text, None, "")
    try:
        parsed = parser.parse(text)
    except ValueError as refused:
        return Expression(text, None, _said(str(refused)))
    return Expression(text, _Converter(text).node(parsed), "")


def canonical(text: str) -> str:
    """Return an expression in one spelling: what differs only in blanks, quotes and units is then equal.

    Prometheus spells the rules that it has loaded in a way of its own. What does not parse
    keeps its own, with single blanks.

    >>> canonical("sum(rate(a{b='c'}[60m])) by (x)")
    'sum by (x) (rate(a{b="c"}[1h]))'
    """
    if depth(text) <= DEEPEST:
        try:
            return " ".join(parser.parse(text).prettify().split())
        except ValueError:
            pass
    return " ".join(text.split())


def _said(message: str) -> str:
    line = " ".join(message.split())
    return "it is no expression of PromQL" if _UNSURE.fullmatch(line) else line


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and everything in it, in the order of the text."""
    yield node
    for child in children(node):
        yield from walk(child)


def children(node: Node) -> tuple[Node, ...]:
    """Return what stands directly in a node."""
    match node:
        case Subquery() | Aggregation() | Negated():
            return (node.of,)
        case Call():
            return node.args
        case Binary():
            return (node.left, node.right)
    return ()


def _matchers(seen: Seen) -> tuple[Matcher, ...]:
    return tuple(Matcher(*one) for one in seen.matchers)


class _Converter:
    """The parser's tree to ours. Selectors come in the order of the text, which gives them their places."""

    def __init__(self, text: str) -> None:
        self._places = list(scan(text))

    def node(self, given: parser.Expr) -> Node:
        match given:
            case parser.NumberLiteral():
                return Number(given.val)
            case parser.StringLiteral():
                return Text(given.val)
            case parser.VectorSelector():
                return self._selector(given, None)
            case parser.MatrixSelector():
                return self._selector(given.vector_selector, given.range.total_seconds())
            case parser.SubqueryExpr():
                return Subquery(self.node(given.expr))
            case parser.ParenExpr():
                return self.node(given.expr)
            case parser.UnaryExpr():
                return _negative(self.node(given.expr))
            case parser.Call():
                return Call(given.func.name, tuple(self.node(one) for one in given.args))
        return self._wide(given)

    def _wide(self, given: parser.Expr) -> Node:
        if isinstance(given, parser.AggregateExpr):
            how = given.modifier
            excluded = how is not None and how.type == parser.AggModifierType.Without
            labels = None if how is None else tuple(how.labels)
            if given.param is not None:
                self.node(given.param)
            return Aggregation(str(given.op), self.node(given.expr), labels, excluded)
        assert isinstance(given, parser.BinaryExpr), given  # noqa: S101 - no other kind of node is left
        joined = given.modifier
        on = joined.matching if joined is not None else None
        matching = tuple(on.labels) if on is not None and on.type == parser.LabelModifierType.Include else None
        many = joined is not None and joined.card not in (None, parser.VectorMatchCardinality.OneToOne)
        by_bool = joined is not None and joined.return_bool
        return Binary(str(given.op), self.node(given.lhs), self.node(given.rhs), by_bool, matching, many)

    def _selector(self, given: parser.VectorSelector, seconds: float | None) -> Selector:
        named = [
            one.value for one in given.matchers.matchers if one.name == "__name__" and one.op == parser.MatchOp.Equal
        ]
        name = given.name or (named[0] if named else "")
        place = self._place_of(name)
        offsets = {(label, op, value): at for label, op, value, at in place.matchers} if place else {}
        matchers = []
        for one in (*given.matchers.matchers, *(each for group in given.matchers.or_matchers for each in group)):
            op = _OPERATORS[str(one.op)]
            matchers.append(Matcher(one.name, op, one.value, offsets.get((one.name, op, one.value), -1)))
        return Selector(name, tuple(matchers), place.at if place else 0, seconds)

    def _place_of(self, name: str) -> Seen | None:
        """Take the next place where the scan saw this name."""
        for index, one in enumerate(self._places):
            if one.name == name:
                del self._places[: index + 1]
                return one
        return None


def _negative(node: Node) -> Node:
    return Number(-node.value) if isinstance(node, Number) else Negated(node)
