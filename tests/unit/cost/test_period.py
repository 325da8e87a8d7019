"""The stretch of a bill: what is read, what is refused, and how it is cut into days."""

from __future__ import annotations

import datetime
import itertools
import zoneinfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gpuplan.cost.asking import MEASURES, What, selector
from gpuplan.cost.period import Span, days, moment, span, time_zone

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)


def berlin(text: str) -> datetime.datetime:
    made = moment(text, BERLIN)
    assert isinstance(made, datetime.datetime), made
    return made


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-11-01", "2026-11-01T00:00:00+01:00"),
        ("2026-07-01T08:30", "2026-07-01T08:30:00+02:00"),
        ("2026-07-01T08:30Z", "2026-07-01T10:30:00+02:00"),
        ("2026-07-01T08:30-07:00", "2026-07-01T17:30:00+02:00"),
        ("2026-10-25T02:30", "2026-10-25T02:30:00+02:00"),  # comes twice: the first is meant
        ("2026-10-25T02:30+01:00", "2026-10-25T02:30:00+01:00"),
    ],
)
def test_a_time_is_of_the_zone_unless_it_says_otherwise(written: str, meant: str) -> None:
    assert berlin(written).isoformat() == meant


@pytest.mark.parametrize("written", ["", "2026-13-01", "1.11.2026", "2026-11-01T08:30:15", "0001-01-01", "now"])
def test_what_is_no_time_is_refused_with_an_example(written: str) -> None:
    made = moment(written, BERLIN)
    assert isinstance(made, str)
    assert "2026-11-01" in made


def test_a_stretch_ends_after_it_begins_and_is_over() -> None:
    start = berlin("2026-11-01")
    assert isinstance(span(start, berlin("2026-11-30T13:00"), NOW), Span)
    assert "is in the future" in str(span(start, berlin("2026-11-30T13:01"), NOW))
    assert "is not after" in str(span(start, start, NOW))
    again = span(berlin("2026-10-25T02:30+02:00"), berlin("2026-10-25T02:30+01:00"), NOW)
    assert isinstance(again, Span)
    assert again.minutes == 60


@pytest.mark.parametrize("name", ["Europe/Berln", "../etc/passwd", "", "Europe"])
def test_an_unknown_zone_is_refused(name: str) -> None:
    assert "is no time zone" in str(time_zone(name))


times = st.integers(0, 20 * 366 * 1440).map(
    lambda minutes: datetime.datetime(2005, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(minutes=minutes)
)
zones = st.sampled_from(
    ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "America/Sao_Paulo", "Pacific/Apia"]
)


APIA = datetime.datetime(2011, 12, 28, 12, tzinfo=datetime.UTC)
"""Before the Friday that Samoa left out."""
TWICE = datetime.datetime(2026, 10, 25, 0, 30, tzinfo=datetime.UTC)
"""Half past two in Berlin, which comes again an hour later."""


@example(APIA, datetime.timedelta(days=4), "Pacific/Apia")
@example(TWICE, datetime.timedelta(hours=1), "Europe/Berlin")
@given(times, st.timedeltas(datetime.timedelta(minutes=1), datetime.timedelta(days=40)), zones)
def test_days_follow_each_other_without_gap_and_make_the_whole(
    start: datetime.datetime, length: datetime.timedelta, name: str
) -> None:
    zone = zoneinfo.ZoneInfo(name)
    whole = Span(start=start.astimezone(zone), end=(start + length).astimezone(zone))
    parts = days(whole)
    assert (parts[0].start, parts[-1].end) == (whole.start, whole.end)
    assert all(one.end == after.start for one, after in itertools.pairwise(parts))
    assert sum(part.milliseconds for part in parts) == whole.milliseconds
    assert all(0 < part.milliseconds <= 25 * 3_600_000 for part in parts)


def test_a_query_looks_back_over_a_day_from_its_last_millisecond() -> None:
    day = days(Span(start=berlin("2026-10-25"), end=berlin("2026-10-26")))[0]
    allocated = next(one for one in MEASURES if one.what is What.ALLOCATED and one.unit == "money")
    assert allocated.query(day) == (
        "max by (cluster, team, pool, currency) (sum_over_time(gpuplan:team_gpu_cost:per_hour[90000000ms]))"
    )
    assert day.last.isoformat(timespec="milliseconds") == "2026-10-25T22:59:59.999+00:00"


def test_clusters_are_chosen_by_their_whole_names() -> None:
    assert selector([]) == ""
    assert selector(["prod.us", "prod-eu"]) == r'{cluster=~"prod\\-eu|prod\\.us"}'
