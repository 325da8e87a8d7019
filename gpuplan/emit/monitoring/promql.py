"""PromQL that several rules write alike."""

from __future__ import annotations

from fractions import Fraction

from gpuplan.emit.monitoring.series import CARD_PRICE, NAMESPACE_TEAM, QUEUE_TEAM, Series

TO_TEAM = f"on (namespace) group_left (team) {NAMESPACE_TEAM}"
"""Joins series of namespaces to the team that each belongs to."""
QUEUE_TO_TEAM = f"on (cluster_queue) group_left (team) {QUEUE_TEAM}"
"""Joins series of queues to the team that each belongs to."""


def number(value: Fraction | int) -> str:
    """Write a number exactly as PromQL: `8`, `0.25`, or `1 / 7` where decimals do not end."""
    exact = Fraction(value)
    rest, places = exact.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        places = max(places, power)
    if rest != 1:
        return f"{exact.numerator} / {exact.denominator}"
    digits = str(exact.numerator * 10**places // exact.denominator).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def part(percent: int) -> str:
    """Write a percentage as the part that series hold: 30 is `0.3`."""
    return number(Fraction(percent, 100))


def of_team(expression: str) -> str:
    """Add to series of queues the team that each belongs to."""
    return f"({expression}) * {QUEUE_TO_TEAM}"


def of_namespace_team(expression: str) -> str:
    """Add to series of namespaces the team that each belongs to; what is nobody's is left out."""
    return f"({expression}) * {TO_TEAM}"


def priced(cards: Series) -> str:
    """Give cards of a pool their price for an hour; those of a pool without a price are left out."""
    return f"{cards} * on (pool) group_left (currency) {CARD_PRICE}"
