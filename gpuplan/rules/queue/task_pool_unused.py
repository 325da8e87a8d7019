"""A task pool that no team uses.

A team has a queue only for the task pools named in its `quotas`. One that nobody names makes a cohort and nothing
else.

Source: gpuplan itself: nothing is given to a team that its `quotas` do not name.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts

DOC = RuleDoc(
    id="queue/task-pool-unused",
    severity=Severity.INFO,
    summary="A task pool that no team uses",
    why="No team names it in its `quotas`, so it has no queue anywhere.",
    fix="Name it in the `quotas` of a team, or remove it.",
    bad="taskPools:\n  nightly: {kind: batchInference, service: queued, tiers: [serve]}   # in no team's quotas",
    good="taskPools:\n  nightly: {kind: batchInference, service: queued, tiers: [serve]}\n"
    "teams:\n  nlp: {quotas: {nightly: {serve: {guaranteed: 4}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool without a queue; one that owns cards is quota/pool-without-queues."""
    busy = {
        cohort.task_pool.name
        for _, cohort in cohorts(fleet)
        if cohort.queues or any(share.nominal for share in cohort.shares.values())
    }
    for pool in fleet.task_pools:
        if pool.name not in busy:
            yield DOC.found(f"No team has a queue in `{pool.name}`", at=fleet.places.key(pool.path))
