"""The numbers in the findings about Kueue, on public cases."""

from __future__ import annotations

from tests.rules.cases import judged

HEAD = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
"""

SMALL_AND_LARGE = """
cardTiers: {train: {cards: [h100-sxm-80gb, h200-141gb]}}
nodePools:
  small: {cluster: eu, tier: train, card: h100-sxm-80gb, nodes: 1, cardsPerNode: 8, selectedBy: {nfd: {}}}
  large: {cluster: eu, tier: train, card: h200-141gb, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}}
taskPools:
  gang: {kind: training, service: queued, tiers: [train], fallback: nextTier, largestJob: {pods: 3, cardsPerPod: 8}}
teams:
  nlp:
    namespaces: [nlp]
    quotas: {gang: {train/h100-sxm-80gb: {guaranteed: 8}, train/h200-141gb: {guaranteed: 16}}}
"""


def only(rule: str, text: str) -> str:
    (summary,) = (finding.summary for finding in judged(HEAD + text) if finding.rule == rule)
    return summary


def rules(text: str) -> set[str]:
    return {finding.rule for finding in judged(HEAD + text) if finding.severity.value != "info"}


def test_a_gang_of_24_is_compared_with_the_best_flavor_and_not_with_their_sum() -> None:
    assert only("plan/gang-larger-than-any-flavor", SMALL_AND_LARGE) == (
        "The largest job of `gang` asks for 3 x 8 = 24, and the largest flavor, `train-h200-141gb`, has 16 cards"
    )


def test_a_gang_of_16_fits_the_larger_flavor() -> None:
    assert rules(SMALL_AND_LARGE.replace("pods: 3", "pods: 2")) == set()


def test_a_quota_in_the_way_of_a_job_that_the_hardware_could_hold_is_named_with_its_number() -> None:
    text = SMALL_AND_LARGE.replace("pods: 3", "pods: 2").replace("guaranteed: 16", "guaranteed: 12")
    assert only("kueue/largest-job-never-admitted", text) == (
        "The largest job of `gang` asks for 16, and the queue that reaches furthest, `nlp-gang`, has 12 cards "
        "in `train-h200-141gb`"
    )


def test_one_cause_makes_one_error() -> None:
    too_large_for_nodes = SMALL_AND_LARGE.replace("{pods: 3, cardsPerPod: 8}", "{cardsPerPod: 16}")
    assert rules(too_large_for_nodes) == {"kueue/pod-larger-than-node"}
    assert rules(SMALL_AND_LARGE) == {"plan/gang-larger-than-any-flavor"}
    above_capacity = SMALL_AND_LARGE.replace("pods: 3", "pods: 1").replace("guaranteed: 8", "guaranteed: 9")
    assert rules(above_capacity) == {"quota/over-capacity"}
