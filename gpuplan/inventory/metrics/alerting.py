"""Prometheus' rules, from PrometheusRules and from files of its own, as one shape."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.diagnostics import Span
from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.items import Format
from gpuplan.inventory.metrics import promql
from gpuplan.inventory.metrics.promql import Expression
from gpuplan.inventory.view import View

GROUP = "monitoring.coreos.com"
TEMPLATE_SIGNS = ("{{", "}}", "$__", "${")
"""What is in the text of a template that is yet to be filled, and in no expression of PromQL."""

LOGS = re.compile(r"\}\s*(\|[=~>]|\|\s*[a-z_]+\b|![=~]\s*[\"'`])")
"""What follows a selector in LogQL alone: files of Loki's rules look like Prometheus'."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule that records or alerts."""

    view: View
    record: str
    alert: str
    expression: Expression

    @property
    def text(self) -> str:
        """The expression as written."""
        return self.expression.text

    @property
    def at(self) -> Span:
        """Where its expression stands."""
        return self.view["expr"].key_span

    def inside(self, offset: int) -> Span:
        """Return where a character of the expression stands."""
        return self.view["expr"].inside(offset)

    def __str__(self) -> str:
        return f"record `{self.record}`" if self.record else f"alert `{self.alert}`"


@once
def rules(inventory: Inventory) -> tuple[Rule, ...]:
    """Return every rule with an expression, but for those of templates that are yet to be filled."""
    return tuple(_rules(inventory))


def _rules(inventory: Inventory) -> Iterator[Rule]:
    for view in _groups(inventory):
        for one in view["rules"].items():
            text = one["expr"].scalar()
            if text.strip() and not any(sign in text for sign in TEMPLATE_SIGNS) and not LOGS.search(text):
                yield Rule(view=one, record=one["record"].text(), alert=one["alert"].text(), expression=_read(text))


def _groups(inventory: Inventory) -> Iterator[View]:
    for found in inventory.of("PrometheusRule"):
        if found.group == GROUP:
            yield from found.spec["groups"].items()
    for config in inventory.configs_of(Format.RULES):
        yield from config.root["groups"].items()


@functools.lru_cache(maxsize=4096)
def _read(text: str) -> Expression:
    """Read an expression; several rules of ours ask for each."""
    return promql.read(text)
