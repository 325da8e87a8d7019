"""When a cluster is closed to changes, against the way in which Argo CD decides it at a moment."""

from __future__ import annotations

import datetime
import zoneinfo

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gpuplan.model.cron import DAY_MINUTES, Cron, Unreadable, parse, seconds
from gpuplan.model.fleet import Fleet, Window
from gpuplan.rules.windows import HORIZON_DAYS, closed, hard, lasting
from tests.build import TODAY, fleet

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {serve: {cards: [l40s]}}
nodePools: {a: {cluster: eu, tier: serve, nodes: 4, cardsPerNode: 4, selectedBy: {nfd: {}}}}
governance: {maintenance: {windows: [%s]}}
"""
MIDNIGHT = datetime.datetime.combine(TODAY, datetime.time(), tzinfo=datetime.UTC)


def window(schedule: str, duration: str, *, kind: str = "allow", zone: str = "UTC", by_hand: bool = False) -> str:
    said = f'schedule: "{schedule}", duration: {duration}, kind: {kind}, timeZone: {zone}'
    return f"{{{said}, manualSync: {str(by_hand).lower()}}}"


def governed(*windows: str) -> Fleet:
    return fleet(SPEC % ", ".join(windows))


def open_at(one: Window, minute: int) -> bool:
    """Tell whether a window is active at a minute from midnight UTC: whether it fired within its duration before, in the
    time of its zone, whose offset is that of today.
    """
    cron, duration = parse(one.schedule), seconds(one.duration)
    assert isinstance(cron, Cron)
    assert not isinstance(duration, Unreadable)
    offset = MIDNIGHT.replace(hour=12).astimezone(zoneinfo.ZoneInfo(one.time_zone)).utcoffset()
    assert offset is not None
    now = MIDNIGHT.replace(tzinfo=None) + datetime.timedelta(minutes=minute) + offset
    for back in range(int(duration // 60)):
        then = now - datetime.timedelta(minutes=back)
        if cron.on(then.date()) and then.hour in cron.hours and then.minute in cron.minutes:
            return True
    return False


def closed_at(windows: tuple[Window, ...], minute: int) -> bool:
    """Decide as Argo CD does: an active window that denies, or windows that allow of which none is active."""
    if any(open_at(one, minute) for one in windows if not one.allows):
        return True
    allowing = [one for one in windows if one.allows]
    return bool(allowing) and not any(open_at(one, minute) for one in allowing)


WINDOWS = st.builds(
    window,
    st.sampled_from(["0 2 * * 6", "30 22 * * 1-5", "*/20 8-17 * * *", "0 0 1,15 * *", "0 0 1 1 *", "59 23 31 12 4"]),
    st.sampled_from(["1h", "90m", "5m", "26h", "72h"]),
    kind=st.sampled_from(["allow", "deny"]),
    zone=st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/Los_Angeles"]),
)


@settings(max_examples=40)
@given(st.lists(WINDOWS, min_size=1, max_size=3), st.lists(st.integers(0, 40 * DAY_MINUTES), min_size=1, max_size=8))
def test_a_minute_is_closed_just_when_argo_cd_would_not_sync(windows: list[str], minutes: list[int]) -> None:
    built = governed(*windows)
    spans = closed(built, built.governance.windows)
    for minute in minutes:
        assert any(start <= minute < end for start, end in spans) == closed_at(built.governance.windows, minute)


@given(st.lists(WINDOWS, max_size=3))
def test_closed_times_are_apart_and_within_the_year(windows: list[str]) -> None:
    built = governed(*windows)
    spans = closed(built, built.governance.windows)
    assume(spans)
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(set(edges))
    assert 0 <= edges[0] < edges[-1] <= HORIZON_DAYS * DAY_MINUTES


@pytest.mark.parametrize(
    ("windows", "expected"),
    [
        ([("allow", False)], ["allow"]),
        ([("allow", True)], []),
        ([("allow", True), ("allow", False)], ["allow", "allow"]),
        ([("allow", True), ("deny", False)], ["deny"]),
        ([("allow", False), ("deny", True)], ["allow"]),
        ([("deny", True)], []),
    ],
)
def test_one_window_without_manual_sync_holds_people_back_with_all_of_its_kind(
    windows: list[tuple[str, bool]], expected: list[str]
) -> None:
    built = governed(*(window("0 2 * * 6", "4h", kind=kind, by_hand=by_hand) for kind, by_hand in windows))
    assert ["allow" if one.allows else "deny" for one in hard(built.governance.windows)] == expected


@pytest.mark.parametrize(
    ("minutes", "words"), [(0, "0 min"), (59, "59 min"), (60, "1 h"), (9840, "6 d 20 h"), (1441, "1 d 1 min")]
)
def test_a_length_of_time_in_words(minutes: int, words: str) -> None:
    assert lasting(minutes) == words
