"""A weight without anybody to weigh against.

Weights divide a shared pool between its teams. The only team in it gets all of it, whatever its weight.

Source: Kueue, fair sharing; #4961.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts
from gpuplan.rules.walk import point, written

DOC = RuleDoc(
    id="kueue/weight-alone",
    severity=Severity.INFO,
    summary="A weight without anybody to weigh against",
    why="The team is the only one in this shared pool, so its weight divides nothing.",
    fix="Remove the weight, or add another team.",
    bad="teams:\n  nlp: {quotas: {notebooks: {weight: 3}}}   # no other team has notebooks",
    good="teams:\n  nlp: {quotas: {notebooks: {weight: 3}}}\n  vision: {quotas: {notebooks: {weight: 1}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each written weight of a queue that is alone in its task pool in every cluster."""
    alone: dict[tuple[str, str], bool] = {}
    for _, cohort in cohorts(fleet):
        for queue in cohort.queues:
            key = (queue.team.name, cohort.task_pool.name)
            alone[key] = alone.get(key, True) and len(cohort.queues) == 1
    for (team, pool), only in alone.items():
        path = ("teams", team, "quotas", pool, "weight")
        if only and written(fleet, path):
            yield DOC.found(f"`{team}` is the only team in `{pool}`", at=point(fleet, path))
