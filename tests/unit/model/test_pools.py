"""The joins that people get wrong by hand: what a pool offers, what selects it, and what tolerates it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from gpuplan.model.pools import (
    NodePool,
    node_labels,
    produced_resources,
    tolerations,
)
from gpuplan.model.sharing import Unit
from tests.build import fleet

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {{name: acme}}
clusters: {{eu: {{kubernetes: "1.36"}}}}
cardTiers: {{tier: {{cards: [{card}]}}}}
nodePools:
  {pools}
"""


def pools(text: str, card: str = "a100-sxm-40gb") -> tuple[NodePool, ...]:
    (cluster,) = fleet(SPEC.format(card=card, pools=text)).clusters
    return cluster.pools


def pool(more: str, card: str = "a100-sxm-40gb", selected: str = "{nfd: {}}") -> NodePool:
    line = f"a: {{cluster: eu, tier: tier, nodes: 3, cardsPerNode: 8, selectedBy: {selected}, {more}}}"
    return pools(line, card)[0]


OFFERED = {
    "sharing: exclusive": {"nvidia.com/gpu": (8, Unit(part="card", card_share=Fraction(1)))},
    "sharing: {timeSlicing: {replicas: 4}}": {
        "nvidia.com/gpu.shared": (32, Unit(part="1/4 card", card_share=Fraction(1, 4)))
    },
    "sharing: {mps: {replicas: 8}}": {"nvidia.com/gpu.shared": (64, Unit(part="1/8 card", card_share=Fraction(1, 8)))},
    "sharing: {timeSlicing: {replicas: 2, renameByDefault: false}}": {
        "nvidia.com/gpu": (16, Unit(part="1/2 card", card_share=Fraction(1, 2), hidden=True))
    },
    "sharing: {mig: {profiles: {1g.5gb: 7}}}": {
        "nvidia.com/mig-1g.5gb": (56, Unit(part="1g.5gb", card_share=Fraction(1, 7)))
    },
    "sharing: {mig: {strategy: single, profiles: {3g.20gb: 2}}}": {
        "nvidia.com/gpu": (16, Unit(part="3g.20gb", card_share=Fraction(3, 7), hidden=True))
    },
    "sharing: {mig: {profiles: {1g.5gb+me: 1, 2g.10gb: 3}}}": {
        "nvidia.com/mig-1g.5gb.me": (8, Unit(part="1g.5gb+me", card_share=Fraction(1, 7))),
        "nvidia.com/mig-2g.10gb": (24, Unit(part="2g.10gb", card_share=Fraction(2, 7))),
    },
    "sharing: {mig: {groups: [{cards: [0, 1], profiles: {1g.5gb: 7}}]}}": {
        "nvidia.com/gpu": (6, Unit(part="card", card_share=Fraction(1))),
        "nvidia.com/mig-1g.5gb": (14, Unit(part="1g.5gb", card_share=Fraction(1, 7))),
    },
}


@pytest.mark.parametrize(("sharing", "offered"), OFFERED.items(), ids=OFFERED)
def test_a_node_offers(sharing: str, offered: dict[str, tuple[int, Unit]]) -> None:
    made = produced_resources(pool(sharing))
    assert {one.resource: (one.per_node, one.unit) for one in made} == offered


def test_a_card_of_another_vendor_is_offered_under_its_vendors_name() -> None:
    (made,) = produced_resources(pool("sharing: exclusive", card="mi300x"))
    assert made.resource == "amd.com/gpu"


def test_a_pool_found_by_existing_labels_has_those_and_no_others() -> None:
    assert node_labels(pool("sharing: exclusive", selected="{labels: {b: two, a: one}}")) == {"a": "one", "b": "two"}


@pytest.mark.parametrize("selected", ["{nfd: {}}", "{provisioner: karpenter}"])
def test_a_pool_that_gpuplan_labels_has_the_four_labels(selected: str) -> None:
    assert node_labels(pool("sharing: exclusive", selected=selected)) == {
        "gpuplan.dev/card": "a100-sxm-40gb",
        "gpuplan.dev/pool": "a",
        "gpuplan.dev/sharing": "exclusive",
        "gpuplan.dev/tier": "tier",
    }


def test_every_taint_that_keeps_pods_away_is_tolerated_exactly_once() -> None:
    taints = "taints: [{key: a, value: x, effect: NoSchedule}, {key: b, effect: NoExecute}]"
    found = tolerations([pool(taints), pool(taints)])
    assert [(one.key, one.operator, one.value, one.effect) for one in found] == [
        ("a", "Equal", "x", "NoSchedule"),
        ("b", "Exists", "", "NoExecute"),
    ]


LINE = "{name}: {{cluster: eu, tier: tier, nodes: {nodes}, cardsPerNode: 8, selectedBy: {by}{more}}}"


def two(first: str = "", second: str = "", by: tuple[str, str] = ("{nfd: {}}", "{nfd: {}}")) -> str:
    return (
        LINE.format(name="a", nodes=2, by=by[0], more=first)
        + "\n  "
        + LINE.format(name="b", nodes=3, by=by[1], more=second)
    )


def flavors(text: str) -> dict[str, int]:
    (cluster,) = fleet(SPEC.format(card="a100-sxm-40gb", pools=text)).clusters
    return {flavor.name: flavor.cards for flavor in cluster.flavors}


def test_pools_alike_in_tier_card_and_sharing_are_one_flavor() -> None:
    assert flavors(two()) == {"tier-a100-sxm-40gb": 40}


def test_pools_that_share_their_cards_differently_are_two() -> None:
    assert flavors(two(second=", sharing: {timeSlicing: {replicas: 4}}")) == {
        "tier-a100-sxm-40gb": 16,
        "tier-a100-sxm-40gb-time-slicing-4": 24,
    }


def test_a_revision_makes_a_flavor_of_its_own() -> None:
    assert flavors(two(second=", revision: 2")) == {"tier-a100-sxm-40gb": 16, "tier-a100-sxm-40gb-2": 24}


def test_a_flavor_selects_by_the_labels_that_all_its_pools_carry() -> None:
    (cluster,) = fleet(
        SPEC.format(
            card="a100-sxm-40gb", pools=two(by=("{labels: {gpu: a100, rack: r1}}", "{labels: {gpu: a100, rack: r2}}"))
        )
    ).clusters
    assert cluster.flavors[0].node_labels == (("gpu", "a100"),)


def selectors(pools: str) -> dict[str, dict[str, str]]:
    """Return the labels by which each flavor selects its nodes."""
    (cluster,) = fleet(SPEC.format(card="a100-sxm-40gb", pools=pools)).clusters
    return {flavor.name: dict(flavor.node_labels) for flavor in cluster.flavors}


@pytest.mark.parametrize("by", ["{nfd: {}}", "{provisioner: eks}"])
def test_one_more_pool_changes_nothing_of_a_flavor_that_can_never_change(by: str) -> None:
    both = two(by=(by, by))
    before, after = selectors(both.partition("\n")[0]), selectors(both)
    assert before == after
    assert set(before["tier-a100-sxm-40gb"]) == {"gpuplan.dev/card", "gpuplan.dev/sharing", "gpuplan.dev/tier"}


def test_flavors_that_differ_in_their_revision_alone_are_told_apart_by_their_pools() -> None:
    found = selectors(two(second=", revision: 2", by=("{provisioner: eks}", "{provisioner: eks}")))
    assert [labels["gpuplan.dev/pool"] for labels in found.values()] == ["a", "b"]


def test_a_flavor_offers_what_all_its_nodes_offer_together() -> None:
    (cluster,) = fleet(SPEC.format(card="a100-sxm-40gb", pools=two(second=", sharing: {mps: {replicas: 4}}"))).clusters
    assert [dict(flavor.capacity) for flavor in cluster.flavors] == [
        {"nvidia.com/gpu": 16},
        {"nvidia.com/gpu.shared": 96},
    ]
