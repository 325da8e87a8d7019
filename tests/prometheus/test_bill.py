"""The bill of `spring`, against what was computed by hand, from each server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.transcript import in_process
from tests.prometheus import spring

Bill = dict[str, Any]


def bill(url: str, *more: str, code: int = 0) -> Bill:
    """Return a bill as programs get it."""
    made = in_process(["cost", "--prometheus", url, "--output-format", "json", *more])
    assert made.exit_code == code, made.stderr
    read: Bill = json.loads(made.stdout)
    del read["server"]
    return read


def rows(bills: Bill, currency: str | None, name: str) -> dict[str, dict[str, tuple[str, str | None]]]:
    """Return hours and money of each amount, by owner; a row of nobody by its kind."""
    (one,) = (one for one in bills["bills"] if one["currency"] == currency)
    return {
        row[name] if row["kind"] == "owner" else row["kind"]: {
            what: (amount["hours"], amount["money"]) for what, amount in row.items() if isinstance(amount, dict)
        }
        for row in one["rows"]
    }


ZERO = ("0.00", "0.00")
BY_TEAM: dict[str, dict[str, tuple[str, str | None]]] = {
    "vision": {
        "reserved": ("465.00", "1116.00"),  # 10 cards x 46.5 h x 2.40
        "allocated": ("372.00", "892.80"),  # 8 x 46.5 x 2.40
        "used": ("186.00", "446.40"),  # half of it
        "idle": ("20.00", "48.00"),  # 2 x 10 h x 2.40
        "borrowed": ZERO,
    },
    "nlp": {
        "reserved": ("46.50", "16.74"),  # 1 x 46.5 x 0.36
        "allocated": ("62.41", "25.42"),  # 3/7 x 10 h x 1.05 = 4.50, and 1.25 x 46.5 x 0.36 = 20.925
        "used": ZERO,
        "idle": ZERO,
        "borrowed": ("11.62", "4.18"),  # a share of 1/4 card: 11.625 h x 0.36
    },
    "noTeam": {"allocated": ("5.00", "12.00")},
    "unallocated": {"allocated": ("583.59", "1019.99")},
    "total": {
        "reserved": ("511.50", "1132.74"),
        "allocated": ("1023.00", "1950.21"),  # 22 cards x 46.5 h; 744 x 2.40 + 93 x 1.05 + 186 x 0.36
        "used": ("186.00", "446.40"),
        "idle": ("20.00", "48.00"),
        "borrowed": ("11.62", "4.18"),
    },
}


def test_the_bill_is_what_was_computed_by_hand(spring_urls: tuple[str, ...]) -> None:
    for url in spring_urls:
        assert rows(bill(url, *spring.ARGUMENTS), "USD", "team") == BY_TEAM


def test_cards_without_a_price_have_hours_and_no_money(spring_url: str) -> None:
    found = rows(bill(spring_url, *spring.ARGUMENTS), None, "team")
    assert {name: row["allocated"] for name, row in found.items()} == {
        "vision": ("46.50", None),
        "noTeam": ("0.00", None),
        "unallocated": ("93.00", None),
        "total": ("139.50", None),
    }


def test_a_pool_is_what_its_teams_no_team_and_nobody_held(spring_url: str) -> None:
    found = rows(bill(spring_url, *spring.ARGUMENTS, "--by", "pool"), "USD", "pool")
    parts = ("capacity", "allocated", "noTeam", "unallocated")
    assert {name: [row[part][1] for part in parts] for name, row in found.items()} == {
        "h100-a": ["1785.60", "892.80", "12.00", "880.80"],
        "a100-lab": ["97.65", "4.50", "0.00", "93.15"],
        "t4-shared": ["66.96", "20.92", "0.00", "46.04"],
        "total": ["1950.21", "918.22", "12.00", "1019.99"],
    }


def test_a_cost_centre_pays_for_its_teams_and_one_without_is_a_line_of_its_own(spring_url: str) -> None:
    found = rows(bill(spring_url, *spring.ARGUMENTS, "--by", "costCenter"), "USD", "costCenter")
    assert found == {{"vision": "cc-120", "nlp": ""}.get(name, name): row for name, row in BY_TEAM.items()}


def test_the_bill_says_how_much_of_the_time_was_seen(spring_url: str) -> None:
    assert bill(spring_url, *spring.ARGUMENTS)["coverage"] == [
        {
            "cluster": None,
            "minutes": 2820,
            "seen": 2790,
            "gaps": [{"day": "2025-03-29", "minutes": 1440, "seen": 1410}],
        }
    ]


def test_victoriametrics_gives_the_same_bill(spring_url: str, victoria_url: str) -> None:
    for by in ("team", "pool", "costCenter"):
        asked = (*spring.ARGUMENTS, "--by", by)
        assert bill(victoria_url, *asked) == bill(spring_url, *asked)


@pytest.mark.parametrize(
    ("start", "end", "hours"),
    [
        ("2025-03-29T00:00", "2025-03-29T00:01", "0.27"),  # 16 cards for a minute, so that a sample too many shows
        ("2025-03-29T23:59", "2025-03-30T00:01", "0.53"),
        ("2025-03-30T00:00", "2025-03-30T06:00", "80.00"),  # clocks went forward: 5 hours
        ("2025-03-30", "2025-03-31", "368.00"),  # 23 hours
        ("2025-03-29T11:00", "2025-03-29T13:00", "24.00"),  # half an hour is missing
        ("2025-03-29T12:00+01:00", "2025-03-29T12:31+01:00", "0.27"),
    ],
)
def test_a_minute_belongs_to_the_stretch_that_it_begins_whatever_the_server(
    spring_urls: tuple[str, ...], victoria_url: str, start: str, end: str, hours: str
) -> None:
    asked = ("--from", start, "--to", end, "--time-zone", "Europe/Berlin", "--by", "pool")
    found = [bill(url, *asked) for url in (*spring_urls, victoria_url)]
    assert rows(found[0], "USD", "pool")["h100-a"]["capacity"][0] == hours
    assert found[0] == found[1] == found[2]


def test_days_add_up_to_the_whole(spring_url: str) -> None:
    zone = ("--time-zone", "Europe/Berlin")
    days = [("2025-03-29", "2025-03-30"), ("2025-03-30", "2025-03-31")]
    parts = [rows(bill(spring_url, "--from", start, "--to", end, *zone), "USD", "team") for start, end in days]
    assert [part["vision"]["allocated"] for part in parts] == [("188.00", "451.20"), ("184.00", "441.60")]
