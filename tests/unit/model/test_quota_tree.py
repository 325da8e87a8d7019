"""Kueue's quota tree against its formulas written down once more, and against the hardware."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.model.fleet import Cluster
from gpuplan.model.queues import Amount, FlavorResource, Service
from gpuplan.model.quota_tree import Limit, QuotaNode, QuotaTree, queue_limit
from tests.build import fleet

# --- research/kueue.md §3.2, word for word and without a thought for speed. ---------------------------------------------


def limit(node: QuotaNode, item: FlavorResource) -> Limit:
    return node.limits.get(item, Limit(nominal=0))


def subtree(tree: QuotaTree, node: QuotaNode, item: FlavorResource) -> int:
    children = [child for child in tree.nodes() if child.parent == node.name]
    shown = sum(subtree(tree, child, item) - local(tree, child, item) for child in children)
    return limit(node, item).nominal + shown


def local(tree: QuotaTree, node: QuotaNode, item: FlavorResource) -> int:
    lending = limit(node, item).lending
    return 0 if lending is None else max(0, subtree(tree, node, item) - lending)


def potential(tree: QuotaTree, node: QuotaNode, item: FlavorResource) -> int:
    if node.name == tree.root.name:
        return subtree(tree, node, item)
    reach = local(tree, node, item) + potential(tree, tree.node(node.parent), item)
    borrowing = limit(node, item).borrowing
    return reach if borrowing is None else min(reach, subtree(tree, node, item) + borrowing)


# --- Drawn fleets: exclusive, shared and MIG pools, all service classes. ------------------------------------------------

HEAD = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers:
  whole: {cards: [h100-sxm-80gb]}
  cut: {cards: [a100-sxm-40gb]}
"""

NUMBERS = st.integers(0, 40)


@st.composite
def fleets(draw: st.DrawFn) -> str:
    """A cluster with a whole tier and a MIG tier of two profiles, task pools of every service class, one to three teams."""
    sharing = draw(st.sampled_from(["exclusive", "{timeSlicing: {replicas: 4}}", "{mps: {replicas: 8}}"]))
    lines = [
        HEAD,
        "nodePools:",
        f"  a: {{cluster: eu, tier: whole, nodes: {draw(st.integers(1, 4))}, cardsPerNode: 8, selectedBy: {{nfd: {{}}}},",
        f"      sharing: {sharing}}}",
        f"  b: {{cluster: eu, tier: cut, nodes: {draw(st.integers(1, 4))}, cardsPerNode: 8, selectedBy: {{nfd: {{}}}},",
        "      sharing: {mig: {profiles: {1g.5gb: 2, 2g.10gb: 1}}}}",
        "taskPools:",
    ]
    addresses = ("whole", "cut/1g.5gb", "cut/2g.10gb")
    owned = ", ".join(f"{address}: {draw(NUMBERS)}" for address in addresses)
    more = ", ".join(f"{address}: {draw(NUMBERS)}" for address in addresses)
    for service in Service:
        pool = f", pool: {{{owned}}}, poolBorrow: {{{more}}}" if service is Service.SHARED else ""
        lines.append(f"  {service.value}: {{kind: experiment, service: {service.value}, tiers: [whole, cut]{pool}}}")
    lines.append("teams:")
    for index in range(draw(st.integers(1, 3))):
        lines.append(f"  t{index}:\n    namespaces: [t{index}]\n    quotas:")
        for service in Service:
            amounts = ", ".join(f"{address}: {_amount(draw, service)}" for address in addresses)
            lines.append(f"      {service.value}: {{{amounts}}}")
    return "\n".join(lines)


def _amount(draw: st.DrawFn, service: Service) -> str:
    if service in (Service.SHARED, Service.RECLAIMABLE):
        return draw(st.sampled_from(["{}", f"{{cap: {draw(NUMBERS)}}}"]))
    lend = draw(st.sampled_from(["", f", lend: {draw(NUMBERS)}"]))
    return f"{{guaranteed: {draw(NUMBERS)}, borrow: {draw(NUMBERS)}{lend}}}"


def only_cluster(text: str) -> Cluster:
    (cluster,) = fleet(text).clusters
    return cluster


def items(cluster: Cluster) -> list[FlavorResource]:
    return [(flavor.name, resource) for flavor in cluster.flavors for resource in flavor.capacity]


@settings(deadline=None)
@given(text=fleets())
def test_the_nominal_quotas_of_the_whole_tree_are_the_hardware(text: str) -> None:
    cluster = only_cluster(text)
    for flavor in cluster.flavors:
        for resource, capacity in flavor.capacity.items():
            given_out = sum(limit(node, (flavor.name, resource)).nominal for node in cluster.quota.nodes())
            assert given_out == capacity


@settings(deadline=None)
@given(text=fleets())
def test_potential_and_subtree_are_what_kueue_computes(text: str) -> None:
    cluster = only_cluster(text)
    for node in cluster.quota.nodes():
        for item in items(cluster):
            assert cluster.quota.potential(node.name, item) == potential(cluster.quota, node, item)
            assert cluster.quota.subtrees[node.name].get(item, 0) == subtree(cluster.quota, node, item)


@settings(deadline=None)
@given(text=fleets())
def test_what_queues_and_pools_own_is_everything_but_the_rest_of_the_root(text: str) -> None:
    cluster = only_cluster(text)
    for flavor in cluster.flavors:
        for resource, capacity in flavor.capacity.items():
            rest = limit(cluster.quota.root, (flavor.name, resource)).nominal
            assert cluster.quota.owned((flavor.name, resource)) == capacity - rest


# --- One tree read by hand. ---------------------------------------------------------------------------------------------

SIXTEEN_CARDS = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {gpu: {cards: [l40s]}}
nodePools:
  a: {cluster: eu, tier: gpu, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}}
taskPools:
  chat:      {kind: onlineInference, service: guaranteed, tiers: [gpu]}
  nightly:   {kind: batchInference, service: queued, tiers: [gpu]}
  notebooks: {kind: experiment, service: shared, tiers: [gpu], pool: {gpu: 4}}
  scratch:   {kind: experiment, service: reclaimable, tiers: [gpu]}
teams:
  a:
    namespaces: [a]
    quotas:
      chat: {gpu: {guaranteed: 8, lend: 6}}
      nightly: {gpu: {guaranteed: 2, borrow: 3}}
      notebooks: {weight: 3}
      scratch: {}
"""
GPU: FlavorResource = ("gpu-l40s", "nvidia.com/gpu")


def test_the_root_keeps_what_nobody_owns() -> None:
    assert only_cluster(SIXTEEN_CARDS).quota.root.limits == {GPU: Limit(nominal=16 - 8 - 2 - 4)}


def test_each_service_class_reaches_what_the_design_says() -> None:
    quota = only_cluster(SIXTEEN_CARDS).quota
    reach = {name: quota.potential(name, GPU) for name in quota.queues}
    # Guaranteed: its floor. Queued: floor and borrow. Shared: its pool. Reclaimable: all but the 2 cards kept from lending.
    assert reach == {"a-chat": 8, "a-nightly": 5, "a-notebooks": 4, "a-scratch": 14}


def test_only_reclaimable_work_has_weight_0_and_only_a_shared_queue_has_one_of_its_own() -> None:
    quota = only_cluster(SIXTEEN_CARDS).quota
    assert {name: node.weight for name, node in quota.queues.items()} == {
        "a-chat": 1,
        "a-nightly": 1,
        "a-notebooks": 3,
        "a-scratch": 0,
    }
    assert {name: node.weight for name, node in quota.cohorts.items() if not node.weight} == {"scratch": 0}


def test_a_queue_of_shared_or_reclaimable_work_owns_and_lends_nothing() -> None:
    amount = Amount(guaranteed=0, borrow=0, lend=0, cap=7, path=())
    for service in (Service.SHARED, Service.RECLAIMABLE):
        assert queue_limit(service, amount) == Limit(nominal=0, borrowing=7, lending=0)


def test_a_flavor_lists_what_it_does_not_produce_with_zeros() -> None:
    text = (
        SIXTEEN_CARDS.replace("cardTiers: {gpu: {cards: [l40s]}}", TWO_CUTS)
        .replace("nodePools:", "nodePools:\n" + CUT_POOLS)
        .replace("tiers: [gpu]}", "tiers: [gpu, small, mixed], fallback: nextTier}")
    )
    (queue,) = [node for node in only_cluster(text).quota.queues.values() if node.name == "a-chat"]
    assert queue.limits["small-a100-sxm-40gb-mig-7x1g.5gb", "nvidia.com/mig-2g.10gb"] == Limit(
        nominal=0, borrowing=0, lending=0
    )


TWO_CUTS = "cardTiers: {gpu: {cards: [l40s]}, small: {cards: [a100-sxm-40gb]}, mixed: {cards: [a100-sxm-40gb]}}"
CUT_POOLS = """\
  s: {cluster: eu, tier: small, nodes: 1, cardsPerNode: 8, selectedBy: {nfd: {}},
      sharing: {mig: {profiles: {1g.5gb: 7}}}}
  m: {cluster: eu, tier: mixed, nodes: 1, cardsPerNode: 8, selectedBy: {nfd: {}},
      sharing: {mig: {profiles: {1g.5gb: 3, 2g.10gb: 2}}}}
"""
