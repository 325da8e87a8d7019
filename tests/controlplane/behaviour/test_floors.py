"""Who has which cards at any moment: floors, lending and borrowing, and who gives way to whom."""

from __future__ import annotations

from tests.controlplane.behaviour.stage import Stage

SECONDS = 10
"""In which a floor is back, with one job to evict that ends without grace."""


def test_a_floor_returns_from_a_borrower_within_seconds(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {h100: {tier: train, nodes: 1, cardsPerNode: 8}}
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [train]}}
teams:
  vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 4}}}}
  nlp: {namespaces: [nlp], quotas: {pretrain: {train: {guaranteed: 4, borrow: 4}}}}
""")
    borrower = scene.submit("nlp", "pretrain", cards=8)
    scene.runs(borrower)

    owner = scene.submit("vision", "pretrain", cards=4)

    assert scene.runs(owner) < SECONDS
    scene.evicted(borrower)


def test_a_floor_returns_from_reclaimable_work_within_seconds(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {h100: {tier: train, nodes: 1, cardsPerNode: 8}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train]}
  scratch: {kind: experiment, service: reclaimable, tiers: [train]}
teams:
  vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 8}}}}
  nlp: {namespaces: [nlp], quotas: {scratch: {}}}
""")
    reclaimable = scene.submit("nlp", "scratch", cards=8)
    scene.runs(reclaimable)

    owner = scene.submit("vision", "pretrain", cards=8)

    assert scene.runs(owner) < SECONDS
    scene.evicted(reclaimable)


QUEUED_BESIDE_GUARANTEED = """
nodePools: {h100: {tier: train, nodes: 1, cardsPerNode: 8}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train]}
  nightly: {kind: batchInference, service: queued, tiers: [train]}
teams:
  vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 4, borrow: 4}}}}
  nlp: {namespaces: [nlp], quotas: {nightly: {train: {guaranteed: 4, borrow: 4}}}}
"""


def test_queued_work_waits_and_never_evicts_guaranteed_work(stage: Stage) -> None:
    scene = stage.play(QUEUED_BESIDE_GUARANTEED)
    own, borrowed = scene.flood("vision", "pretrain", 2, cards=4)
    scene.runs(own, borrowed)

    queued = scene.submit("nlp", "nightly", cards=4, priority="queued-high")

    scene.waits(queued)
    scene.finish(borrowed)
    scene.runs(queued)
    assert scene.undisturbed(own)


def test_a_guaranteed_floor_returns_from_queued_work(stage: Stage) -> None:
    scene = stage.play(QUEUED_BESIDE_GUARANTEED)
    queued = scene.flood("nlp", "nightly", 2, cards=4)
    scene.runs(*queued)

    scene.runs(scene.submit("vision", "pretrain", cards=4))

    assert len(scene.settled(queued)) == 1


def test_a_queued_floor_returns_at_once_from_shared_and_reclaimable_work(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {h100: {tier: train, nodes: 1, cardsPerNode: 6}}
taskPools:
  nightly: {kind: batchInference, service: queued, tiers: [train]}
  notebooks: {kind: experiment, service: shared, tiers: [train], pool: {train: 2}, poolBorrow: {train: 2}}
  scratch: {kind: experiment, service: reclaimable, tiers: [train]}
teams:
  vision: {namespaces: [vision], quotas: {nightly: {train: {guaranteed: 4}}}}
  nlp: {namespaces: [nlp], quotas: {notebooks: {}, scratch: {}}}
""")
    shared = scene.flood("nlp", "notebooks", 2, cards=2)
    scene.runs(*shared)
    reclaimable = scene.submit("nlp", "scratch", cards=2)
    scene.runs(reclaimable)

    queued = scene.submit("vision", "nightly", cards=4)

    assert scene.runs(queued) < SECONDS
    scene.evicted(reclaimable)
    assert len(scene.settled(shared)) == 1


def test_reclaimable_work_evicts_nobody(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {h100: {tier: train, nodes: 1, cardsPerNode: 8}}
taskPools:
  nightly: {kind: batchInference, service: queued, tiers: [train]}
  scratch: {kind: experiment, service: reclaimable, tiers: [train]}
teams:
  vision: {namespaces: [vision], quotas: {nightly: {train: {guaranteed: 2, borrow: 2}}, scratch: {}}}
  nlp: {namespaces: [nlp], quotas: {scratch: {}}}
""")
    borrower = scene.submit("vision", "nightly", cards=4)
    modest = scene.submit("nlp", "scratch", cards=4, priority="reclaimable-low")
    scene.runs(borrower, modest)

    pushing = [scene.submit(team, "scratch", cards=4, priority="reclaimable-high") for team in ("vision", "nlp")]

    scene.waits(*pushing)
    scene.finish(borrower)
    assert len(scene.settled(pushing)) == 1
    assert scene.undisturbed(modest)


def test_reclaimable_work_is_taken_before_any_borrower(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {h100: {tier: train, nodes: 2, cardsPerNode: 6}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train]}
  nightly: {kind: batchInference, service: queued, tiers: [train]}
  scratch: {kind: experiment, service: reclaimable, tiers: [train]}
teams:
  vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 4}}}}
  nlp: {namespaces: [nlp], quotas: {nightly: {train: {guaranteed: 2, borrow: 6}}, scratch: {}}}
""")
    borrowers = scene.flood("nlp", "nightly", 4, cards=2)
    scene.runs(*borrowers)
    reclaimable = scene.flood("nlp", "scratch", 2, cards=2)
    scene.runs(*reclaimable)

    owners = scene.flood("vision", "pretrain", 2, cards=2)

    scene.runs(*owners)
    scene.evicted(*reclaimable)
    assert scene.undisturbed(*borrowers)


def test_idle_cards_that_nobody_owns_can_be_borrowed(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {h100: {tier: train, nodes: 2, cardsPerNode: 8}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train]}
  scratch: {kind: experiment, service: reclaimable, tiers: [train]}
teams:
  vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 4, borrow: 4}}}}
  nlp: {namespaces: [nlp], quotas: {scratch: {}}}
""")
    scene.runs(scene.submit("vision", "pretrain", cards=8), scene.submit("nlp", "scratch", cards=8))


def test_a_queue_borrows_no_more_than_its_limit(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {h100: {tier: train, nodes: 1, cardsPerNode: 8}}
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [train]}}
teams: {vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 4, borrow: 2}}}}}
""")
    own, borrowed = (scene.submit("vision", "pretrain", cards=cards) for cards in (4, 2))
    scene.runs(own, borrowed)

    beyond = scene.submit("vision", "pretrain", cards=1)

    scene.waits(beyond)
    scene.finish(borrowed)
    scene.runs(beyond)


def test_an_owner_lends_no_more_than_it_says(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {h100: {tier: train, nodes: 1, cardsPerNode: 8}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train]}
  scratch: {kind: experiment, service: reclaimable, tiers: [train]}
teams:
  vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 8, lend: 4}}}}
  nlp: {namespaces: [nlp], quotas: {scratch: {}}}
""")
    lent = scene.settled(scene.flood("nlp", "scratch", 3, cards=2))
    assert len(lent) == 2

    scene.runs(scene.submit("vision", "pretrain", cards=4))

    assert scene.undisturbed(*lent)


def test_more_urgent_work_takes_the_place_of_less_urgent_work_in_its_own_queue_only(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {h100: {tier: train, nodes: 1, cardsPerNode: 8}}
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [train]}}
teams:
  vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 4}}}}
  nlp: {namespaces: [nlp], quotas: {pretrain: {train: {guaranteed: 4}}}}
""")
    usual = scene.submit("vision", "pretrain", cards=4)
    others = scene.submit("nlp", "pretrain", cards=4, priority="guaranteed-low")
    scene.runs(usual, others)

    urgent = scene.submit("vision", "pretrain", cards=4, priority="guaranteed-high")

    scene.runs(urgent)
    scene.evicted(usual)
    assert scene.undisturbed(others)


def test_all_service_classes_get_what_is_theirs_at_the_cost_of_reclaimable_work_alone(stage: Stage) -> None:
    scene = stage.play("""
nodePools: {h100: {tier: train, nodes: 2, cardsPerNode: 8}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train]}
  nightly: {kind: batchInference, service: queued, tiers: [train]}
  notebooks: {kind: experiment, service: shared, tiers: [train], pool: {train: 4}}
  scratch: {kind: experiment, service: reclaimable, tiers: [train]}
teams:
  vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 8}}, notebooks: {}}}
  nlp: {namespaces: [nlp], quotas: {nightly: {train: {guaranteed: 2, borrow: 2}}, notebooks: {}, scratch: {}}}
""")
    reclaimable = scene.flood("nlp", "scratch", 4, pods=2, cards=2)
    scene.runs(*reclaimable)

    owners = [
        *(scene.submit(team, "notebooks", cards=2) for team in ("vision", "nlp")),
        *scene.flood("nlp", "nightly", 2, cards=2),
        *scene.flood("vision", "pretrain", 2, pods=2, cards=2),
    ]

    scene.runs(*owners)
    scene.evicted(*reclaimable)
    assert scene.undisturbed(*owners)
