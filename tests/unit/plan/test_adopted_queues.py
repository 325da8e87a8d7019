"""Plans of adopted queues: their quotas on the fleet's cards are floors, whatever they evict."""

from __future__ import annotations

from gpuplan.plan.parts import Effect, Risk
from tests.unit.plan.two import edited, effects

ADOPTED = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {train: {cards: [h100-sxm-80gb]}}
nodePools:
  a: {cluster: eu, tier: train, nodes: 2, cardsPerNode: 8, selectedBy: {labels: {zone: eu-1a}}}
adopted:
  eu:
    resourceFlavors: {h100: {nodeLabels: {zone: eu-1a}}}
    clusterQueues:
      vision:
        namespaceSelector: {}
        resourceGroups:
        - {coveredResources: [nvidia.com/gpu], flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]}
    localQueues: {vision/default-queue: {clusterQueue: vision}}
    priorityClasses: {usual: {value: 5}}
"""


def fact(made: tuple[Effect, ...], name: str) -> Effect:
    (found,) = (one for one in made if one.fact == name)
    return found


def test_a_quota_that_shrinks_is_a_floor_that_is_cut() -> None:
    made = effects(ADOPTED, edited(ADOPTED, ("nominalQuota: 8", "nominalQuota: 2")))
    cut = fact(made, "quota/guaranteed-cut")
    assert cut.summary.startswith("queue vision: guaranteed 8 → 2 of h100 (-6 cards)")
    assert [one.fact for one in made] == ["quota/guaranteed-cut"]


def test_a_queue_that_goes_strands_what_waits_in_it() -> None:
    gone = fact(effects(ADOPTED, ADOPTED[: ADOPTED.index("    clusterQueues")]), "queue/removed")
    assert gone.risk is Risk.DESTRUCTIVE
    assert "8 guaranteed of h100" in gone.summary


def test_what_the_server_keeps_for_good_stops_the_sync() -> None:
    made = effects(ADOPTED, edited(ADOPTED, ("usual: {value: 5}", "usual: {value: 6}")))
    assert fact(made, "priority/immutable").risk is Risk.DISRUPTIVE
