"""A team of the name that alerts on nodes and cards bear.

Alerts carry the team that they are for, and those on nodes and cards carry `platform`. Where a team has that name, its
alerts and the platform's cannot be told apart and go to one receiver: the platform's. That is what is meant where the
platform team runs work of its own; a receiver of its own that differs is never told.

Source: gpuplan's own alerts; Alertmanager, the first route that matches.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="monitoring/team-named-platform",
    severity=Severity.WARNING,
    summary="A team called `platform` with a receiver of its own",
    why="Alerts on nodes and cards carry `team: platform`, too; all of them go to the platform's receiver.",
    fix="Give it the platform's receiver, or another name.",
    bad="monitoring: {alertmanager: {platform: oncall, receivers: {oncall: {webhook: {secret: a}}, "
    "desk: {webhook: {secret: b}}}}}\nteams: {platform: {namespaces: [infra], alerts: {receiver: desk}}}",
    good="monitoring: {alertmanager: {platform: oncall, receivers: {oncall: {webhook: {secret: a}}}}}\n"
    "teams: {platform: {namespaces: [infra], alerts: {receiver: oncall}}}",
)

NAME = "platform"
"""The team that alerts on nodes and cards bear (`emit.monitoring.alerts.PLATFORM_TEAM`, which rules may not read)."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding where a team has the platform's name and a receiver that is not the platform's."""
    said = fleet.monitoring.alertmanager
    for team in fleet.teams if said.receivers and said.platform else ():
        if team.name == NAME and team.receiver not in ("", said.platform):
            yield DOC.found(
                f"Alerts of team `{team.name}` go to `{said.platform}`, not to `{team.receiver}`",
                at=fleet.places.value((*team.path, "alerts", "receiver")),
                also=(Related("the platform's receiver", fleet.places.value((*said.path, "platform"))),),
            )
