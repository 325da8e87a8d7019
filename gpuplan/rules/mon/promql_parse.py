"""A rule's expression that Prometheus cannot parse.

Prometheus refuses a whole file of rules for one of them, and the operator leaves the object out: every rule beside it is gone,
too. Checked by promql-parser, which follows Prometheus' parser; where versions of Prometheus differ this is a warning.

Source: Prometheus, promql/parser; canonical/hardware-observer-operator PR 331.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.alerting import rules
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="mon/promql-parse",
    severity=Severity.ERROR,
    summary="An expression that Prometheus cannot parse",
    why="Prometheus refuses the whole file for it: no rule of the object is loaded, the sound ones neither.",
    fix="Correct the expression; `promtool check rules` shows whether Prometheus takes it.",
    bad="- {alert: PowerBrake, expr: DCGM_FI_DEV_CLOCK_THROTTLE_REASONS and 128 != bool 0}",
    good="- {alert: PowerBrake, expr: DCGM_FI_DEV_CLOCK_THROTTLE_REASONS % 256 >= 128}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each expression that does not parse."""
    for rule in rules(inventory):
        expression = rule.expression
        if expression.problem:
            unsure = expression.of_some_versions
            yield DOC.found(
                f"The expression of {rule} does not parse: {expression.problem}",
                at=rule.at,
                severity=Severity.WARNING if unsure else None,
                fix=_bit_test(expression.text),
            )


def _bit_test(text: str) -> str | None:
    """Return how to test a bit, which PromQL has no operator for, where that may be meant."""
    if "THROTTLE_REASONS" not in text and "EVENT_REASONS" not in text:
        return None
    return (
        "PromQL has no operator for bits: test bit n by the remainder, such as "
        "`DCGM_FI_DEV_CLOCK_THROTTLE_REASONS % 256 >= 128` for bit 7 (128)."
    )
