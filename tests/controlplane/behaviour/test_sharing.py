"""A shared task pool: fair between teams by weight, and never more than it may have."""

from __future__ import annotations

from tests.controlplane.behaviour.stage import Stage


def test_a_shared_pool_is_split_by_weight(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {a100: {tier: lab, nodes: 2, cardsPerNode: 6}}
taskPools: {notebooks: {kind: experiment, service: shared, tiers: [lab], pool: {lab: 12}}}
teams:
  vision: {namespaces: [vision], quotas: {notebooks: {weight: 2}}}
  nlp: {namespaces: [nlp], quotas: {notebooks: {weight: 1}}}
""")
    early = scene.flood("nlp", "notebooks", 12)
    assert len(scene.settled(early)) == 12, "idle cards are used whoever asks"

    late = scene.flood("vision", "notebooks", 9)

    running = scene.settled([*early, *late])
    assert len(running) == 12
    assert abs(len([job for job in running if job in late]) - 8) <= 1, "two thirds, within one job"


def test_a_cap_holds_though_cards_are_idle(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {a100: {tier: lab, nodes: 1, cardsPerNode: 8}}
taskPools: {notebooks: {kind: experiment, service: shared, tiers: [lab], pool: {lab: 8}}}
teams:
  vision: {namespaces: [vision], quotas: {notebooks: {lab: {cap: 3}}}}
  nlp: {namespaces: [nlp], quotas: {notebooks: {}}}
""")
    capped = scene.flood("vision", "notebooks", 5)

    assert len(scene.settled(capped)) == 3
    scene.runs(scene.submit("nlp", "notebooks", cards=5))


def test_a_shared_pool_keeps_to_its_own_cards(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {a100: {tier: lab, nodes: 1, cardsPerNode: 8}}
taskPools: {notebooks: {kind: experiment, service: shared, tiers: [lab], pool: {lab: 4}}}
teams:
  vision: {namespaces: [vision], quotas: {notebooks: {}}}
  nlp: {namespaces: [nlp], quotas: {notebooks: {}}}
""")
    asked = [*scene.flood("vision", "notebooks", 3), *scene.flood("nlp", "notebooks", 3)]

    assert len(scene.settled(asked)) == 4


def test_a_shared_pool_borrows_no_more_than_its_limit(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {a100: {tier: lab, nodes: 1, cardsPerNode: 8}}
taskPools:
  notebooks: {kind: experiment, service: shared, tiers: [lab], pool: {lab: 4}, poolBorrow: {lab: 2}}
teams:
  vision: {namespaces: [vision], quotas: {notebooks: {}}}
  nlp: {namespaces: [nlp], quotas: {notebooks: {}}}
""")
    asked = [*scene.flood("vision", "notebooks", 4), *scene.flood("nlp", "notebooks", 4)]

    assert len(scene.settled(asked)) == 6


def test_a_shared_pool_gets_its_cards_back_from_reclaimable_work(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {a100: {tier: lab, nodes: 1, cardsPerNode: 8}}
taskPools:
  notebooks: {kind: experiment, service: shared, tiers: [lab], pool: {lab: 4}}
  scratch: {kind: experiment, service: reclaimable, tiers: [lab]}
teams:
  vision: {namespaces: [vision], quotas: {notebooks: {}}}
  nlp: {namespaces: [nlp], quotas: {scratch: {}}}
""")
    reclaimable = scene.flood("nlp", "scratch", 2, cards=4)
    scene.runs(*reclaimable)

    scene.runs(scene.submit("vision", "notebooks", cards=4))

    assert len(scene.settled(reclaimable)) == 1
