"""Times as annotations hold them."""

from __future__ import annotations

import datetime

from hypothesis import given
from hypothesis import strategies as st

from gpuplan.reclaim import times

YEARS = (datetime.datetime(2000, 1, 1), datetime.datetime(2100, 1, 1))  # noqa: DTZ001 - hypothesis adds the zone
aware = st.datetimes(*YEARS, timezones=st.timezones())


@given(aware)
def test_a_time_that_was_written_is_read_back_to_the_second(at: datetime.datetime) -> None:
    assert times.read(times.written(at)) == at.astimezone(datetime.UTC).replace(microsecond=0)


@given(st.text(max_size=30))
def test_any_text_is_a_time_with_a_zone_or_none(text: str) -> None:
    found = times.read(text)
    assert found is None or found.tzinfo is not None


@given(st.sampled_from(["0001-01-01T00:00:00", "9999-12-31T23:59:59"]), st.sampled_from(["+23:59", "-23:59", "Z"]))
def test_what_anybody_may_write_on_an_object_is_read_without_an_accident(text: str, zone: str) -> None:
    found = times.read(text + zone)
    assert found is None or times.read(times.written(found)) == found
