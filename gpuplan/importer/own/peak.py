"""Peak hours out of the arithmetic that they were compiled to: the hours that compile to the same."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping

from gpuplan.catalog import Catalog
from gpuplan.emit.monitoring.peak import clock, within
from gpuplan.emit.monitoring.series import PEAK_CLOCK, PEAK_HOURS
from gpuplan.importer.draft import Entry
from gpuplan.inventory.inventory import Inventory
from gpuplan.model.monitoring import DailyHours
from gpuplan.resolve.watching import DAYS

DAY_MINUTES = 24 * 60
WEEK = range(7)
SEVERAL = "Time zones whose clocks run alike are not told apart: {count} are like this one."
_LENGTH = re.compile(r"< bool (\d+)\)")
_CLOCK = re.compile(r"vector\(time\(\) ([+-]) (\d+)\)")


def peak_hours(inventories: Mapping[str, Inventory]) -> Iterator[Entry]:
    """Yield `monitoring.peakHours` as the rules of the first cluster that has them tell it."""
    for inventory in inventories.values():
        texts = _recorded(inventory)
        ticks, inside = texts.get(PEAK_CLOCK.name, ""), texts.get(PEAK_HOURS.name, "")
        if not ticks or not inside:
            continue
        zones = list(_zones(inventory.catalog, ticks))
        lasting = next(_lasting(inside), None)
        if zones and lasting is not None:
            zone, start = min(zones, key=lambda one: (one[0] != "UTC", one[0]))
            minutes, days = lasting
            value = {"timeZone": zone, "days": list(days), "from": _text(start), "to": _text(start + minutes)}
            notes = (SEVERAL.format(count=len(zones) - 1),) if len(zones) > 1 and zone != "UTC" else ()
            yield Entry(section=("monitoring",), name="peakHours", value=value, notes=notes)
        return


def _recorded(inventory: Inventory) -> dict[str, str]:
    return {
        rule["record"].text(): rule["expr"].text()
        for one in inventory.of("PrometheusRule")
        if one.name == "gpuplan-peak"
        for group in one.spec["groups"].items()
        for rule in group["rules"].items()
    }


def _zones(catalog: Catalog, ticks: str) -> Iterator[tuple[str, int]]:
    """Yield the zones and first minutes whose clock it is."""
    match = _CLOCK.match(ticks)
    ahead = int(match[1] + match[2]) if match else 0
    for name, zone in catalog.time_zones.items():
        start, rest = divmod(zone.offset - ahead, 60)
        if not rest and 0 <= start < DAY_MINUTES and clock(catalog, _hours(name, tuple(WEEK), start, 0)) == ticks:
            yield name, start


def _lasting(inside: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield how many minutes the hours last, and on which days."""
    match = _LENGTH.search(inside)
    minutes = int(match[1]) if match else 0
    for days in itertools.chain.from_iterable(itertools.combinations(WEEK, count) for count in range(7, 0, -1)):
        if minutes and within(_hours("UTC", days, 0, minutes)) == inside:
            yield minutes, tuple(DAYS[day] for day in days)


def _hours(zone: str, days: tuple[int, ...], start: int, end: int) -> DailyHours:
    return DailyHours(time_zone=zone, days=days, start=start, end=end % DAY_MINUTES, path=())


def _text(minute: int) -> str:
    hour, rest = divmod(minute % DAY_MINUTES, 60)
    return f"{hour:02}:{rest:02}"
