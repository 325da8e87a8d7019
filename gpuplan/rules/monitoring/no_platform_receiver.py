"""Receivers, but none for the platform.

Alerts on nodes and cards belong to no team, and Alertmanager's tree of routes needs a receiver for whatever no other route
takes.

Source: Alertmanager, the root route.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="monitoring/no-platform-receiver",
    severity=Severity.ERROR,
    summary="Receivers, but none for the platform",
    why="Nobody would hear of a dead card: alerts on nodes and cards have no team, and Alertmanager's routes need a root.",
    fix="Name one of the receivers under `monitoring.alertmanager.platform`.",
    bad="monitoring: {alertmanager: {receivers: {gpu-oncall: {pagerduty: {secret: gpu-oncall}}}}}",
    good="monitoring: {alertmanager: {platform: gpu-oncall, receivers: {gpu-oncall: {pagerduty: {secret: gpu-oncall}}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding where the spec defines receivers and none of them is the platform's."""
    said = fleet.monitoring.alertmanager
    if said.receivers and not said.platform:
        fix = f"Write `platform: {said.receivers[0].name}`." if len(said.receivers) == 1 else None
        yield DOC.found(
            "No receiver hears of alerts on nodes and cards", at=fleet.places.key((*said.path, "receivers")), fix=fix
        )
