"""A drain of more than an hour.

A pod that is asked to go has its grace for that and keeps its cards meanwhile: so long waits every node that is to be
restarted, one after the other. Others are less patient. Cluster Autoscaler ends a pod after ten minutes unless it is told
otherwise (`--max-graceful-termination-sec`), and kubelet's own graceful shutdown of a node is mostly set to minutes.

Source: Kubernetes, terminationGracePeriodSeconds and graceful node shutdown; Cluster Autoscaler, its flags.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="stateful/drain-too-long",
    severity=Severity.WARNING,
    summary="A drain of more than an hour",
    why="Every node under such a pod waits as long before it can be restarted, and autoscalers and shutdowns do not wait.",
    fix="Hand over what is worth it in less time: write `drainSeconds: 3600` or less.",
    bad="taskPools:\n  chat: {kind: onlineInference, service: guaranteed, stateful: {drainSeconds: 86400}}",
    good="taskPools:\n  chat: {kind: onlineInference, service: guaranteed, stateful: {drainSeconds: 900}}",
)

LIMIT = 3600
"""Seconds."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each stateful task pool that drains for longer than the limit."""
    for pool in fleet.task_pools:
        if pool.drain_seconds > LIMIT:
            summary = f"Pods of `{pool.name}` take {pool.drain_seconds} s to go, more than {LIMIT} s"
            yield DOC.found(summary, at=point(fleet, (*pool.path, "stateful", "drainSeconds")))
