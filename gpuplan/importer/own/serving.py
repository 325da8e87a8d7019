"""Which engine serves in a task pool, and what it promises: the rules on serving name both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from gpuplan.emit.monitoring.promql import number
from gpuplan.importer.own.series import decimal
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.view import View
from gpuplan.model.monitoring import FAST_BURN, SLOW_BURN

Plain = object
RULES = "gpuplan-serving"
_POOLS = r'\{task_pool=~?"(?P<pools>[^"]+)"'
_READ = re.compile(rf"(?P<metric>[A-Za-z_:][A-Za-z0-9_:]*?)(?:_bucket|_count|_sum)?{_POOLS}")
_BOUND = re.compile(rf'(?P<metric>[A-Za-z_:][A-Za-z0-9_:]*)_bucket{_POOLS}, le=~?"(?P<bound>[0-9.]+)')
_ABOVE = re.compile(rf"{_POOLS}\}} > (?P<limit>[0-9.]+)")
_BURNS = {"InferenceLatencyBurnFast": FAST_BURN, "InferenceLatencyBurnSlow": SLOW_BURN}
_MEAN = "InferenceLatencyHigh"


def serving(inventory: Inventory) -> dict[str, dict[str, Plain]]:
    """Return `serving` of each task pool that the rules of a cluster watch."""
    found: dict[str, dict[str, Plain]] = {}
    promises: dict[str, dict[str, Plain]] = {}
    for rule in _rules(inventory):
        for pool, metric in _of_pools(_READ, rule["expr"].text(), "metric"):
            known = inventory.catalog.serving.metrics.get(metric)
            if known is not None and known.of in inventory.catalog.serving.engines:
                found.setdefault(pool, {"engine": known.of})
        for pool, key, value in _promises(inventory, rule):
            promises.setdefault(pool, {})[key] = value
    for pool, entry in found.items():
        if "latencyMilliseconds" in promises.get(pool, {}):
            entry["slo"] = promises[pool]
    return found


def _promises(inventory: Inventory, rule: View) -> Iterator[tuple[str, str, Plain]]:
    """Yield what a rule says of promises: task pool, key of `slo`, value."""
    expression, alert = rule["expr"].text(), rule["alert"].text()
    for match in _BOUND.finditer(expression):
        for pool in match["pools"].split("|"):
            yield pool, "latencyMilliseconds", _milliseconds(inventory, match)
    for pool, limit in _of_pools(_ABOVE, expression, "limit"):
        if alert == _MEAN:
            yield pool, "latencyMilliseconds", int(Fraction(limit) * 1000)
        elif alert in _BURNS:
            yield pool, "objectivePercent", decimal(100 * (1 - Fraction(limit) / _BURNS[alert]))


def _rules(inventory: Inventory) -> Iterator[View]:
    for one in inventory.of("PrometheusRule"):
        for group in one.spec["groups"].items() if one.name == RULES else ():
            yield from group["rules"].items()


def _of_pools(pattern: re.Pattern[str], expression: str, group: str) -> Iterator[tuple[str, str]]:
    for match in pattern.finditer(expression):
        for pool in match["pools"].split("|"):
            yield pool, match[group]


def _milliseconds(inventory: Inventory, match: re.Match[str]) -> int:
    """Return a bound of a histogram as the promise that it stands for: engines spell some of theirs otherwise."""
    bounds = inventory.catalog.serving.bounds.get(match["metric"])
    spelt = {text: promised for promised, text in bounds.milliseconds.items()} if bounds is not None else {}
    text = number(Fraction(match["bound"]))
    return spelt.get(text, int(Fraction(match["bound"]) * 1000))
