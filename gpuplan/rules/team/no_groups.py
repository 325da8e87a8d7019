"""A team without groups.

`groups` are the groups of the identity provider whose members may work in the team's namespaces. Without one, the
namespaces and queues exist and nobody but an administrator can use them. A fleet in which no team has a group gives
out rights in some other way and gets no such finding.

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
    bad="teams:\n  nlp: {namespaces: [nlp], quotas: {scratch: {}}}\n"
    "  vision: {namespaces: [vision], groups: [vision-engineers], quotas: {scratch: {}}}",
    good="teams:\n  nlp: {namespaces: [nlp], groups: [nlp-engineers], quotas: {scratch: {}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each team with queues, in a fleet where others have groups, that has no group."""
    teams = teams_with_queues(fleet)
    for team in teams if any(team.groups for team in teams) else ():
        if not team.groups:
            yield DOC.found(f"Team `{team.name}` has no groups", at=fleet.places.key(team.path))
