"""What Prometheus' answers say of pods."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from gpuplan.reclaim.measures import Answers, Row, queries, uses
from tests.unit.reclaim.scenery import NOW

FRESH = Decimal(int(NOW.timestamp()) - 20)


def at(pod: str = "a-0", value: str | Decimal = FRESH, **labels: str) -> Row:
    usual = {"node": "h100-0", "pool": "h100", "gpu": "0", "UUID": "GPU-0", "namespace": "vision", "pod": pod}
    return {**usual, **labels}, Decimal(value)


def answers(**changed: Any) -> Answers:
    usual = {"newest": (at(),), "peak": (at(value="0.01"),), "minutes": (at(value="60"),)}
    return Answers(**{**usual, **changed})


def test_a_card_is_read_from_all_its_answers() -> None:
    given = answers(watts=(({"node": "h100-0", "gpu": "0", "UUID": "GPU-0"}, Decimal(90)),))
    (card,) = uses(given, NOW)["vision", "a-0"].cards
    assert (card.device, card.peak, card.minutes, card.age_seconds) == ("card 0 on h100-0", 0.01, 60, 20.0)
    assert (card.holders, card.watts, card.pool) == (1, 90.0, "h100")


@pytest.mark.parametrize("value", ["4294967295", "-1", "1.5", "NaN", "Infinity"])
def test_a_value_that_no_card_has_is_no_value(value: str) -> None:
    (card,) = uses(answers(peak=(at(value=value),)), NOW)["vision", "a-0"].cards
    assert card.peak is None


def test_a_card_without_a_peak_or_minutes_is_not_idle_by_default() -> None:
    (card,) = uses(answers(peak=(), minutes=()), NOW)["vision", "a-0"].cards
    assert (card.peak, card.minutes) == (None, 0)


def test_pods_on_one_card_are_counted_and_instances_are_cards_of_their_own() -> None:
    shared = uses(answers(newest=(at(), at("b-0"))), NOW)
    assert [one.holders for one in shared["vision", "a-0"].cards] == [2]
    cut = uses(answers(newest=(at(GPU_I_ID="1"), at("b-0", GPU_I_ID="2"))), NOW)
    assert [one.holders for one in cut["vision", "a-0"].cards] == [1]


def test_the_power_of_a_cut_card_says_nothing_of_an_instance() -> None:
    given = answers(
        newest=(at(GPU_I_ID="1"),), watts=(({"node": "h100-0", "gpu": "0", "UUID": "GPU-0"}, Decimal(600)),)
    )
    (card,) = uses(given, NOW)["vision", "a-0"].cards
    assert card.watts is None


def test_cards_that_a_pod_held_before_are_not_its_cards() -> None:
    given = answers(peak=(at(value="0"), at(value="0.9", UUID="GPU-7")))
    (card,) = uses(given, NOW)["vision", "a-0"].cards
    assert card.peak == 0.0


def test_memory_that_moves_is_known_of_the_pod() -> None:
    given = answers(memory=(({"namespace": "vision", "pod": "a-0"}, Decimal("0.3")),))
    assert uses(given, NOW)["vision", "a-0"].memory_peak == 0.3


def test_each_query_fills_the_answer_of_its_name() -> None:
    assert Answers(**{name: (at(),) for name in queries(60, "eu")}).watts == (at(),)
    assert "[60m]" in queries(60, "eu")["peak"]


@pytest.mark.parametrize(("minutes", "step"), [(60, 1), (720, 1), (721, 2), (7 * 24 * 60, 14)])
def test_coverage_is_asked_for_at_no_more_steps_than_a_query_can_bear(minutes: int, step: int) -> None:
    asked = queries(minutes, "eu")["minutes"]
    assert f"[{minutes}m:{step}m]" in asked
    assert asked.endswith(f" * {step}")


def test_series_of_other_clusters_are_never_asked_for() -> None:
    for query in queries(60, "eu").values():
        assert query.count('cluster=~"eu|"') == 1, query


def test_cards_of_a_store_in_which_only_some_series_name_their_cluster_are_not_taken_for_one() -> None:
    found = uses(answers(newest=(at(), at(cluster="eu"))), NOW)
    assert len(found["vision", "a-0"].cards) == 2
