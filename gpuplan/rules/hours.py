"""Hours of the day that the spec names: what the rules about them share."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.model.fleet import Fleet
from gpuplan.model.monitoring import DailyHours


def stretches(fleet: Fleet) -> Iterator[DailyHours]:
    """Yield every stretch of hours in the spec: peak hours, and office hours where there are some."""
    yield fleet.monitoring.peak_hours
    if fleet.monitoring.alertmanager.office_hours:
        yield fleet.monitoring.alertmanager.office_hours
