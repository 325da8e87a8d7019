"""Exactly the expected alerts fire, on both ends of what we promise (Prometheus 2.42 and 3), and no other at any minute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.scenarios.exposition import always, growing, switched
from tests.scenarios.simulation import Site, run, series, write_rules
from tests.scenarios.world import Pod, Queue, World, healthy, the_fleet

Fired = tuple[str, str]
"""(alert, team that hears of it)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """What goes wrong, for how many minutes we look, and which alerts fire at the end or did so before."""

    world: Callable[[], World]
    minutes: int = 240
    firing: tuple[Fired, ...] = ()
    fired: tuple[Fired, ...] = ()
    """Those that had fired and no longer do."""


def dead_card() -> World:
    return healthy().with_node("h1", cards_present={1: switched(60, 1, None)})


def dead_exporter() -> World:
    return healthy().with_node("h2", reports=switched(60, 1, None))


def xid_48() -> World:
    return healthy().with_node("h1", xids=((0, 48, 60, 65),))


def xid_31() -> World:
    return healthy().with_node("h1", xids=((0, 31, 235, 240),))


def mig_pool() -> World:
    """Every instance is held and idle ones say so; cards in MIG mode never report GPU_UTIL."""
    world = healthy()
    more = {
        f"explore-{card}-{instance}": Pod(
            namespace="vision", name=f"explore-{card}-{instance}", node="a1", resource="nvidia_com_mig_1g_5gb", units=1,
            cards=((card, instance),), busy=always(0.3),
        )
        for card, instance in [(0, 2), (0, 3), (1, 0), (1, 6)]
    }  # fmt: skip
    return replace(world, pods={**world.pods, **more})


def time_sliced_pool() -> World:
    """Four pods share a card, which is therefore shown four times, each with all of its power."""
    world = healthy()
    more = {
        f"desk-{number}": Pod(
            namespace="vision", name=f"desk-{number}", node="t1", resource="nvidia_com_gpu_shared", units=1,
            cards=((0, -1),), busy=always(0.4), owner=("StatefulSet", "desk"),
        )
        for number in range(3)
    }  # fmt: skip
    return replace(world, pods={**world.pods, **more}).with_node(
        "t1", said={(0, "DCGM_FI_DEV_POWER_USAGE"): always(69)}
    )


def highly_available_kueue() -> World:
    return replace(healthy(), kueue_roles=("leader", "follower"))


def idle_owner() -> World:
    return healthy().with_pod("train-vision", busy=always(0))


def congested_pool() -> World:
    return healthy().with_queue("vision-notebooks", usage=always(8), pending=always(2), pending_units=always(4))


def starved_team() -> World:
    return healthy().with_queue(
        "nlp-pretrain", usage=switched(60, 2, 0), pending=switched(60, 0, 1), pending_units=switched(60, 0, 2)
    )


def slow_serving() -> World:
    return replace(healthy(), slow_requests=growing(20, begin=60, start=10))


def failed_releases() -> World:
    return replace(
        healthy(),
        syncs={"Succeeded": growing(0.05, start=10), "Failed": lambda minute: 3 + (minute > 60) + (minute > 90)},
    )


def finished_pods() -> World:
    """A job's pod is done and still listed: it holds nothing."""
    return (
        healthy().with_pod("train-nlp", phase="Succeeded", busy=always(0)).with_queue("nlp-pretrain", usage=always(0))
    )


SCENARIOS = {
    "a healthy day": Scenario(world=healthy, minutes=1440),
    "a dead card": Scenario(world=dead_card, firing=(("GpuMissingFromNode", "platform"),)),
    "a dead exporter": Scenario(world=dead_exporter, firing=(("GpuExporterDownOnGpuNode", "platform"),)),
    "XID 48": Scenario(world=xid_48, fired=(("GpuXidNodeDrain", "platform"),)),
    "XID 31 of a program": Scenario(world=xid_31, minutes=238, firing=(("GpuXidApplication", "nlp"),)),
    "a pool cut by MIG": Scenario(world=mig_pool),
    "a time-sliced pool": Scenario(world=time_sliced_pool),
    "two replicas of Kueue": Scenario(world=highly_available_kueue),
    "an idle owner": Scenario(world=idle_owner, firing=(("TeamGpuIdleHigh", "vision"),)),
    "a congested pool": Scenario(world=congested_pool, firing=(("GpuPoolCongested", "platform"),)),
    "a team starved at peak": Scenario(world=starved_team, firing=(("TeamStarvedUnderQuota", "nlp"),)),
    "slow serving": Scenario(
        world=slow_serving, firing=(("InferenceLatencyBurnFast", "nlp"), ("InferenceLatencyBurnSlow", "nlp"))
    ),
    "failed releases": Scenario(world=failed_releases, firing=(("ReleaseFailing", "nlp"),)),
    "finished pods": Scenario(world=finished_pods),
}


@pytest.fixture(scope="module")
def site() -> Site:
    return Site.of(the_fleet()[0])


@pytest.mark.parametrize("name", SCENARIOS)
def test_exactly_the_expected_alerts_fire(
    name: str, site: Site, prometheuses: tuple[Path, ...], promtools: tuple[Path, ...], tmp_path: Path
) -> None:
    scenario = SCENARIOS[name]
    rules = write_rules(tmp_path, site)
    for prometheus, promtool in zip(prometheuses, promtools, strict=True):
        seen = series(prometheus, tmp_path / prometheus.name, site, scenario.world(), scenario.minutes)
        said = run(promtool, tmp_path, _test(name, rules, seen, scenario))
        assert not said, f"{promtool}\n{said}"


def _test(name: str, rules: list[str], seen: dict[str, str], scenario: Scenario) -> dict[str, object]:
    ever = (*scenario.firing, *scenario.fired)
    return {
        "rule_files": rules,
        "evaluation_interval": "1m",
        "group_eval_order": [name.removesuffix(".rules.yaml") for name in rules],
        "tests": [
            {
                "name": name,
                "interval": "1m",
                "input_series": [{"series": one, "values": values} for one, values in seen.items()],
                "promql_expr_test": [
                    _expected('ALERTS{alertstate="firing"}', scenario.minutes, scenario.firing),
                    _expected(
                        f'max_over_time(ALERTS{{alertstate="firing"}}[{scenario.minutes}m])', scenario.minutes, ever
                    ),
                    {
                        "expr": "count(gpuplan:node_pool:info)",
                        "eval_time": f"{scenario.minutes}m",
                        "exp_samples": [{"labels": "{}", "value": 5}],
                    },
                ],
            }
        ],
    }


def _expected(alerts: str, minute: int, fired: tuple[Fired, ...]) -> dict[str, object]:
    return {
        "expr": f"group by (alertname, team) ({alerts})",
        "eval_time": f"{minute}m",
        "exp_samples": [{"labels": f'{{alertname="{alert}", team="{team}"}}', "value": 1} for alert, team in fired],
    }


def test_a_world_names_every_queue_of_its_fleet() -> None:
    _, cluster = the_fleet()
    assert healthy().queues.keys() == {queue.name for cohort in cluster.cohorts_with_queues for queue in cohort.queues}
    assert all(isinstance(queue, Queue) for queue in healthy().queues.values())
