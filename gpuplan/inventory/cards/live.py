"""What a node really offers, by its physical cards: a kubelet lists resources on that the node no longer has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuplan.catalog.mig import RESOURCE_PREFIX, MigClass, label_safe
from gpuplan.conventions import LABEL_PRODUCT, RESOURCE_GPU, RESOURCE_GPU_SHARED
from gpuplan.inventory.cards.exposure import produced
from gpuplan.inventory.cards.labelled import Labelled, mig_config
from gpuplan.inventory.cards.mig_tables import Layout
from gpuplan.inventory.inventory import Inventory

LABEL_MIG_STATE = "nvidia.com/mig.config.state"
_APPLIED = ("", "success")
_OFF = "all-disabled"
_ALL_OF = "all-"
"""How the operator's own layouts of one profile begin: `all-1g.10gb`."""
_SHARED_PRODUCT = "-SHARED"
_MANY = 10**6
"""As many instances as there may be, where only their profile is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The cards of a node."""

    cards: int
    """Physical cards; 0 where nobody counted them."""
    offered: Mapping[str, int]
    """What pods can have, by resource, without what is stale; a stale resource is there with what is left of it."""
    stale: tuple[str, ...]
    """Resources that are listed with more than the node can have."""


def standing(one: Labelled, inventory: Inventory, layouts: Mapping[str, Layout]) -> Standing | None:
    """Return what a node offers; None where it lists nothing."""
    listed = {
        name: amount.whole
        for name, view in one.holder.root["status"]["allocatable"].entries()
        if name.startswith("nvidia.com/") and (amount := view.quantity()) is not None
    }
    if not listed:
        return None
    cards = one.cards(inventory) or 0
    instances = {name: count for name, count in listed.items() if name.startswith(RESOURCE_PREFIX) and count > 0}
    offered = dict(listed)
    if listed.get(RESOURCE_GPU_SHARED, 0) > 0 and RESOURCE_GPU in listed:
        offered[RESOURCE_GPU] = 0
    elif instances and cards:
        offered = _possible(one, listed, _expected(one, inventory, layouts, cards, instances))
    stale = tuple(name for name, count in listed.items() if offered[name] < count)
    return Standing(cards=cards, offered=offered, stale=stale)


def _possible(one: Labelled, listed: Mapping[str, int], expected: Mapping[str, int]) -> dict[str, int]:
    """Return what is listed as far as it is expected. Shares under the plain name multiply a number, but not none."""
    shared = one.label(LABEL_PRODUCT).endswith(_SHARED_PRODUCT)
    offered = dict(listed)
    for name, count in listed.items():
        limit = expected.get(name, 0) if name == RESOURCE_GPU or name.startswith(RESOURCE_PREFIX) else count
        if limit == 0 or not shared:
            offered[name] = min(count, limit)
    return offered


def _expected(
    one: Labelled,
    inventory: Inventory,
    layouts: Mapping[str, Layout],
    cards: int,
    instances: Mapping[str, int],
) -> dict[str, int]:
    """Return the most that a node can offer: by its layout once that is applied, else by what the instances leave."""
    wanted, card = mig_config(one).text(), one.card(inventory)
    if one.label(LABEL_MIG_STATE) in _APPLIED:
        if wanted in layouts:
            return produced(layouts[wanted].cuts(cards, card), "mixed")
        if wanted == _OFF:
            return {RESOURCE_GPU: cards}
        profile = RESOURCE_PREFIX + wanted.removeprefix(_ALL_OF)
        if wanted.startswith(_ALL_OF) and profile in instances:
            return {RESOURCE_GPU: 0, profile: _MANY}
    left = cards - _least_cards(instances, inventory.catalog.mig.get(card.mig_class or "") if card else None)
    return {**dict.fromkeys(instances, _MANY), RESOURCE_GPU: max(left, 0)}


def _least_cards(instances: Mapping[str, int], mig_class: MigClass | None) -> int:
    """Return how many cards so many instances need at the least; 1 where the card is not known."""
    if mig_class is None:
        return 1
    known = {label_safe(profile.name): profile for profile in mig_class.profiles.values()}
    slices = 0
    most = 1
    for name, count in instances.items():
        profile = known.get(name.removeprefix(RESOURCE_PREFIX))
        if profile is not None:
            slices += profile.memory_slices * count
            most = max(most, -(-count // profile.max_count))
    return max(most, -(-slices // mig_class.memory_slices))
