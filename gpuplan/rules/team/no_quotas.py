"""A team without quotas.

A team has queues only for the task pools in its `quotas`, and namespaces only where it has queues. Without any,
nothing is rendered for it.

Source: gpuplan itself: nothing is given to a team that its `quotas` do not name.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import teams_with_queues

DOC = RuleDoc(
    id="team/no-quotas",
    severity=Severity.WARNING,
    summary="A team without quotas",
    why="It has no queue in any cluster, and so no namespace either: nothing is rendered for it.",
    fix="Name the task pools that it may use under `quotas`, for example `quotas: {scratch: {}}`.",
    bad="teams:\n  nlp: {namespaces: [nlp]}",
    good="teams:\n  nlp: {namespaces: [nlp], quotas: {scratch: {}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each team without a queue, adopted ones included."""
    present = {team.name for team in teams_with_queues(fleet)}
    present |= {one.team for cluster in fleet.clusters for one in cluster.adopted.objects}
    adopted = {namespace for cluster in fleet.clusters for namespace in cluster.adopted.namespaces}
    for team in fleet.teams:
        if team.name not in present and adopted.isdisjoint(team.namespaces):
            yield DOC.found(f"Team `{team.name}` has no queue anywhere", at=fleet.places.key(team.path))
