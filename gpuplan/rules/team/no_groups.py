"""A team without groups.

`groups` are the groups of the identity provider whose members may work in the team's namespaces. Without one, the
namespaces and queues exist and nobody but an administrator can use them.

Source: Kubernetes RBAC.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import teams_with_queues

DOC = RuleDoc(
    id="team/no-groups",
    severity=Severity.INFO,
    summary="A team without groups",
    why="Nobody gets rights in its namespaces: only administrators can submit its work.",
    fix="Add the team's groups of the identity provider under `groups`.",
    bad="teams:\n  nlp: {namespaces: [nlp], quotas: {scratch: {}}}",
    good="teams:\n  nlp: {namespaces: [nlp], groups: [nlp-engineers], quotas: {scratch: {}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each team that has queues but no group."""
    for team in teams_with_queues(fleet):
        if not team.groups:
            yield DOC.found(f"Team `{team.name}` has no groups", at=fleet.places.key(team.path))
