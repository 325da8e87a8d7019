"""Cards, tiers and node pools: names bound, sharing laid out card by card."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Mapping

from gpuplan import conventions
from gpuplan.catalog import Card, Vendor
from gpuplan.model.flavors import Flavor, flavor
from gpuplan.model.pools import (
    CardTier,
    Driver,
    Exposure,
    NodePool,
    SelectedBy,
    Selection,
    Taint,
)
from gpuplan.quantity import Quantity
from gpuplan.resolve import findings
from gpuplan.resolve.clusters import Platform
from gpuplan.resolve.names import Naming
from gpuplan.resolve.scope import Scope
from gpuplan.resolve.sharing import sharing
from gpuplan.spec.pools import CardSpec, CardTierSpec, DriverSpec, NodePoolSpec, SelectedBySpec

WHOLE_CARD_RESOURCES = {
    "nvidia": conventions.RESOURCE_GPU,
    "amd": "amd.com/gpu",
    "intel": "gpu.intel.com/xe",
    "huawei": "huawei.com/Ascend910",
}
"""Resource of a whole card that a fleet defines itself without naming one, by vendor."""


def own_cards(cards: Mapping[str, CardSpec]) -> list[Card]:
    """Return the cards that the fleet defines itself; everything it does not say counts as unchecked."""
    return [_own_card(name, card) for name, card in cards.items()]


def _own_card(name: str, card: CardSpec) -> Card:
    return Card(
        name=name,
        vendor=Vendor(card.vendor),
        product_name=card.product_name,
        pci_ids=(),
        memory_gib=card.memory_gib,
        memory_mib=None,
        compute_capability=None,
        architecture="",
        mig_class=card.mig_class,
        nvlink=None,
        fp8=False,
        tdp_watts=None,
        cards_per_node=(),
        devices=1,
        resource=card.resource or WHOLE_CARD_RESOURCES[card.vendor],
        min_driver=None,
        kernel_modules=None,
        unchecked=frozenset({"architecture", "fp8"}),
        source="the fleet's own cards",
        checked=datetime.date.min,
    )


def card_tiers(scope: Scope) -> dict[str, CardTier]:
    """Bind the cards of every tier. A tier whose cards are unknown is left out."""
    tiers = ((name, _card_tier(scope, name, spec)) for name, spec in scope.spec.card_tiers.items())
    return {name: tier for name, tier in tiers if tier is not None}


def _card_tier(scope: Scope, name: str, spec: CardTierSpec) -> CardTier | None:
    path = ("cardTiers", name)
    cards = [
        scope.look_up("cards", scope.catalog.cards, card, (*path, "cards", index))
        for index, card in enumerate(spec.cards)
    ]
    known = tuple(card for card in cards if card is not None)
    if len(known) < len(cards):
        return None
    price, currency = spec.cost_per_card_hour.split(" ") if spec.cost_per_card_hour else ("", "")
    return CardTier(
        name=name,
        cards=known,
        suits=tuple(spec.suits),
        levels=_levels(spec),
        cost_per_card_hour=price,
        currency=currency,
        revision=spec.revision,
        path=path,
    )


def _levels(spec: CardTierSpec) -> tuple[str, ...]:
    if spec.topology is None:
        return (conventions.LABEL_HOSTNAME,)
    return () if isinstance(spec.topology, str) else tuple(spec.topology.levels)


def node_pools(scope: Scope, tiers: Mapping[str, CardTier], platforms: Mapping[str, Platform]) -> dict[str, NodePool]:
    """Bind every node pool. `platforms` are the clusters that resolved."""
    pools = ((name, _node_pool(scope, name, spec, tiers, platforms)) for name, spec in scope.spec.node_pools.items())
    return {name: pool for name, pool in pools if pool is not None}


def _node_pool(
    scope: Scope, name: str, spec: NodePoolSpec, tiers: Mapping[str, CardTier], platforms: Mapping[str, Platform]
) -> NodePool | None:
    path = ("nodePools", name)
    platform = scope.look_up("clusters", platforms, spec.cluster, (*path, "cluster"))
    tier = scope.look_up("cardTiers", tiers, spec.tier, (*path, "tier"))
    card = _pool_card(scope, name, spec, tier) if tier else None
    if platform is None or tier is None or card is None:
        return None
    return NodePool(
        name=name,
        cluster=spec.cluster,
        tier=tier,
        card=card,
        nodes=spec.nodes or 0,
        cards_per_node=spec.cards_per_node or 0,
        selection=_selection(spec.selected_by),
        stack=spec.stack or platform.spec.stack,
        exposure=Exposure(spec.exposure),
        sharing=sharing(spec, card, scope.catalog.cuts),
        taints=tuple(Taint(key=taint.key, value=taint.value, effect=taint.effect) for taint in spec.taints),
        mig_class=scope.catalog.mig_of(card),
        topology_labels=spec.topology_labels or "",
        driver=_driver(scope, spec.driver, platform),
        companions={resource: _quantity(text) for resource, text in sorted(spec.companions.items())},
        revision=max(tier.revision, spec.revision),
        path=path,
    )


def _driver(scope: Scope, said: DriverSpec, platform: Platform) -> Driver:
    by_others = scope.catalog.distributions[platform.spec.distribution].driver_on_nodes
    return Driver(
        branch=said.branch or str(platform.release.driver.major),
        kernel_modules=said.kernel_modules,
        preinstalled=by_others if said.preinstalled is None else said.preinstalled,
        precompiled=said.precompiled,
    )


def _quantity(text: str | float) -> Quantity:
    """Return a quantity that the spec has checked."""
    quantity = Quantity.parse(text)
    assert quantity is not None  # noqa: S101 - the shape of the spec allows nothing else
    return quantity


def _pool_card(scope: Scope, name: str, spec: NodePoolSpec, tier: CardTier) -> Card | None:
    path = ("nodePools", name)
    in_tier = {card.name: card for card in tier.cards}
    listed = ", ".join(f"`{card}`" for card in in_tier)
    if spec.card is None:
        if len(in_tier) == 1:
            return tier.cards[0]
        scope.found.append(
            findings.CARD_NEEDED.found(
                f"Pool `{name}` does not say which card of tier `{tier.name}` it has",
                at=scope.origins.key(path),
                fix=f"Add `card:` with one of {listed}.",
            )
        )
        return None
    card = scope.look_up("cards", scope.catalog.cards, spec.card, (*path, "card"))
    if card is not None and card.name not in in_tier:
        summary = f"Pool `{name}` has card `{card.name}`, but tier `{tier.name}` lists {listed}"
        at = scope.origins.value((*path, "card"))
        scope.found.append(findings.CARD_NOT_IN_TIER.found(summary, at=at))
        return None
    return card


def _selection(spec: SelectedBySpec) -> Selection:
    if spec.labels is not None:
        return Selection(by=SelectedBy.LABELS, labels=tuple(sorted(spec.labels.items())))
    if spec.provisioner is not None:
        return Selection(by=SelectedBy.PROVISIONER, provisioner=spec.provisioner)
    names = spec.nfd.node_names if spec.nfd else []
    return Selection(by=SelectedBy.NFD, node_names=tuple(names))


def flavors(naming: Naming, pools: Mapping[str, NodePool], cluster: str) -> tuple[Flavor, ...]:
    """Join the pools of a cluster into flavors, in the order in which the spec first shows them."""
    joined: dict[tuple[object, ...], list[NodePool]] = {}
    for pool in pools.values():
        if pool.cluster == cluster:
            cuts = tuple(group.profiles for group in pool.sharing.groups)
            key = (pool.tier.name, pool.card.name, pool.sharing.label, cuts, pool.revision)
            joined.setdefault(key, []).append(pool)
    alike = Counter(_looks(members[0]) for members in joined.values())
    made = (flavor(tuple(members), alone=alike[_looks(members[0])] == 1) for members in joined.values())
    return tuple(map(naming.flavor, made))


def _looks(pool: NodePool) -> tuple[str, ...]:
    """Return what our labels say of the pool's nodes besides its name."""
    return pool.tier.name, pool.card.name, pool.sharing.label
