"""A strict queue over several flavors.

With `queueing: strict` nobody overtakes the first job of a queue. Kueue keeps one such order for the whole queue:
while the first job waits for one flavor, jobs behind it that ask for another wait as well, although cards for them
are idle.

Source: Kueue #8309, #4809, #2270, #3405.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts_of
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="kueue/strict-with-several-flavors",
    severity=Severity.WARNING,
    summary="A strict queue over several flavors",
    why="The first job blocks the whole queue, also for jobs that would run on another flavor whose cards are idle.",
    fix="Use `queueing: bestEffort`, or a task pool for each flavor.",
    bad="taskPools:\n  pretrain: {tiers: [train, lab], fallback: nextTier, queueing: strict}",
    good="taskPools:\n  pretrain: {tiers: [train, lab], fallback: nextTier, queueing: bestEffort}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield one finding for each strict task pool that has several flavors in a cluster."""
    for pool in fleet.task_pools:
        several = [(cluster, cohort) for cluster, cohort in cohorts_of(fleet, pool) if len(cohort.flavors) > 1]
        if pool.strict and several:
            cluster, cohort = several[0]
            yield DOC.found(
                f"`{pool.name}` is strict over {listed(flavor.name for flavor in cohort.flavors)} in cluster `{cluster.name}`",
                at=point(fleet, (*pool.path, "queueing")),
            )
