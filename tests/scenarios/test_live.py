"""A running Prometheus, from end to end: it scrapes by our monitors, loads our rules, and none of them ever fails."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.exposition import text
from tests.scenarios.scraping import get, running, scrape_configs, serving
from tests.scenarios.simulation import Site, targets, write_rules
from tests.scenarios.test_scenarios import SCENARIOS, highly_available_kueue, mig_pool, time_sliced_pool, xid_48
from tests.scenarios.world import World, the_fleet

SETTLED_SECONDS = 60
NOON = 62
"""The minute of the scenario that the exporters show for ever; errors of the scenarios have begun by then."""


@pytest.fixture(scope="module")
def site() -> Site:
    return Site.of(the_fleet()[0])


def pages(site: Site, seen: World) -> dict[str, str]:
    """Return what each target shows at one minute."""
    return {
        f"/{target.name}": text(
            (one.name, dict(one.labels), value) for one in target.series if (value := one.values(NOON)) is not None
        )
        for target in targets(site, seen)
    }


def evaluated(url: str) -> list[dict[str, Any]]:
    """Return every rule once all groups were evaluated some times."""
    deadline = time.monotonic() + SETTLED_SECONDS
    while True:
        rules = [rule for group in get(url, "rules")["groups"] for rule in group["rules"]]
        scraped = [one["health"] == "up" for one in get(url, "targets")["activeTargets"]]
        if scraped and all(scraped) and all(rule["health"] != "unknown" for rule in rules):
            return rules
        assert time.monotonic() < deadline, [rule["name"] for rule in rules if rule["health"] == "unknown"]
        time.sleep(0.5)


def failing(rules: Iterable[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(rule["name"], rule.get("lastError", "")) for rule in rules if rule["health"] != "ok"]


@pytest.mark.parametrize("oldest", [False, True], ids=["newest", "oldest"])
@pytest.mark.parametrize(
    "world",
    [mig_pool, time_sliced_pool, highly_available_kueue, xid_48],
    ids=["cut cards", "shared cards", "two replicas of Kueue", "a broken card"],
)
def test_no_rule_ever_fails(
    world: Any, oldest: bool, site: Site, prometheuses: tuple[Path, ...], tmp_path: Path
) -> None:
    every = tuple(targets(site, world()))
    files = [tmp_path / name for name in write_rules(tmp_path, site)]
    for file in files:  # groups that look back on days are evaluated every few minutes
        file.write_text(re.sub(r"(?m)^ +interval: .*\n", "", file.read_text(encoding="utf-8")), encoding="utf-8")
    with serving(pages(site, world())) as address:
        config = {
            "global": {"evaluation_interval": "1s"},
            "rule_files": [str(file) for file in files],
            "scrape_configs": scrape_configs(every, address),
        }
        with running(prometheuses[oldest], tmp_path / "prometheus", config) as url:
            evaluated(url)
            time.sleep(4)  # rules that read rules of other groups have by now had something to read
            rules = evaluated(url)
            assert not failing(rules)
            firing = {
                alert["labels"]["alertname"] for alert in get(url, "alerts")["alerts"] if alert["state"] == "firing"
            }
            assert firing == ({"GpuXidNodeDrain"} if world is xid_48 else set())


def test_the_worlds_are_those_of_the_scenarios() -> None:
    assert {mig_pool, time_sliced_pool, highly_available_kueue, xid_48} <= {one.world for one in SCENARIOS.values()}
