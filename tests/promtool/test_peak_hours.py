"""Prometheus' own arithmetic agrees with Python's time zones: around every switch of ten years, in every kind of zone.

promtool's clock begins in 1970, so a fixed number of seconds is added to it in the expressions.
"""

from __future__ import annotations

import datetime as dt
import random
import shutil
import subprocess
import zoneinfo
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpuplan.catalog import load
from gpuplan.emit.monitoring import peak
from gpuplan.emit.monitoring.series import PEAK_CLOCK
from gpuplan.manifests.write import yaml_text
from gpuplan.model.monitoring import DailyHours
from tests import timezones

START = int(dt.datetime(2026, 12, 1, tzinfo=dt.UTC).timestamp())
END = int(dt.datetime(2037, 1, 1, tzinfo=dt.UTC).timestamp())
HOUR = 3600
ANY = random.Random(5)
ONE_OF_EACH = sorted({timezones.rule(name): name for name, zone in load().time_zones.items() if zone.regular}.values())
"""A zone of every rule that there is."""
HOURS = (
    DailyHours(time_zone="Europe/Berlin", days=(1, 2, 3, 4, 5), start=9 * 60, end=18 * 60, path=()),
    DailyHours(time_zone="America/St_Johns", days=(0, 3, 6), start=22 * 60, end=6 * 60, path=()),
    DailyHours(time_zone="Australia/Lord_Howe", days=tuple(range(7)), start=1 * 60 + 30, end=2 * 60, path=()),
    DailyHours(time_zone="Asia/Kathmandu", days=(0, 6), start=0, end=23 * 60 + 59, path=()),
    DailyHours(time_zone="America/Santiago", days=(6,), start=23 * 60 + 30, end=0, path=()),
    DailyHours(time_zone="Europe/Dublin", days=(0, 1), start=12 * 60 + 1, end=12 * 60, path=()),
    DailyHours(time_zone="America/Nuuk", days=(6, 0), start=21 * 60, end=4 * 60 + 45, path=()),
)


def switches(zone: zoneinfo.ZoneInfo) -> Iterator[int]:
    """Yield the seconds at which the offset of a zone changes."""
    before = offset(zone, START)
    for hour in range(START, END, 12 * HOUR):
        now = offset(zone, hour)
        if now != before:
            low, high = hour - 12 * HOUR, hour
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(zone, middle) == before else (low, middle)
            yield high
        before = now


def offset(zone: zoneinfo.ZoneInfo, at: int) -> int:
    return round((dt.datetime.fromtimestamp(at, zone).utcoffset() or dt.timedelta()).total_seconds())


def instants(zone: zoneinfo.ZoneInfo) -> list[int]:
    """Return the seconds to try: around every switch, the ends of every year, and some more."""
    near = [at + step for at in switches(zone) for step in (-HOUR, -1, 0, HOUR)]
    years = [
        int(dt.datetime(year, 1, 1, tzinfo=dt.UTC).timestamp()) + step for year in (2028, 2033) for step in (-1, 0)
    ]
    return sorted({*near, *years, *(ANY.randrange(START, END) for _ in range(12))})


def local(zone: zoneinfo.ZoneInfo, at: int, hours: DailyHours) -> dt.datetime:
    """Return what clocks show, put back by the beginning of the hours."""
    return dt.datetime.fromtimestamp(at, zone).replace(tzinfo=None) - dt.timedelta(minutes=hours.start)


def is_peak(zone: zoneinfo.ZoneInfo, at: int, hours: DailyHours) -> bool:
    """Say in Python what the hours mean: the day is the one on which they began."""
    clock = dt.datetime.fromtimestamp(at, zone)
    minute, day = clock.hour * 60 + clock.minute, clock.isoweekday() % 7
    if hours.start < hours.end:
        return hours.start <= minute < hours.end and day in hours.days
    return (minute >= hours.start and day in hours.days) or (minute < hours.end and (day - 1) % 7 in hours.days)


def shifted(expression: str) -> str:
    return expression.replace("time()", f"(time() + {START})")


def run(folder: Path, promtool: Path, tests: list[dict[str, Any]]) -> None:
    """Have every promtool there is evaluate the expressions; no rule is loaded."""
    file = {
        "rule_files": [],
        "evaluation_interval": "8760h",
        "tests": [{"interval": "8760h", "promql_expr_test": tests}],
    }
    (folder / "peak.yaml").write_text(yaml_text(file), encoding="utf-8")
    systems = shutil.which("promtool")
    for tool in (promtool, *([Path(systems)] if systems else [])):
        done = subprocess.run(
            [tool, "test", "rules", "peak.yaml"], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{tool}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"


def expect(expression: str, at: int, value: float) -> dict[str, Any]:
    return {
        "expr": shifted(expression),
        "eval_time": f"{at - START}s",
        "exp_samples": [{"labels": "{}", "value": value}],
    }


def test_the_clock_is_that_of_the_zone_in_every_kind_of_zone(promtool: Path, tmp_path: Path) -> None:
    tests = []
    for name in ONE_OF_EACH:
        hours = DailyHours(time_zone=name, days=(1,), start=9 * 60, end=18 * 60, path=())
        expression, zone = peak.clock(load(), hours), timezones.zone(name)
        for at in instants(zone):
            value = local(zone, at, hours).replace(tzinfo=dt.UTC).timestamp()
            tests.append(expect(expression, at, value))
    assert len(tests) > 3000
    run(tmp_path, promtool, tests)


def test_peak_hours_are_those_of_the_wall_clock_past_midnight_too(promtool: Path, tmp_path: Path) -> None:
    tests, seen = [], set()
    for hours in HOURS:
        zone = timezones.zone(hours.time_zone)
        expression = peak.within(hours).replace(PEAK_CLOCK.name, f"({peak.clock(load(), hours)})")
        days = [START + number * 997 * 60 for number in range(300)]
        for at in sorted({*instants(zone), *days}):
            peaks = is_peak(zone, at, hours)
            seen.add((hours.time_zone, peaks))
            tests.append(expect(expression, at, float(peaks)))
    assert len(seen) == 2 * len(HOURS), "each of the hours is seen to begin and to end"
    run(tmp_path, promtool, tests)
