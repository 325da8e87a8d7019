"""Peak or office hours in a time zone that does not exist.

Guarantees are measured in peak hours, and alerts that can wait are sent in office hours. We compile the former from the zone's
rule; Alertmanager looks the latter's zone up by itself and loads no configuration at all with a name that it does not know.

Source: the IANA time zone database; Alertmanager, time intervals.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.hours import stretches
from gpuplan.suggest import nearest

DOC = RuleDoc(
    id="monitoring/unknown-time-zone",
    severity=Severity.ERROR,
    summary="Peak or office hours in a time zone that does not exist",
    why="Nobody can tell when these hours are, and Alertmanager refuses its whole configuration.",
    fix="Write a name of the IANA database, such as `Europe/Berlin`.",
    bad='monitoring: {peakHours: {timeZone: Europe/Munich, from: "08:00", to: "20:00"}}',
    good='monitoring: {peakHours: {timeZone: Europe/Berlin, from: "08:00", to: "20:00"}}',
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each stretch of hours whose time zone is unknown."""
    for hours in stretches(fleet):
        if hours.time_zone not in fleet.catalog.time_zones:
            guess = nearest(hours.time_zone, sorted(fleet.catalog.time_zones))
            yield DOC.found(
                f"There is no time zone `{hours.time_zone}`",
                at=fleet.places.value((*hours.path, "timeZone")),
                fix=f"Write `{guess}`, if you mean that one." if guess else None,
            )
