"""A maintenance window in a time zone that does not exist.

Argo CD takes UTC in place of a time zone that it does not know, and says so in its log alone. The window then opens hours
before or after the one that people have been told of.

Source: Argo CD v3.6, the offset of sync windows; the IANA time zone database.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.windows import nearest_zone, zone

DOC = RuleDoc(
    id="maintenance/unknown-time-zone",
    severity=Severity.ERROR,
    summary="A maintenance window in a time zone that does not exist",
    why="Argo CD takes UTC for a zone that it does not know, so the window opens at another time than it says.",
    fix="Write a name of the IANA database, such as `Europe/Berlin`.",
    bad='governance: {maintenance: {windows: [{schedule: "0 2 * * 6", duration: 4h, timeZone: Europe/Munich}]}}',
    good='governance: {maintenance: {windows: [{schedule: "0 2 * * 6", duration: 4h, timeZone: Europe/Berlin}]}}',
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each window whose time zone is unknown."""
    for window in fleet.governance.windows:
        if zone(window.time_zone) is None:
            guess = nearest_zone(window.time_zone)
            yield DOC.found(
                f"There is no time zone `{window.time_zone}`",
                at=fleet.places.value((*window.path, "timeZone")),
                fix=f"Write `{guess}`, if you mean that one." if guess else None,
            )
