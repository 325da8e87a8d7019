"""How many cards a node has and how they are cut and shared, by what its labels say and what it offers.

GPU Feature Discovery counts MIG instances as `nvidia.com/gpu.count` under strategy single, and names the shares of each piece
`nvidia.com/gpu.replicas`. Source: NVIDIA/k8s-device-plugin docs/gpu-feature-discovery, MIG labels.
"""

from __future__ import annotations

import re

from gpuplan import conventions
from gpuplan.importer import sharing
from gpuplan.importer.cards import Product
from gpuplan.importer.machines import NodeFacts
from gpuplan.inventory.cards import mig_cuts
from gpuplan.inventory.cards.exposure import SHARED
from gpuplan.inventory.inventory import Inventory
from gpuplan.quantity import whole_number

Plain = object
REPLICAS, SHARING_STRATEGY = "nvidia.com/gpu.replicas", "nvidia.com/gpu.sharing-strategy"
CHOOSING = (conventions.LABEL_MIG_CONFIG, conventions.LABEL_DEVICE_PLUGIN_CONFIG)
"""Labels that choose how the cards of a node are cut and shared."""
SHARES_TAKEN = "The product says that cards are shared, and no file into how many parts: 2 is taken."
_PLUS = re.compile(r"^(\d+g\.\d+gb)\.(.+)$")
"""A profile as resources and labels have it: `1g.10gb.me` for `1g.10gb+me`."""
_LEAST_SHARES = 2
_MOST_SHARES = 10_000


def cards(inventory: Inventory, node: NodeFacts, read: Product) -> int | None:
    """Return the cards of a node: as its label says, else as many whole ones as it offers."""
    if node.count is not None:
        each = _instances(inventory, node, read)
        return node.count // each or None if node.count % each == 0 else None
    offers = node.accelerators()
    whole = [pieces for resource, pieces in offers.items() if "mig-" not in resource and not resource.endswith(SHARED)]
    return whole[0] if whole else None


def _instances(inventory: Inventory, node: NodeFacts, read: Product) -> int:
    """Return how many pieces the label counts for a card: instances under strategy single, else the card itself."""
    if not read.profile:
        return 1
    chosen = sharing.tables(inventory).get(node.labels.get(conventions.LABEL_MIG_CONFIG, ""))
    if chosen is not None:
        value = sharing.of_table(chosen, "single", None, read.card).value
        cut = value["mig"].get("profiles", {}) if isinstance(value, dict) else {}
        if cut:
            return sum(cut.values())
    return most_instances(inventory, read)


def most_instances(inventory: Inventory, read: Product) -> int:
    """Return how often a card is cut into a profile: as often as its class allows, else as every card that has the profile."""
    known = inventory.catalog.mig.get(read.card.mig_class or "") if read.card is not None else None
    classes = [known] if known is not None else list(inventory.catalog.mig.values())
    counts = [found.max_count for one in classes if (found := one.find(read.profile)) is not None]
    return min(counts, default=1)


def cut_whole(inventory: Inventory, read: Product) -> Plain:
    """Return a card cut into one profile as often as it goes."""
    return {"mig": {"strategy": "single", "profiles": {read.profile: most_instances(inventory, read)}}}


def of_labels(inventory: Inventory, node: NodeFacts, read: Product) -> sharing.Shared:
    """Return how a node's cards are cut or shared, by what its labels choose or tell."""
    table = sharing.tables(inventory)
    chosen = node.labels.get(conventions.LABEL_MIG_CONFIG, "")
    strategy = node.labels.get(conventions.LABEL_MIG_STRATEGY, "") or mig_cuts.strategy(inventory)
    if chosen in table:
        return sharing.of_table(table[chosen], strategy, cards(inventory, node, read), read.card)
    cut = _counted(node)
    if cut and node.count and all(count % node.count == 0 for count in cut.values()):
        each = {name: count // node.count for name, count in cut.items()}
        return sharing.Shared(value={"mig": {"strategy": strategy or "mixed", "profiles": each}})
    plugin = sharing.profiles(inventory).get(node.labels.get(conventions.LABEL_DEVICE_PLUGIN_CONFIG, ""))
    config = plugin or sharing.default_profile(inventory)
    if config is not None:
        return sharing.of_profile(config)
    if read.profile:
        return sharing.Shared(value=cut_whole(inventory, read))
    return _told_shares(node, read)


def _counted(node: NodeFacts) -> dict[str, int]:
    """Return the MIG instances of all cards of a node as its labels count them under strategy mixed."""
    found = {
        _PLUS.sub(r"\1+\2", key.removeprefix("nvidia.com/mig-").removesuffix(".count")): whole_number(
            value, _MOST_SHARES
        )
        for key, value in node.labels.items()
        if key.startswith("nvidia.com/mig-") and key.endswith(".count")
    }
    return {name: count for name, count in found.items() if count}


def _told_shares(node: NodeFacts, read: Product) -> sharing.Shared:
    """Return the shares that feature discovery tells, else those that the node offers of each card."""
    offers = node.accelerators()
    renamed = any(resource.endswith(SHARED) for resource in offers)
    replicas = whole_number(node.labels.get(REPLICAS, ""), _MOST_SHARES)
    if replicas is None and node.count and (renamed or read.shared):
        pieces = sum(offers.values())
        replicas = pieces // node.count if pieces % node.count == 0 else None
    if replicas is None or replicas < _LEAST_SHARES:
        return untold_shares() if read.shared else sharing.Shared(value=sharing.EXCLUSIVE)
    kind = "mps" if node.labels.get(SHARING_STRATEGY) == "mps" else "timeSlicing"
    return sharing.Shared(value={kind: {"replicas": replicas, **({} if renamed else {"renameByDefault": False})}})


def untold_shares() -> sharing.Shared:
    """Return a guess for cards of which only the product's name says that they are shared, under the resource's own name."""
    return sharing.Shared(
        value={"timeSlicing": {"replicas": _LEAST_SHARES, "renameByDefault": False}}, notes=(SHARES_TAKEN,)
    )
