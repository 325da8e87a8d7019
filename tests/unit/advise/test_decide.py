"""Which way a pool is sent, at the lines that are drawn, and where points do not count."""

from __future__ import annotations

from fractions import Fraction

import pytest

from gpuplan.advise import hours
from gpuplan.advise.record import Group, Record
from gpuplan.advise.settings import settings
from gpuplan.model.answers import NO_ANSWERS
from tests.unit.advise.reading import answers_of, record_of

HEAD = """apiVersion: gpuplan.dev/v1alpha1
metadata: {name: tiny}
delivery: {argocd: {repoURL: "https://git.acme.example/fleet.git"}}
"""
TIERS = 'cardTiers: {serve: {cards: [l40s], costPerCardHour: "1.00 EUR"}, cut: {cards: [a100-sxm-40gb]}, big: {cards: [h100-sxm-80gb], topology: off}}\n'
CHAT = """taskPools: {chat: {kind: onlineInference, service: guaranteed, tiers: [serve], stateful: {drainSeconds: 900}}}
teams: {web: {namespaces: [web], quotas: {chat: {serve: {guaranteed: 4}}}}}
"""
MIG = "sharing: {mig: {profiles: {1g.5gb: 7}}}"
PLAIN = 'clusters: {eu: {kubernetes: "1.36"}}\n'


def fleet(pools: str, clusters: str = PLAIN, more: str = "") -> str:
    return f"{HEAD}{clusters}{TIERS}nodePools:\n{pools}\n{more}"


def pool(name: str, nodes: int, *more: str, tier: str = "serve", cluster: str = "eu") -> str:
    parts = [
        f"cluster: {cluster}, tier: {tier}, nodes: {nodes}, cardsPerNode: 4, selectedBy: {{nfd: {{nodeNames: [{name}]}}}}",
        *more,
    ]
    return f"  {name}: {{{', '.join(parts)}}}\n"


def only(record: Record) -> Group:
    (group,) = record.groups
    return group


@pytest.mark.parametrize(
    ("nodes", "points"),
    [(1, -1), (19, -1), (20, 0), (49, 0), (50, 1), (199, 1), (200, 2), (5000, 2)],
)
def test_consistency_counts_from_the_lines_that_are_drawn(nodes: int, points: int) -> None:
    group = only(record_of(fleet(pool("a", nodes))))
    assert next(score.made.points for score in group.scores if score.dimension == "consistency") == points


@pytest.mark.parametrize(
    ("answers", "dimension", "points"),
    [
        ("", "security", 0),
        ("security: {airGapped: true}", "security", -1),
        ("security: {privilegedPods: reviewed}", "security", -1),
        ("security: {privilegedPods: forbidden}", "security", -2),
        ("security: {privilegedPods: forbidden, airGapped: true}", "security", -2),
        ("clouds: [aws]", "heterogeneity", 0),
        ("clouds: [aws, azure]", "heterogeneity", 1),
        ("inService: false", "migration", 0),
        ("inService: true", "migration", -1),
        ("people: {platform: 2, controllers: 2}", "cost", -1),
        ("people: {platform: 2, controllers: 1}", "cost", -2),
        ("people: {platform: 0.1}", "cost", 2),
        ("people: {platform: 0.1, controllers: 0}", "cost", 0),
        ("modelReleasesPerDay: 9", "consistency", -1),
        ("modelReleasesPerDay: 10", "consistency", 0),
        ("growthPercentPerYear: 49", "consistency", -1),
        ("growthPercentPerYear: 50", "consistency", 0),
    ],
)
def test_an_answer_gives_its_points(answers: str, dimension: str, points: int) -> None:
    group = only(record_of(fleet(pool("a", 12)), answers))
    assert next(score.made.points for score in group.scores if score.dimension == dimension) == points


@pytest.mark.parametrize(
    ("answers", "way"),
    [
        ("", "manual"),
        ("growthPercentPerYear: 100", "operator"),
        ("modelReleasesPerDay: 10\ninService: false", "operator"),
        ("thresholds: {fewNodes: 5, manyNodes: 10}\nhours: {baseOperator: 8}", "operator"),
        ("weights: {consistency: 0, cost: 0, migration: 0}", "operator"),
        ("people: {platform: 0.5}", "operator"),
        ("people: {platform: 3, controllers: 0}\nmodelReleasesPerDay: 10", "manual"),
    ],
)
def test_thirty_nodes_go_where_the_answers_send_them(answers: str, way: str) -> None:
    assert only(record_of(fleet(pool("a", 30)), answers)).advised == way


def test_a_turn_names_the_very_node_at_which_the_advice_turns() -> None:
    text = next(turn.when for turn in only(record_of(fleet(pool("a", 30)))).turns if turn.fact == "nodes")
    nodes = int(text.split()[1])
    assert only(record_of(fleet(pool("a", nodes - 1)))).advised == "manual"
    assert only(record_of(fleet(pool("a", nodes)))).advised == "operator"


def test_work_with_state_keeps_its_pool_on_scripts_where_others_go() -> None:
    record = record_of(fleet(pool("a", 24) + pool("b", 24, tier="big"), more=CHAT), "modelReleasesPerDay: 2")
    assert {group.pools: group.advised for group in record.groups} == {("a",): "manual", ("b",): "operator"}
    assert record.direction == "mixed"


def test_a_mig_pool_follows_where_the_operator_serves_its_cluster() -> None:
    pools = pool("a", 2, "stack: operator") + pool("cut", 2, MIG, tier="cut")
    record = record_of(fleet(pools), "weights: {migration: 5}")
    cut = next(group for group in record.groups if group.pools == ("cut",))
    assert (cut.advised, cut.total < 0) == ("operator", True)
    assert "mig/beside-operator" in cut.because


def test_a_mig_pool_of_another_cluster_does_not_follow() -> None:
    clusters = 'clusters: {eu: {kubernetes: "1.36"}, us: {kubernetes: "1.36"}}\n'
    pools = pool("a", 2, "stack: operator", cluster="us") + pool("cut", 2, MIG, tier="cut")
    record = record_of(fleet(pools, clusters), "weights: {migration: 5}")
    assert record.advised("eu", "cut") == "manual"


def test_claimed_devices_stay_on_scripts_whatever_the_points_are() -> None:
    group = only(record_of(fleet(pool("a", 500, "exposure: dra", tier="big"))))
    assert (group.advised, group.total > 0) == ("manual", True)
    assert "DRA" in group.because


def test_forbidden_privilege_rules_the_operator_out_and_says_what_opens_it() -> None:
    group = only(record_of(fleet(pool("a", 500)), "security: {privilegedPods: forbidden}"))
    assert group.advised == "manual"
    assert [one.opens for one in group.ruled_out] == ["an exception for the operator's namespace"]
    assert any(turn.key == "security.privilegedPods" and turn.way == "operator" for turn in group.turns)


def test_where_both_ways_are_ruled_out_nothing_moves_and_people_decide() -> None:
    clusters = 'clusters: {eu: {kubernetes: "1.34", distribution: openshift, os: rhcos, containerRuntime: cri-o}}\n'
    group = only(record_of(fleet(pool("a", 9), clusters), "security: {privilegedPods: forbidden}"))
    assert (group.stuck, group.now, group.advised) == (True, "manual", "manual")
    assert any("Both ways are ruled out" in line for line in group.conditions)


@pytest.mark.parametrize(("stack", "way"), [("manual", "external"), ("operator", "operator")])
def test_on_gke_scripts_give_way_to_its_own_stack_and_a_running_operator_stays(stack: str, way: str) -> None:
    clusters = f'clusters: {{eu: {{kubernetes: "1.35", distribution: gke, os: cos, stack: {stack}}}}}\n'
    assert only(record_of(fleet(pool("a", 100), clusters), "clouds: [aws, azure]")).advised == way


def test_an_image_that_does_not_exist_is_got_round_by_a_driver_on_the_nodes() -> None:
    clusters = 'clusters: {eu: {kubernetes: "1.36", os: sles15}}\n'
    group = only(record_of(fleet(pool("a", 300), clusters)))
    assert group.advised == "manual"
    assert "`driver: {preinstalled: true}`" in {one.opens for one in group.ruled_out}
    ready = only(record_of(fleet(pool("a", 300, "driver: {preinstalled: true}"), clusters)))
    assert ready.advised == "operator"


def test_pools_without_a_choice_are_told_why() -> None:
    tiers = "cardTiers: {amd: {cards: [mi300x]}, gaudi: {cards: [gaudi3]}, burst: {cards: [l4]}}\n"
    rest = "nodes: 1, cardsPerNode: 8, selectedBy: {nfd: {}}"
    pools = (
        f"  amd: {{cluster: eu, tier: amd, {rest}, stack: operator}}\n"
        f"  gaudi: {{cluster: eu, tier: gaudi, {rest}}}\n"
        f"  burst: {{cluster: eu, tier: burst, {rest}, stack: external}}\n"
    )
    record = record_of(f"{HEAD}{PLAIN}{tiers}nodePools:\n{pools}")
    assert record.direction == "none"
    assert {one.pool: one.advised for one in record.fixed} == {
        "amd": "operator",
        "gaudi": "manual",
        "burst": "external",
    }
    assert all(one.why for one in record.fixed)
    assert record.pilot is None


def test_the_pilot_holds_no_state_guarantees_nothing_and_has_a_node_to_spare() -> None:
    work = """taskPools:
  floor: {kind: training, service: guaranteed, tiers: [serve]}
  batch: {kind: training, service: queued, tiers: [big]}
teams: {web: {namespaces: [web], quotas: {floor: {serve: {guaranteed: 4}}, batch: {big: {guaranteed: 4}}}}}
"""
    pools = pool("a", 3) + pool("single", 1, tier="big") + pool("b", 80, tier="big") + pool("c", 60, tier="big")
    record = record_of(fleet(pools, more=work))
    assert [move.pool for move in record.order] == ["c", "b", "single", "a"]
    assert record.pilot is not None
    assert (record.pilot.pool, record.pilot.split) == ("c", 0)


def test_a_pilot_on_critical_work_takes_two_nodes_out_first() -> None:
    record = record_of(fleet(pool("a", 90), more=CHAT.replace(", stateful: {drainSeconds: 900}", "")))
    assert record.pilot is not None
    assert (record.pilot.pool, record.pilot.split) == ("a", 2)


def test_where_nothing_moves_the_cycle_is_a_base_line() -> None:
    record = record_of(fleet(pool("a", 5) + pool("b", 3)))
    assert record.order == ()
    assert record.pilot is not None
    assert (record.pilot.pool, record.pilot.now, record.pilot.to) == ("b", "manual", "manual")


def test_hours_and_idle_cards_are_counted_exactly() -> None:
    answers = 'idleCardsPercent: 10\nhourlyRate: "100 EUR"\nhours: {faultsPerNodeMonth: 0.05}'
    costs = record_of(fleet(pool("a", 40)), answers).costs
    assert [work.hours for work in costs.work] == [8 + 20 + 12, 24 + 4 + 12]
    assert [work.money for work in costs.work] == [4000, 4000]
    assert costs.break_even == 40
    (idle,) = costs.idle
    assert idle.a_percent == 160 * 730 / Fraction(100)
    assert idle.money == 11680
    assert costs.unpriced == ()


def test_people_upgrade_a_driver_that_comes_with_the_nodes_on_either_way() -> None:
    ours = settings(NO_ANSWERS)
    assert hours.upgrades("operator", 40, 0, ours) == hours.upgrades("manual", 40, 40, ours) == 20


def test_prices_in_another_currency_than_the_rate_are_not_added_up() -> None:
    costs = record_of(fleet(pool("a", 9)), 'hourlyRate: "100 USD"\nidleCardsPercent: 10').costs
    assert costs.difference("now") is not None
    assert costs.as_idle_percent("now") is None


def test_what_is_not_said_is_listed_with_what_it_would_change() -> None:
    record = record_of(fleet(pool("a", 30)), "people: {platform: 3}")
    missing = {one.key: one.changes for one in record.missing}
    assert "people.platform" not in missing
    assert any("growth a year" in line and "`a`" in line for line in missing["growthPercentPerYear"])
    assert missing["security.airGapped"] == ()


def test_a_fact_says_where_it_is_written() -> None:
    record = record_of(fleet(pool("a", 45)), "\npeople: {platform: 3}")
    group = only(record)
    assert [str(at) for at in group.fact("nodes").at] == ["fleet/fleet.yaml:7:40"]
    assert [str(at) for at in group.fact("people").at] == ["answers.yaml:2:10"]
    assert group.fact("growth").assumed
    assert answers_of("people: {platform: 3}").number("people.platform") == 3
