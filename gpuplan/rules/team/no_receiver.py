"""A team whose alerts reach nobody of it.

`alerts.receiver` is the Alertmanager receiver that the team's alerts are routed to. Without one, alerts about its
cards and queues go to the platform's. A fleet that defines no receivers, and in which no team names one, routes alerts in
some other way and gets no such finding.

Source: Alertmanager, routing by label.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import teams_with_queues

DOC = RuleDoc(
    id="team/no-receiver",
    severity=Severity.INFO,
    summary="A team whose alerts reach nobody of it",
    why="Alerts about its cards and queues go to the default route, where nobody knows its work.",
    fix="Name its Alertmanager receiver under `alerts: {receiver: …}`.",
    bad="teams:\n  nlp: {namespaces: [nlp], quotas: {scratch: {}}}\n"
    "  vision: {namespaces: [vision], alerts: {receiver: vision-oncall}, quotas: {scratch: {}}}",
    good="teams:\n  nlp: {namespaces: [nlp], alerts: {receiver: nlp-oncall}, quotas: {scratch: {}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each team with queues that has no receiver, in a fleet that has receivers at all."""
    teams = teams_with_queues(fleet)
    said = fleet.monitoring.alertmanager
    goes = f": they go to `{said.platform}`" if said.receivers and said.platform else ""
    for team in teams if said.receivers or any(team.receiver for team in teams) else ():
        if not team.receiver:
            yield DOC.found(f"Team `{team.name}` has no receiver for its alerts{goes}", at=fleet.places.key(team.path))
