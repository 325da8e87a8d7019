"""Cards, tiers and node pools: names bound, sharing laid out card by card."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Mapping

from gpuplan import conventions
from gpuplan.catalog import Card, Vendor
from gpuplan.catalog.mig import label_safe
from gpuplan.model.flavors import Flavor, flavor
from gpuplan.model.pools import (
    CardTier,
    Driver,
    MigGroup,
    MigStrategy,
    NodePool,
    SelectedBy,
    Selection,
    Sharing,
    SharingMode,
    Taint,
)
from gpuplan.quantity import Quantity
from gpuplan.resolve import findings
from gpuplan.resolve.scope import Scope
from gpuplan.spec.pools import (
    CardSpec,
    CardTierSpec,
    MigSpec,
    NodePoolSpec,
    SelectedBySpec,
    SharesSpec,
    SharingChoiceSpec,
)

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


def node_pools(scope: Scope, tiers: Mapping[str, CardTier], drivers: Mapping[str, str]) -> dict[str, NodePool]:
    """Bind every node pool. `drivers` is the default driver branch of each cluster that resolved."""
    pools = ((name, _node_pool(scope, name, spec, tiers, drivers)) for name, spec in scope.spec.node_pools.items())
    return {name: pool for name, pool in pools if pool is not None}


def _node_pool(
    scope: Scope, name: str, spec: NodePoolSpec, tiers: Mapping[str, CardTier], drivers: Mapping[str, str]
) -> NodePool | None:
    path = ("nodePools", name)
    default_branch = scope.look_up("clusters", drivers, spec.cluster, (*path, "cluster"))
    tier = scope.look_up("cardTiers", tiers, spec.tier, (*path, "tier"))
    card = _pool_card(scope, name, spec, tier) if tier else None
    if default_branch is None or tier is None or card is None:
        return None
    return NodePool(
        name=name,
        cluster=spec.cluster,
        tier=tier,
        card=card,
        nodes=spec.nodes,
        cards_per_node=spec.cards_per_node,
        selection=_selection(spec.selected_by),
        sharing=_sharing(spec),
        taints=tuple(Taint(key=taint.key, value=taint.value, effect=taint.effect) for taint in spec.taints),
        mig_class=scope.catalog.mig_of(card),
        topology_labels=spec.topology_labels or "",
        driver=Driver(branch=spec.driver.branch or default_branch, kernel_modules=spec.driver.kernel_modules),
        companions={resource: _quantity(text) for resource, text in sorted(spec.companions.items())},
        revision=max(tier.revision, spec.revision),
        path=path,
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


def _sharing(spec: NodePoolSpec) -> Sharing:
    if not isinstance(spec.sharing, SharingChoiceSpec):
        return Sharing(mode=SharingMode.EXCLUSIVE, label="exclusive")
    if spec.sharing.mig is not None:
        return _mig(spec.sharing.mig, spec.cards_per_node)
    if spec.sharing.mps is not None:
        return _shares(SharingMode.MPS, "mps", spec.sharing.mps)
    return _shares(SharingMode.TIME_SLICING, "time-slicing", spec.sharing.time_slicing or SharesSpec(replicas=1))


def _shares(mode: SharingMode, word: str, spec: SharesSpec) -> Sharing:
    label = f"{word}-{spec.replicas}" + ("" if spec.rename_by_default else "-plain")
    return Sharing(mode=mode, label=label, replicas=spec.replicas, renamed=spec.rename_by_default)


def _mig(spec: MigSpec, cards_per_node: int) -> Sharing:
    """Lay the cut out over every card index; cards that no group names stay whole."""
    every = tuple(range(cards_per_node))
    if spec.profiles is not None:
        groups = [MigGroup(indexes=every, profiles=tuple(sorted(spec.profiles.items())))]
    else:
        groups = [
            MigGroup(indexes=tuple(group.cards), profiles=tuple(sorted(group.profiles.items())))
            for group in spec.groups or ()
        ]
        cut = {index for group in groups for index in group.indexes}
        whole = tuple(index for index in every if index not in cut)
        groups += [MigGroup(indexes=whole, profiles=())] if whole else []
    strategy = MigStrategy(spec.strategy)
    name = spec.name or "-".join(_group_label(group, counted=len(groups) > 1) for group in groups)
    single = "single-" if strategy is MigStrategy.SINGLE else ""
    return Sharing(mode=SharingMode.MIG, label=f"mig-{single}{name}", strategy=strategy, groups=tuple(groups))


def _group_label(group: MigGroup, *, counted: bool) -> str:
    cut = "-".join(f"{count}x{label_safe(profile)}" for profile, count in group.profiles) or "whole"
    return f"{len(group.indexes)}of-{cut}" if counted else cut


def flavors(pools: Mapping[str, NodePool], cluster: str) -> tuple[Flavor, ...]:
    """Join the pools of a cluster into flavors, in the order in which the spec first shows them."""
    joined: dict[tuple[object, ...], list[NodePool]] = {}
    for pool in pools.values():
        if pool.cluster == cluster:
            cuts = tuple(group.profiles for group in pool.sharing.groups)
            key = (pool.tier.name, pool.card.name, pool.sharing.label, cuts, pool.revision)
            joined.setdefault(key, []).append(pool)
    alike = Counter(_looks(members[0]) for members in joined.values())
    return tuple(flavor(tuple(members), alone=alike[_looks(members[0])] == 1) for members in joined.values())


def _looks(pool: NodePool) -> tuple[str, ...]:
    """Return what our labels say of the pool's nodes besides its name."""
    return pool.tier.name, pool.card.name, pool.sharing.label
