"""A receiver that nobody has defined.

Alertmanager loads no configuration whose routes name a receiver that is not in it, and goes on with the old one: alerts of
new teams go astray, and nobody is told. A fleet that defines no receivers routes alerts in some other way and gets no such
finding.

Source: Alertmanager 0.34, checks of the configuration.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, KeyPath, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed
from gpuplan.suggest import nearest

DOC = RuleDoc(
    id="monitoring/unknown-receiver",
    severity=Severity.ERROR,
    summary="A receiver that nobody has defined",
    why="Alertmanager refuses a configuration with a route to a receiver that it lacks, and keeps the old one.",
    fix="Define it under `monitoring.alertmanager.receivers`, or name one that is there.",
    bad="monitoring: {alertmanager: {platform: oncall, receivers: {oncall: {webhook: {secret: oncall}}}}}\n"
    "teams: {nlp: {namespaces: [nlp], alerts: {receiver: nlp-oncall}}}",
    good="monitoring: {alertmanager: {platform: oncall, receivers: {oncall: {webhook: {secret: oncall}}}}}\n"
    "teams: {nlp: {namespaces: [nlp], alerts: {receiver: oncall}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each team, and for the platform, whose receiver is not among those that the spec defines."""
    said = fleet.monitoring.alertmanager
    known = [one.name for one in said.receivers]
    for whose, name, path in _named(fleet) if known else ():
        if name and name not in known:
            guess = nearest(name, known)
            yield DOC.found(
                f"{whose} are for receiver `{name}`, and the spec defines {listed(known)}",
                at=fleet.places.value(path),
                fix=f"Write `{guess}` if that is meant." if guess else None,
            )


def _named(fleet: Fleet) -> Iterator[tuple[str, str, KeyPath]]:
    """Yield whose alerts a receiver is named for, its name, and where it is named."""
    said = fleet.monitoring.alertmanager
    yield "The platform's alerts", said.platform, (*said.path, "platform")
    for team in fleet.teams:
        yield f"Alerts of team `{team.name}`", team.receiver, (*team.path, "alerts", "receiver")
