"""A percentage of requests that the engine cannot count.

By default Triton tells how long its requests took together and not how many took longer than a time. So a promise on it is
compared with the mean of five minutes, for which a percentage says nothing.

Source: NVIDIA Triton, metrics (counters by default; summaries and histograms only where they are asked for).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.served import engines
from gpuplan.rules.walk import written

DOC = RuleDoc(
    id="serving/no-histogram",
    severity=Severity.INFO,
    summary="A percentage of requests that the engine cannot count",
    why="It tells the sum of all latencies only: the alert compares their mean with the promise, whatever the percentage is.",
    fix="Leave `objectivePercent` out.",
    bad="taskPools:\n  embed: {serving: {engine: triton, slo: {latencyMilliseconds: 200, objectivePercent: 99}}}",
    good="taskPools:\n  embed: {serving: {engine: triton, slo: {latencyMilliseconds: 200}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each percentage that is written for an engine without histograms."""
    for pool, serving, engine in engines(fleet):
        path = (*serving.path, "slo", "objectivePercent")
        if serving.slo and not engine.has_histograms and written(fleet, path):
            yield DOC.found(
                f"`{pool.name}` promises a percentage of requests, and {engine.title} tells their mean latency",
                at=fleet.places.value(path),
            )
