"""Schedules and durations mean what they mean to Argo CD.

The expectations of schedules were given by robfig/cron v3.0.1 itself, with the options with which Argo CD v3.6 makes its
parser, those of durations by Go's time.ParseDuration.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.model.cron import FIELDS, Cron, Unreadable, parse, seconds

TODAY = datetime.date(2026, 11, 30)  # a Monday


def firings(cron: Cron) -> Iterator[str]:
    """Yield when a schedule fires from `TODAY` on."""
    for ahead in cron.days_from(TODAY, 3 * 366):
        day = TODAY + datetime.timedelta(days=ahead)
        yield from (f"{day} {minute // 60:02}:{minute % 60:02}" for minute in cron.times)


@pytest.mark.parametrize(
    ("schedule", "first"),
    [
        ("0 2 * * 6", ["2026-12-05 02:00", "2026-12-12 02:00"]),
        ("30 22 * * SAT,sun", ["2026-12-05 22:30", "2026-12-06 22:30"]),
        ("0 0 13 * 5", ["2026-12-04 00:00", "2026-12-11 00:00", "2026-12-13 00:00"]),  # either day field
        ("0 0 13 * */1", ["2026-12-13 00:00", "2027-01-13 00:00"]),  # step 1 is still a star
        ("0 0 13 * */2", ["2026-12-01 00:00", "2026-12-03 00:00"]),  # step 2 is none
        ("50/5 1 ? jan-feb *", ["2027-01-01 01:50", "2027-01-01 01:55", "2027-01-02 01:50"]),
        ("0 8-18/4 1,15 * ?", ["2026-12-01 08:00", "2026-12-01 12:00", "2026-12-01 16:00", "2026-12-15 08:00"]),
        ("+5 *-2 1 1 *", ["2027-01-01 00:05", "2027-01-01 01:05"]),
        (",7, 1 1 1 *", ["2027-01-01 01:07", "2028-01-01 01:07"]),
    ],
)
def test_a_schedule_fires_when_it_does_for_argo_cd(schedule: str, first: list[str]) -> None:
    cron = parse(schedule)
    assert isinstance(cron, Cron)
    assert list(itertools.islice(firings(cron), len(first))) == first


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [
        ("@daily", "it has 1 field, not 5"),
        ("0 0 2 * * 6", "it has 6 fields, not 5"),
        ("CRON_TZ=Europe/Berlin 0 2 * * 6", "it has 6 fields, not 5"),
        ("60 2 * * *", "`60` in the minute is outside 0 to 59"),
        ("0 2 0 * *", "`0` in the day of month is outside 1 to 31"),
        ("0 2 * * 7", "`7` in the day of week is outside 0 to 6"),
        ("0 2 * * sat-sun", "`sat-sun` in the day of week runs backwards"),
        ("0 2 * * saturday", "`saturday` in the day of week is no number or range, nor a name"),
        ("0 2 L * *", "`L` in the day of month is no number or range"),
        ("0 2 * * 5#2", "`5#2` in the day of week is no number or range, nor a name"),
        ("*/0 2 * * *", "`*/0` in the minute has step 0"),
        ("1/2/3 2 * * *", "`1/2/3` in the minute has more than one `/`"),
        ("1-2-3 2 * * *", "`1-2-3` in the minute has more than one `-`"),
        ("1- 2 * * *", "`1-` in the minute is no number or range"),
        ("٣ 2 * * *", "`٣` in the minute is no number or range"),
    ],
)
def test_what_argo_cd_cannot_read_is_refused_with_the_reason(schedule: str, reason: str) -> None:
    assert parse(schedule) == Unreadable(reason)


@pytest.mark.parametrize(
    ("schedule", "fires"), [("0 0 30 2 *", False), (", 1 * * *", False), ("0 0 29 2 *", True), ("0 0 30 2 1", True)]
)
def test_a_schedule_without_a_day_never_fires(schedule: str, fires: bool) -> None:
    cron = parse(schedule)
    assert isinstance(cron, Cron)
    assert cron.fires(TODAY) is fires


@given(st.lists(st.text("*?/-,+0123456789monjanA ", max_size=6), min_size=5, max_size=5).map(" ".join))
def test_any_text_is_read_or_refused_and_what_is_read_stays_in_bounds(text: str) -> None:
    cron = parse(text)
    if isinstance(cron, Cron):
        for values, field in zip(
            (cron.minutes, cron.hours, cron.days, cron.months, cron.weekdays), FIELDS, strict=True
        ):
            assert all(field.least <= value <= field.most for value in values)


@pytest.mark.parametrize(
    ("duration", "expected"),
    [("4h", 14400), ("1h30m", 5400), ("1.5h", 5400), (".5h", 1800), ("+1h", 3600), ("90m", 5400), ("1500ms", 1.5)],
)
def test_a_duration_is_read_as_go_reads_it(duration: str, expected: float) -> None:
    assert seconds(duration) == expected


@pytest.mark.parametrize("duration", ["", "4", "2d", "1h 30m", "1H", "-1h", "1e3s", "h", "0h", "0s"])
def test_what_opens_no_window_is_no_duration(duration: str) -> None:
    assert isinstance(seconds(duration), Unreadable)
