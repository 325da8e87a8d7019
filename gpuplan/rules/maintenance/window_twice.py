"""A maintenance window that stands twice.

Two windows of one kind, schedule, duration, time zone and clusters are one to Argo CD. It still syncs, but refuses to save the
project from its web pages and command line, so that nobody could open a window there in an emergency.

Source: Argo CD v3.6, the validation of projects.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import repeats

DOC = RuleDoc(
    id="maintenance/window-twice",
    severity=Severity.WARNING,
    summary="A maintenance window that stands twice",
    why="Argo CD refuses to save a project with two equal windows, so nobody can change one by hand in an emergency.",
    fix="Remove one of them.",
    bad='governance:\n  maintenance:\n    windows:\n      - {schedule: "0 2 * * 6", duration: 4h}\n'
    '      - {schedule: "0 2 * * 6", duration: 4h, manualSync: true}',
    good='governance:\n  maintenance:\n    windows:\n      - {schedule: "0 2 * * 6", duration: 4h}\n'
    '      - {schedule: "0 2 * * 0", duration: 4h, manualSync: true}',
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each window that is alike to one before it."""
    windows = fleet.governance.windows
    alike = [(one.allows, one.schedule, one.duration, one.time_zone, one.clusters) for one in windows]
    for index, first in repeats(alike):
        yield DOC.found(
            f"The window at `{windows[index].schedule}` stands twice",
            at=fleet.places.key(windows[index].path),
            also=(Related("first here", fleet.places.key(windows[first].path)),),
        )
