"""The table of time zones is what tzdata says, and its rules are read as POSIX means them."""

from __future__ import annotations

import importlib.metadata
import re

import pytest

from gpuplan.catalog import timezones
from gpuplan.catalog.timezones import Summer, Switch
from tests import timezones as maker

HOUR = 3600


def test_the_table_is_that_of_the_pinned_database() -> None:
    pinned = re.findall(
        r"^tzdata==(.+)$", (maker.FILE.parents[3] / "requirements/dev.txt").read_text("utf-8"), re.MULTILINE
    )
    if pinned != [importlib.metadata.version("tzdata")]:
        pytest.skip("another tzdata is installed than the one that is pinned")
    assert maker.FILE.read_text(encoding="utf-8") == maker.table()


def test_every_zone_of_the_database_is_known_once() -> None:
    assert sorted(timezones.read()) == maker.names()


@pytest.mark.parametrize(
    ("rule", "offset", "summer"),
    [
        ("UTC0", 0, None),
        ("<+0545>-5:45", 5 * HOUR + 2700, None),
        ("<-0930>9:30", -9 * HOUR - 1800, None),
        (
            "CET-1CEST,M3.5.0,M10.5.0/3",
            HOUR,
            Summer(ahead=HOUR, start=Switch(month=3, week=5, day=0, seconds=2 * HOUR), end=Switch(month=10, week=5, day=0, seconds=3 * HOUR)),
        ),
        (
            "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
            -2 * HOUR,
            Summer(ahead=HOUR, start=Switch(month=3, week=5, day=0, seconds=-HOUR), end=Switch(month=10, week=5, day=0, seconds=0)),
        ),
        (
            "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
            10 * HOUR + 1800,
            Summer(ahead=1800, start=Switch(month=10, week=1, day=0, seconds=2 * HOUR), end=Switch(month=4, week=1, day=0, seconds=2 * HOUR)),
        ),
        (
            "IST-1GMT0,M10.5.0,M3.5.0/1",
            HOUR,
            Summer(ahead=-HOUR, start=Switch(month=10, week=5, day=0, seconds=2 * HOUR), end=Switch(month=3, week=5, day=0, seconds=HOUR)),
        ),
        (
            "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45",
            12 * HOUR + 2700,
            Summer(ahead=HOUR, start=Switch(month=9, week=5, day=0, seconds=9900), end=Switch(month=4, week=1, day=0, seconds=13500)),
        ),
    ],
)  # fmt: skip
def test_a_rule_is_read_as_posix_means_it(rule: str, offset: int, summer: Summer | None) -> None:
    assert timezones.parse(rule) == (offset, summer)


@pytest.mark.parametrize("rule", ["", "CET", "IRST-3:30IRDT,J79/24,J263/24", "CET-1CEST", "<+01>-1<+02>,80,300"])
def test_a_rule_by_days_of_the_year_is_a_fault_of_our_data(rule: str) -> None:
    with pytest.raises(ValueError, match="no rule"):
        timezones.parse(rule)


def test_only_zones_with_a_calendar_of_their_own_are_irregular() -> None:
    assert {name for name, zone in timezones.read().items() if not zone.regular} == {
        "America/Havana",
        "Asia/Gaza",
        "Asia/Hebron",
        "Cuba",
    }
