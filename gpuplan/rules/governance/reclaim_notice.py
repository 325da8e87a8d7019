"""Notices to an Alertmanager that has no address.

Before idle work is suspended its people are told. Alertmanager takes such notices at its API, whose address the spec names.
Without it, notices are Events on the work alone, which only those see who look at it.

Source: Alertmanager's API v2; gpuplan, docs/reclaim.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.reclaim import ReclaimMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="governance/reclaim-notice",
    severity=Severity.WARNING,
    summary="Notices go to an Alertmanager without an address",
    why="Notices before work is suspended are then Events alone: nobody is told who does not look at the work.",
    fix="Name Alertmanager's address as `monitoring.alertmanager.url`, or write `notice: [event]`.",
    bad="governance:\n  reclaim: {mode: suspend, image: registry.acme.io/gpuplan:0.1.0, notice: [event, alertmanager]}",
    good="monitoring:\n  alertmanager: {url: 'http://alertmanager.monitoring:9093'}\n"
    "governance:\n  reclaim: {mode: suspend, image: registry.acme.io/gpuplan:0.1.0}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding where work is suspended and notices have nowhere to go."""
    said = fleet.governance.reclaim
    if said.mode is ReclaimMode.SUSPEND and "alertmanager" in said.notice and not fleet.monitoring.alertmanager.url:
        yield DOC.found(
            "Notices are to go to Alertmanager, and `monitoring.alertmanager.url` is empty",
            at=point(fleet, (*said.path, "notice")),
        )
