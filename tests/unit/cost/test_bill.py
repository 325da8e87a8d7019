"""Bills add up to the cent, whatever is read."""

from __future__ import annotations

import datetime
import zoneinfo
from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.cost.asking import COST_CENTERS, COVERAGE, MEASURES, Measure, Reading, What
from gpuplan.cost.bill import CENT, Bill, bill, shared, to_cent
from gpuplan.cost.ledger import Amount, Ledger, ledger
from gpuplan.cost.period import Span, days
from gpuplan.cost.views import SHAPES, By, Row, view

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
WHOLE = Span(start=datetime.datetime(2025, 3, 29, tzinfo=BERLIN), end=datetime.datetime(2025, 3, 31, tzinfo=BERLIN))
DAYS = days(WHOLE)
BY: tuple[By, ...] = ("team", "pool", "costCenter")


def measure(what: What, unit: str) -> Measure:
    return next(one for one in MEASURES if one.what is what and one.unit == unit)


def reading(what: What, unit: str, total: str, **labels: str) -> Reading:
    return Reading(measure=measure(what, unit), labels=labels, total=Decimal(total))


def seen(minutes: int, pool: str = "a", **labels: str) -> Reading:
    return Reading(measure=COVERAGE, labels={"pool": pool, **labels}, total=Decimal(minutes))


def center(team: str, name: str, samples: int = 1440) -> Reading:
    return Reading(measure=COST_CENTERS, labels={"team": team, "cost_center": name}, total=Decimal(samples))


def billed(*each: Sequence[Reading]) -> Bill:
    read = Ledger()
    for day, readings in zip(DAYS, each, strict=False):
        read = read.plus(ledger(day, readings))
    return bill(read)


def of(made: Bill, by: By = "team", currency: str = "USD") -> dict[str, Row]:
    rows = view(made, by, currency).rows
    return {row.names[0] if row.kind == "owner" else row.kind: row for row in rows}


sums = st.decimals(min_value=0, max_value=10**7, places=9)


@given(st.lists(sums, max_size=20))
def test_rounded_parts_add_up_and_none_is_off_by_a_hundredth(parts: list[Decimal]) -> None:
    total = to_cent(sum(parts, start=Decimal(0)))
    made = shared(parts, total)
    assert sum(made, start=Decimal(0)) == total
    assert all(abs(one - part) < CENT + Decimal("1e-6") for one, part in zip(made, parts, strict=True))


@st.composite
def recorded(draw: st.DrawFn) -> list[list[Reading]]:
    """Draw days in which each pool's price is made of teams, no team and nobody, as binary numbers have it."""
    made = []
    for _ in DAYS:
        day = [center(team, draw(st.sampled_from(["", "cc-1", "cc-2"]))) for team in ("x", "y", "z")]
        for pool, currency in (("a", "USD"), ("b", "USD"), ("c", "EUR")):
            teams = {team: draw(st.floats(0, 1e6)) for team in draw(st.sets(st.sampled_from("xyz")))}
            no_team, nobody = draw(st.floats(0, 1e5)), draw(st.floats(0, 1e6))
            labels = {"pool": pool, "currency": currency}
            whole = sum(teams.values()) + no_team + nobody
            day += [
                seen(1440, pool),
                reading(What.CAPACITY, "money", repr(whole), **labels),
                reading(What.CAPACITY, "hours", repr(whole / 2.5), pool=pool),
                reading(What.NO_TEAM, "money", repr(no_team), **labels),
                reading(What.NO_TEAM, "hours", repr(no_team / 2.5), pool=pool),
                reading(What.UNALLOCATED, "money", repr(nobody), **labels),
            ]
            for team, cost in teams.items():
                day.append(reading(What.ALLOCATED, "money", repr(cost), team=team, **labels))
                day.append(reading(What.ALLOCATED, "hours", repr(cost / 2.5), team=team, pool=pool))
                day.append(reading(What.IDLE, "money", repr(cost / 3), team=team, **labels))
        made.append(day)
    return made


@given(recorded())
def test_teams_no_team_and_nobody_make_the_price_of_all_cards_in_every_view(read: list[list[Reading]]) -> None:
    made = billed(*read)
    assert not any(check.difference for check in made.checks)
    for currency in ("USD", "EUR"):
        found = {by: of(made, by, currency) for by in BY}
        pools = found["pool"].pop("total").amounts
        for part in range(2):
            parts = (What.ALLOCATED, What.NO_TEAM, What.UNALLOCATED)
            assert sum(pools[what][part] for what in parts) == pools[What.CAPACITY][part]
            for by in ("team", "costCenter"):
                lines = dict(found[by])
                total = lines.pop("total").amounts[What.ALLOCATED][part]
                assert total == pools[What.CAPACITY][part]
                assert total == sum(row.amounts[What.ALLOCATED][part] for row in lines.values())
                owners = sum(row.amounts[What.ALLOCATED][part] for row in lines.values() if row.kind == "owner")
                assert owners == pools[What.ALLOCATED][part]


@given(recorded())
def test_every_amount_has_two_places_and_idle_is_part_of_what_is_held(read: list[list[Reading]]) -> None:
    made = billed(*read)
    assert all(number.as_tuple().exponent == -2 for amount in made.amounts.values() for number in amount)
    for row in of(made).values():
        if row.kind == "owner":
            assert row.amounts[What.IDLE].money <= row.amounts[What.ALLOCATED].money


def test_parts_that_do_not_make_the_price_are_told_by_how_much() -> None:
    labels = {"pool": "a", "currency": "USD"}
    made = billed(
        [
            reading(What.CAPACITY, "money", "600", **labels),
            reading(What.ALLOCATED, "money", "300", team="x", **labels),
            reading(What.UNALLOCATED, "money", "240", **labels),
        ]
    )
    assert any(check.difference for check in made.checks)
    assert [check.difference for check in made.checks] == [-1]
    assert of(made)["total"].amounts[What.ALLOCATED].money == 9


def test_a_pool_that_is_held_but_was_never_there_does_not_add_up() -> None:
    made = billed([reading(What.ALLOCATED, "money", "60", team="x", pool="gone", currency="USD")])
    (check,) = made.checks
    assert (check.pool, str(check.difference)) == ("gone", "1.00")


def test_what_no_team_s_pods_hold_is_not_nobody_s() -> None:
    labels = {"pool": "a", "currency": "USD"}
    made = billed(
        [
            reading(What.CAPACITY, "money", "600", **labels),
            reading(What.NO_TEAM, "money", "120", **labels),
            reading(What.UNALLOCATED, "money", "480", **labels),
        ]
    )
    found = of(made)
    assert found["noTeam"].amounts[What.ALLOCATED].money == 2
    assert found["unallocated"].amounts[What.ALLOCATED].money == 8


def test_a_team_pays_by_the_cost_centre_that_it_had_on_each_day() -> None:
    held = {"team": "x", "pool": "a", "currency": "USD"}
    made = billed(
        [center("x", "cc-1"), reading(What.ALLOCATED, "money", "60", **held)],
        [center("x", "cc-1", 100), center("x", "cc-2", 1280), reading(What.ALLOCATED, "money", "120", **held)],
    )
    by_center = of(made, "costCenter")
    assert {name: by_center[name].amounts[What.ALLOCATED].money for name in ("cc-1", "cc-2")} == {"cc-1": 1, "cc-2": 2}
    assert of(made)["x"].names == ("x", "cc-1, cc-2")
    assert of(made)["x"].amounts[What.ALLOCATED].money == 3


def test_clusters_with_equal_names_of_pools_stay_apart() -> None:
    def one(cluster: str, cost: str) -> list[Reading]:
        labels = {"cluster": cluster, "pool": "a", "currency": "USD"}
        return [reading(What.CAPACITY, "money", cost, **labels), reading(What.UNALLOCATED, "money", cost, **labels)]

    rows = view(billed([*one("eu", "60"), *one("us", "120")]), "pool", "USD").rows
    assert [(*row.names, str(row.amounts[What.CAPACITY].money)) for row in rows] == [
        ("a", "us", "2.00"),
        ("a", "eu", "1.00"),
        ("", "", "3.00"),
    ]


def test_a_day_without_any_sample_is_a_gap_and_a_new_pool_is_none() -> None:
    made = billed([seen(700, "new"), seen(1440)], [])
    assert [(one.day.isoformat(), one.samples, one.minutes) for one in made.covered] == [
        ("2025-03-29", 1440, 1440),
        ("2025-03-30", 0, 1380),
    ]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_left_out_and_told(value: str) -> None:
    made = billed([reading(What.ALLOCATED, "money", value, team="x", pool="a", currency="USD")])
    assert made.unreadable == ("gpuplan:team_gpu_cost:per_hour",)
    assert not made.amounts


def test_noise_of_binary_numbers_decides_no_half() -> None:
    for noisy in ("4.185", "4.1850000000001", "4.1849999999999"):
        assert to_cent(Decimal(noisy)) == Decimal("4.18")


def test_two_currencies_are_two_bills_and_no_price_is_the_last() -> None:
    made = billed(
        [
            reading(What.CAPACITY, "hours", "60", pool="free"),
            reading(What.CAPACITY, "money", "60", pool="u", currency="USD"),
            reading(What.CAPACITY, "hours", "30", pool="u"),
            reading(What.CAPACITY, "money", "60", pool="e", currency="EUR"),
        ]
    )
    assert made.currencies == ("EUR", "USD", "")
    assert of(made, "pool", "")["free"].amounts[What.CAPACITY] == Amount(Decimal("1.00"), Decimal("0.00"))
    assert of(made, "pool", "USD")["u"].amounts[What.CAPACITY] == Amount(Decimal("0.50"), Decimal("1.00"))


def test_a_pool_without_a_price_that_is_called_as_a_tier_stays_without_one() -> None:
    made = billed(
        [
            reading(What.CAPACITY, "hours", "60", pool="lab"),
            reading(What.RESERVED, "money", "60", team="x", tier="lab", currency="USD"),
            reading(What.RESERVED, "hours", "60", team="x", tier="lab"),
        ]
    )
    assert of(made, "pool", "")["lab"].amounts[What.CAPACITY].hours == 1
    assert of(made)["x"].amounts[What.RESERVED] == Amount(Decimal("1.00"), Decimal("1.00"))


@pytest.mark.parametrize("by", BY)
def test_nothing_read_is_nothing_billed(by: By) -> None:
    made = billed([])
    assert made.currencies == ()
    assert SHAPES[by].whats
