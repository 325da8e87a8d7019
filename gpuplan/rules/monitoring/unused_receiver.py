"""A receiver that no alert is for.

It is in the configuration and in the list of Secrets, but no team and not the platform name it: most often the name in the
team's `alerts` was forgotten, and its alerts go to the platform.

Source: Alertmanager, routes and receivers.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="monitoring/unused-receiver",
    severity=Severity.WARNING,
    summary="A receiver that no alert is for",
    why="Nothing is ever sent to it; whoever reads there believes that all is well.",
    fix="Name it in `alerts: {receiver: …}` of a team, or remove it.",
    bad="monitoring: {alertmanager: {platform: oncall, receivers: {oncall: {webhook: {secret: a}}, "
    "nlp-oncall: {webhook: {secret: b}}}}}\nteams: {nlp: {namespaces: [nlp]}}",
    good="monitoring: {alertmanager: {platform: oncall, receivers: {oncall: {webhook: {secret: a}}, "
    "nlp-oncall: {webhook: {secret: b}}}}}\nteams: {nlp: {namespaces: [nlp], alerts: {receiver: nlp-oncall}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each receiver that neither a team nor the platform names."""
    said = fleet.monitoring.alertmanager
    named = {said.platform, *(team.receiver for team in fleet.teams)}
    for one in said.receivers:
        if one.name not in named:
            yield DOC.found(f"No alert is for receiver `{one.name}`", at=fleet.places.key(one.path))
