"""A bill that was computed by hand: two days in Berlin, of which the second has 23 hours.

29 and 30 March 2025: 47 hours, 2820 minutes. From 12:00 to 12:30 on the first day nobody looked, so that 46.5 hours count.

| pool | cards | price | what happens |
|---|---|---|---|
| h100-a | 16 whole | 2.40 | vision holds 8 all the time, half busy, 2 of them idle for the first 10 hours; a pod of no team holds 1 for the last 5 |
| a100-lab | 2, cut into 7 instances each | 1.05 | nlp holds 3 instances for the first 10 hours |
| t4-shared | 4, shared by 4 | 0.36 | nlp holds 5 shares all the time, of which its quota are 4 |
| spare | 3 whole | none | vision holds 1 all the time |
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.monitoring import series
from gpuplan.emit.monitoring.series import Series
from tests.prometheus.bed import Line, seconds

START = seconds("2025-03-29T00:00:00+01:00")
END = seconds("2025-03-31T00:00:00+02:00")
GAP = (seconds("2025-03-29T12:00:00+01:00"), seconds("2025-03-29T12:30:00+01:00"))
ARGUMENTS = ("--from", "2025-03-29", "--to", "2025-03-31", "--time-zone", "Europe/Berlin")
HOUR = 3600
TIERS = {"vision": ("train", 10, 2.4), "nlp": ("serve", 1, 0.36)}
"""Tier, cards reserved and price by team."""


def _line(what: Series, value: float, start: int = START, end: int = END, **labels: str) -> Line:
    return Line(name=what.name, value=value, start=start, end=end, labels=labels)


def _pool(pool: str, cards: int, price: float) -> Iterator[Line]:
    yield _line(series.POOL_BILLED, cards, pool=pool)
    if price:
        yield _line(series.POOL_COST, cards * price, pool=pool, currency="USD")


def _held(team: str, pool: str, cards: float, price: float, end: int = END) -> Iterator[Line]:
    """Yield what a team holds from the start."""
    yield _line(series.TEAM_BILLED, cards, end=end, team=team, pool=pool)
    if price:
        yield _line(series.TEAM_COST, cards * price, end=end, team=team, pool=pool, currency="USD")


def _nobody(pool: str, *steps: tuple[int, int, float]) -> Iterator[Line]:
    for start, end, cost in steps:
        yield _line(series.UNALLOCATED_COST, cost, start, end, pool=pool, currency="USD")


def lines() -> Iterator[Line]:
    """Yield every series of the two days."""
    for team, center in (("vision", "cc-120"), ("nlp", "")):
        yield _line(series.TEAM, 1, team=team, cost_center=center)
        tier, cards, price = TIERS[team]
        yield _line(series.TEAM_RESERVED, cards, team=team, tier=tier)
        yield _line(series.TEAM_RESERVED_COST, cards * price, team=team, tier=tier, currency="USD")
    yield from _h100()
    yield from _cut()
    yield from _pool("spare", 3, 0)
    yield from _held("vision", "spare", 1, 0)


def _h100() -> Iterator[Line]:
    stray = END - 5 * HOUR
    yield from _pool("h100-a", 16, 2.4)
    yield from _held("vision", "h100-a", 8, 2.4)
    yield _line(series.TEAM_USED, 4, team="vision", pool="h100-a")
    yield _line(series.TEAM_USED_COST, 9.6, team="vision", pool="h100-a", currency="USD")
    idle = START + 10 * HOUR
    yield _line(series.TEAM_IDLE_BILLED, 2, end=idle, team="vision", pool="h100-a")
    yield _line(series.TEAM_IDLE_COST, 4.8, end=idle, team="vision", pool="h100-a", currency="USD")
    yield _line(series.NO_TEAM, 1, stray, pool="h100-a")
    yield _line(series.NO_TEAM_COST, 2.4, stray, pool="h100-a", currency="USD")
    yield from _nobody("h100-a", (START, stray, 19.2), (stray, END, 16.8))


def _cut() -> Iterator[Line]:
    """Yield the pools whose cards are cut and shared."""
    ended = START + 10 * HOUR
    yield from _pool("a100-lab", 2, 1.05)
    yield from _held("nlp", "a100-lab", 3 / 7, 1.05, ended)
    yield from _nobody("a100-lab", (START, ended, 2 * 1.05 - 3 / 7 * 1.05), (ended, END, 2.1))
    yield from _pool("t4-shared", 4, 0.36)
    yield from _held("nlp", "t4-shared", 1.25, 0.36)
    yield _line(series.TEAM_BORROWED, 0.25, team="nlp", tier="serve")
    yield _line(series.TEAM_BORROWED_COST, 0.09, team="nlp", tier="serve", currency="USD")
    yield from _nobody("t4-shared", (START, END, 0.99))
