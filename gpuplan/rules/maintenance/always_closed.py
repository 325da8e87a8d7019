"""Maintenance windows that leave a cluster no time for changes.

A deny window that is open wins over every allow window. Where those that deny cover all that the others allow, nothing is
ever synced, not even the change that would lift them.

Source: Argo CD v3.6, how sync windows are weighed.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.cron import DAY_MINUTES
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed
from gpuplan.rules.windows import HORIZON_DAYS, closed, clusters_by_windows, readable

DOC = RuleDoc(
    id="maintenance/always-closed",
    severity=Severity.ERROR,
    summary="Maintenance windows that leave a cluster no time for changes",
    why="A window that denies wins over all that allow: in the year to come nothing would be synced at any minute.",
    fix="Shorten the window that denies, or allow a time outside it.",
    bad='governance: {maintenance: {windows: [{schedule: "0 0 * * *", duration: 24h, kind: deny}]}}',
    good='governance: {maintenance: {windows: [{schedule: "0 8 * * 1-5", duration: 10h, kind: deny}]}}',
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each set of windows that leaves its clusters no minute in the year to come."""
    for windows, clusters in clusters_by_windows(fleet):
        if readable(fleet, windows) and closed(fleet, windows) == [(0, HORIZON_DAYS * DAY_MINUTES)]:
            blame = next((window for window in windows if not window.allows), windows[0])
            summary = f"Nothing can ever be synced to {listed(clusters)}: no minute of the year is left"
            yield DOC.found(summary, at=fleet.places.key(blame.path))
