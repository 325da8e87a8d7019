"""The numbers in the findings about quota, on public cases and against Kueue's own arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from gpuplan.model.fleet import Cluster
from gpuplan.model.queues import FlavorResource, Service
from gpuplan.model.quota_tree import NO_QUOTA, QuotaNode, QuotaTree
from gpuplan.rules.amounts import reach, stranded
from tests.build import fleet
from tests.rules.cases import judged

HEAD = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {gpu: {cards: [l40s]}}
"""


def summaries(rule: str, text: str) -> list[str]:
    return [finding.summary for finding in judged(HEAD + text) if finding.rule == rule]


def fixes(rule: str, text: str) -> list[str]:
    return [finding.fix for finding in judged(HEAD + text) if finding.rule == rule]


EIGHT_CARDS = """
nodePools: {a: {cluster: eu, tier: gpu, nodes: 2, cardsPerNode: 4, selectedBy: {nfd: {}}}}
taskPools: {tune: {kind: training, service: queued, tiers: [gpu]}}
teams:
  nlp: {namespaces: [nlp], quotas: {tune: {gpu: {guaranteed: 8}}}}
  vision: {namespaces: [vision], quotas: {tune: {gpu: {guaranteed: 4}}}}
"""


def test_eight_real_cards_and_quotas_of_eight_and_four_are_over_by_four() -> None:
    (found,) = (one for one in judged(HEAD + EIGHT_CARDS) if one.rule == "quota/over-capacity")
    assert found.summary == "`gpu-l40s` in cluster `eu` has 8 cards, but 12 are given out: over by 4"
    assert [other.message for other in found.also] == ["`nlp-tune` owns 8"]
    assert found.fix == "Take 4 away from one of them, or add 1 node."


def test_a_quota_of_one_workstation_for_two_leaves_eight_cards_unused() -> None:
    text = """
nodePools: {a: {cluster: eu, tier: gpu, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}}}
taskPools: {tune: {kind: training, service: queued, tiers: [gpu]}}
teams: {nlp: {namespaces: [nlp], quotas: {tune: {gpu: {guaranteed: 8}}}}}
"""
    assert summaries("quota/stranded", text) == [
        "Of `gpu-l40s` in cluster `eu`, 8 of the 16 cards can never be used: its queues reach no more together"
    ]


FRAGMENTED = """
nodePools: {a: {cluster: eu, tier: gpu, nodes: 4, cardsPerNode: 4, selectedBy: {nfd: {}}}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [gpu], largestJob: {cardsPerPod: 4}}
  notebooks: {kind: experiment, service: shared, tiers: [gpu], pool: {gpu: 4}}
teams:
  nlp: {namespaces: [nlp], quotas: {notebooks: {}}}
  vision: {namespaces: [vision], quotas: {pretrain: {gpu: {guaranteed: 12}}}}
"""


def test_a_broken_floor_says_what_is_left_and_how_far_the_others_may_go() -> None:
    (summary,) = summaries("quota/floor-broken-by-fragmentation", FRAGMENTED)
    assert summary == (
        "The floor of `vision-pretrain` holds 3 pods of 4 cards, but smaller pods of others can leave room for 0 "
        "on `gpu-l40s` in cluster `eu`"
    )
    assert fixes("quota/floor-broken-by-fragmentation", FRAGMENTED) == [
        "Give it a node pool of its own (3 nodes), or keep smaller pods on this tier to 1 in all (they may keep 4)."
    ]


@pytest.mark.parametrize(("shared", "broken"), [(1, False), (2, True)])
def test_the_number_that_the_fix_names_is_the_last_safe_one(shared: int, broken: bool) -> None:
    text = FRAGMENTED.replace("pool: {gpu: 4}", f"pool: {{gpu: {shared}}}")
    assert bool(summaries("quota/floor-broken-by-fragmentation", text)) is broken


# --- Against Kueue's `available` (research/kueue.md §3.2), one piece after the other. -----------------------------------

Usage = tuple[int, ...]


def available(tree: QuotaTree, node: QuotaNode, item: FlavorResource, used: dict[str, int]) -> int:
    """Pieces that one node may still take, by the formulas."""
    subtree = tree.subtrees[node.name].get(item, 0)
    if not node.parent:
        return subtree - used[node.name]
    limit = node.limits.get(item, NO_QUOTA)
    local = 0 if limit.lending is None else max(0, subtree - limit.lending)
    from_parent = available(tree, tree.node(node.parent), item, used)
    if limit.borrowing is not None:
        from_parent = min((subtree - local) - max(0, used[node.name] - local) + limit.borrowing, from_parent)
    return max(0, local - used[node.name]) + from_parent


def usages(tree: QuotaTree, item: FlavorResource, queues: list[str], usage: Usage) -> dict[str, int]:
    """Usage of every node when the queues use this much."""
    used = dict(zip(queues, usage, strict=True))
    for cohort in (*tree.cohorts.values(), tree.root):
        children = [node for node in tree.nodes() if node.parent == cohort.name]
        shown = 0
        for child in children:
            limit = child.limits.get(item, NO_QUOTA)
            subtree = tree.subtrees[child.name].get(item, 0)
            local = 0 if limit.lending is None else max(0, subtree - limit.lending)
            shown += max(0, used.get(child.name, 0) - local)
        used[cohort.name] = shown
    return used


def reachable(tree: QuotaTree, item: FlavorResource) -> set[Usage]:
    """Every usage that admitting one-piece jobs, one after the other, can lead to."""
    queues = list(tree.queues)
    start = (0,) * len(queues)
    seen, todo = {start}, [start]
    while todo:
        usage = todo.pop()
        used = usages(tree, item, queues, usage)
        for index, name in enumerate(queues):
            if available(tree, tree.queues[name], item, used) >= 1:
                after = (*usage[:index], usage[index] + 1, *usage[index + 1 :])
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
    return seen


@st.composite
def small_fleets(draw: st.DrawFn) -> str:
    """Up to six cards and three queues of any service class, with sums that fit the hardware."""
    capacity = free = draw(st.integers(1, 6))
    lines = ["taskPools:"]
    teams = []
    for index in range(draw(st.integers(1, 3))):
        service = draw(st.sampled_from(list(Service)))
        own = draw(st.integers(0, free))
        free -= own if service is not Service.RECLAIMABLE else 0
        more = draw(st.integers(0, 3))
        pool = f", pool: {{gpu: {own}}}, poolBorrow: {{gpu: {more}}}" if service is Service.SHARED else ""
        lines.append(f"  p{index}: {{kind: experiment, service: {service.value}, tiers: [gpu]{pool}}}")
        owning = f"{{guaranteed: {own}, borrow: {more}, lend: {draw(st.integers(0, own))}}}"
        amount = {Service.SHARED: "{}", Service.RECLAIMABLE: f"{{cap: {more}}}"}.get(service, owning)
        teams.append(f"  t{index}: {{namespaces: [t{index}], quotas: {{p{index}: {{gpu: {amount}}}}}}}")
    pool = (
        f"nodePools: {{a: {{cluster: eu, tier: gpu, nodes: 1, cardsPerNode: {capacity}, selectedBy: {{nfd: {{}}}}}}}}"
    )
    return "\n".join([HEAD, pool, *lines, "teams:", *teams])


def only_cluster(text: str) -> Cluster:
    (cluster,) = fleet(text).clusters
    return cluster


@settings(deadline=None)
@given(text=small_fleets())
def test_stranded_cards_are_those_that_kueue_never_admits_anybody_to(text: str) -> None:
    cluster = only_cluster(text)
    (flavor,) = cluster.flavors
    (resource,) = flavor.capacity
    most = max(sum(usage) for usage in reachable(cluster.quota, (flavor.name, resource)))
    lost = stranded(cluster, flavor, resource)
    event(f"stranded: {bool(lost)}")
    assert lost == flavor.capacity[resource] - most


@settings(deadline=None)
@given(text=small_fleets())
def test_a_queue_reaches_what_kueue_admits_it_to_on_an_empty_cluster(text: str) -> None:
    cluster = only_cluster(text)
    (flavor,) = cluster.flavors
    (resource,) = flavor.capacity
    item, queues = (flavor.name, resource), list(cluster.quota.queues)
    nobody = usages(cluster.quota, item, queues, (0,) * len(queues))
    for cohort in cluster.cohorts:
        for queue in cohort.queues:
            found = reach(cluster, cohort, queue)
            assert found
            assert found.pieces == available(cluster.quota, cluster.quota.queues[queue.name], item, nobody)
