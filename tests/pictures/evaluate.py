"""Evaluation of our rules over the day that is past, as Prometheus would have done it minute by minute.

promtool's own backfilling knows no order among rules and makes a block for each, and it leaves out alerts. Here the
expressions are asked of Prometheus all the same, those that read others' series after those.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from gpuplan.emit.monitoring.alerts import Alert, Group
from gpuplan.manifests.kinds.monitoring import RecordingRule
from tests.pictures.samples import MINUTES, START, Values
from tests.pictures.store import Api, Store

_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_MINUTES = {"s": 1 / 60, "m": 1, "h": 60, "d": 24 * 60}


def names(expr: str) -> set[str]:
    """Return every word of an expression that may be the name of a metric."""
    return set(_NAME.findall(expr))


def layers(rules: Iterable[RecordingRule]) -> Iterator[list[RecordingRule]]:
    """Yield rules in steps: each reads only what steps before it have recorded. Raises `AssertionError` for a circle."""
    left = list(rules)
    while left:
        missing = {rule["record"] for rule in left}
        ready = [rule for rule in left if not missing & (names(rule["expr"]))]
        blocked = {rule["record"] for rule in left if rule not in ready}
        ready = [rule for rule in ready if rule["record"] not in blocked]
        assert ready, sorted(blocked)
        yield ready
        left = [rule for rule in left if rule not in ready]


def evaluate(store: Store, groups: Iterable[Group]) -> set[str]:
    """Record all series of the rules and the alerts that fire; return the names of those alerts."""
    made = tuple(groups)
    for layer in layers(rule for group in made for rule in group.records):
        with store.running() as api:
            recorded = [line for rule in layer for line in _recorded(api, rule)]
        store.write([*sorted(recorded, key=_metric), "# EOF\n"])
    with store.running() as api:
        fired = {alert.name: list(_fired(api, alert)) for group in made for alert in group.alerts}
    store.write([*(line for lines in fired.values() for line in lines), "# EOF\n"])
    return {name for name, lines in fired.items() if lines}


def _metric(line: str) -> str:
    return line.partition("{")[0]


def _recorded(api: Api, rule: RecordingRule) -> Iterator[str]:
    for answer in api.over_the_day(rule["expr"], 60):
        yield _lines(rule["record"], {**answer.labels, **rule.get("labels", {})}, answer.values)


def _fired(api: Api, alert: Alert) -> Iterator[str]:
    """An alert fires when its expression has held for as long as it waits, and for as long as it is held afterwards."""
    wait, hold = _length(alert.wait), _length(alert.hold)
    fixed = {"alertname": alert.name, "alertstate": "firing", "severity": alert.severity}
    for answer in api.over_the_day(alert.expr, 60):
        firing = np.full(MINUTES, np.nan)
        since, until = None, -1
        for minute in range(MINUTES):
            holds = not np.isnan(answer.values[minute])
            since = (minute if since is None else since) if holds else None
            if since is not None and minute - since >= wait:
                until = minute + hold
            if minute <= until:
                firing[minute] = 1.0
        if not np.isnan(firing).all():
            labels = {**answer.labels, **fixed, **({"team": alert.team} if alert.team else {})}
            yield _lines("ALERTS", labels, firing)


def _length(duration: str) -> int:
    return round(sum(int(number) * _MINUTES[unit] for number, unit in re.findall(r"(\d+)([smhd])", duration)))


def _lines(name: str, labels: Mapping[str, str], values: Values) -> str:
    inside = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()) if key != "__name__")
    there = np.flatnonzero(~np.isnan(values))
    return "".join(f"{name}{{{inside}}} {values[at]:.9g} {START + 60 * at}\n" for at in there.tolist())
