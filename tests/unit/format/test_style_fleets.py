"""Generated fleets, laid out badly, come out in style and mean the same."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.generated import specs
from tests.generated.text import HEAD
from tests.unit.format.messy import messy_by
from tests.unit.format.test_style_properties import stays_and_rests


@settings(deadline=None, max_examples=20, suppress_health_check=list(HealthCheck))
@given(specs(), st.lists(st.integers(), min_size=5, max_size=5))
def test_a_fleet_keeps_values_and_comments_and_comes_to_rest(spec: dict[str, Any], seeds: list[int]) -> None:
    for seed in seeds:
        stays_and_rests(messy_by(seed, {**HEAD, **spec}))
