"""A maintenance window that is shorter than the round over a pool with stateful pods.

Nodes under a stateful service are replaced one at a time: each is drained with the service's grace, restarted and
waited for. Argo CD starts a change inside the window and does not stop what the change has set going, so the round goes on
after the window has closed, when nobody expects it.

Source: Argo CD v3.6, sync windows; Kubernetes, kubectl drain. That a GPU node is back a quarter of an hour after its
restart is gpuplan's own allowance.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Cluster, Fleet, Window
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.windows import clock, lasting

DOC = RuleDoc(
    id="stateful/window-too-short",
    severity=Severity.WARNING,
    summary="A maintenance window that is shorter than the round over a pool with stateful pods",
    why="What a sync sets going does not stop when the window closes: nodes are still drained afterwards, one at a time.",
    fix="Lengthen the window, lower `drainSeconds`, or split the pool, so that one round fits.",
    bad="nodePools:\n  l40s: {nodes: 16}\ntaskPools:\n  chat: {stateful: {drainSeconds: 1800}}\n"
    'governance: {maintenance: {windows: [{schedule: "0 2 * * 6", duration: 2h}]}}',
    good="nodePools:\n  l40s: {nodes: 16}\ntaskPools:\n  chat: {stateful: {drainSeconds: 300}}\n"
    'governance: {maintenance: {windows: [{schedule: "0 2 * * 6", duration: 6h}]}}',
)

RESTART_SECONDS = 900
"""What a GPU node takes to restart, load its driver and pass its checks."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool with stateful pods whose round fits in no window of its cluster."""
    for cluster in fleet.clusters:
        longest = _longest(fleet, cluster)
        if longest:
            window, minutes = longest
            for name, nodes, drain in _rounds(cluster):
                need = nodes * (drain + RESTART_SECONDS)
                if need > minutes * 60:
                    round_ = f"{nodes} nodes * ({drain} s to drain + {RESTART_SECONDS} s to restart)"
                    yield DOC.found(
                        f"A round over `{name}` in cluster `{cluster.name}` takes {round_} = {lasting(-(-need // 60))}, "
                        f"the longest window is {lasting(minutes)}",
                        at=fleet.places.value((*window.path, "duration")),
                    )


def _longest(fleet: Fleet, cluster: Cluster) -> tuple[Window, int] | None:
    """Return the window that allows changes to a cluster for longest, and its minutes; None where none restricts them."""
    allowing = [window for window in fleet.governance.windows if window.allows and cluster.name in window.clusters]
    timed = [(window, made.minutes) for window in allowing if (made := clock(window, fleet.today))]
    return max(timed, key=lambda one: one[1], default=None)


def _rounds(cluster: Cluster) -> Iterator[tuple[str, int, int]]:
    """Yield the name, the nodes and the longest drain of each pool that stateful pods can stand on."""
    for pool in cluster.pools:
        drains = [
            cohort.task_pool.drain_seconds
            for cohort in cluster.cohorts_with_queues
            if cohort.task_pool.stateful and pool.tier.name in cohort.task_pool.tiers
        ]
        if drains:
            yield pool.name, pool.nodes, max(drains)
