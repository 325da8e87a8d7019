"""Strategy `single` on nodes whose cards are not all cut alike.

With strategy `single` the device plugin offers slices as `nvidia.com/gpu`, which only works when every card of the node is
cut into one and the same profile. On a node with two profiles, or with whole cards beside cut ones, it offers nothing: the
product label becomes `<product>-MIG-INVALID` and the count 0.

Source: NVIDIA k8s-device-plugin, strategy single. Reports: NVIDIA/gpu-operator #460, #479.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gpuplan.catalog.cards import Card
from gpuplan.conventions import LABEL_PRODUCT
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.labelled import MIG_INVALID, labelled
from gpuplan.inventory.cards.mig_cuts import Use, brings_own_layouts, layouts_in_use, strategy, uses
from gpuplan.inventory.cards.mig_tables import Layout
from gpuplan.inventory.inventory import Inventory
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import MigStrategy
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import mig_path
from gpuplan.rules.walk import listed, point, pools

DOC = RuleDoc(
    id="mig/single-strategy-mixed-geometry",
    severity=Severity.ERROR,
    summary="MIG strategy single on cards that are not all cut alike",
    why="The plugin cannot tell different slices apart under one name: the node gets the label MIG-INVALID and offers 0 GPUs.",
    fix="Write `strategy: mixed`, or cut every card of the node into one profile.",
    bad="nodePools:\n  lab: {sharing: {mig: {strategy: single, profiles: {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}}}}",
    good="nodePools:\n  lab: {sharing: {mig: {strategy: mixed, profiles: {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}}}}",
)


BALANCED = "all-balanced"
"""The operator's own layout that cuts each card into several profiles."""
_MOST_CARDS = 64
"""More than any node has: an index beyond it is a slip."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool with strategy single and more than one kind of device on a node."""
    for _, pool in pools(fleet):
        if pool.sharing.strategy is not MigStrategy.SINGLE:
            continue
        mixed = _mixed(dict(group.profiles) for group in pool.sharing.groups)
        if mixed:
            summary = f"Pool `{pool.name}` has strategy single and {mixed} on each node"
            yield DOC.found(summary, at=point(fleet, (*mig_path(pool), "strategy")))


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each node whose layout strategy single cannot offer, and for each that says so itself."""
    stated = strategy(inventory)
    layouts = layouts_in_use(inventory)
    own = brings_own_layouts(inventory)
    found: set[object] = set()
    for use in uses(inventory):
        if (stated or use.strategy) != "single" or (use.by_default and use.view.path in found):
            continue
        mixed = _of_use(inventory, layouts[use.layout], use) if use.layout in layouts else ""
        if own and use.layout == BALANCED and (use.card is None or use.card.mig_class):
            mixed = "instances of several profiles"
        if mixed:
            found |= {use.who, use.view.path}
            yield DOC.found(
                f"{use.subject} gets strategy single and MIG layout `{use.layout}`: {mixed}", at=use.view.span
            )
    for one in labelled(inventory):
        if one.is_node and one.label(LABEL_PRODUCT).endswith(MIG_INVALID) and str(one) not in found:
            summary = f"Node `{one.name}` calls its cards `{one.label(LABEL_PRODUCT)}`: they are not cut alike"
            yield DOC.found(summary, at=one.labels[LABEL_PRODUCT].span)


def _of_use(inventory: Inventory, layout: Layout, use: Use) -> str:
    """Say what the cards of a node become where that differs, on every card that the layout may be for."""
    listed_cards = [index for entry in layout.entries for index in entry.devices or () if index < _MOST_CARDS]
    cards = use.cards or max(listed_cards, default=0) + 1
    words = [_mixed(layout.cuts(min(cards, _MOST_CARDS), card)) for card in _cards(inventory, layout, use)]
    return words[0] if all(words) else ""


def _cards(inventory: Inventory, layout: Layout, use: Use) -> list[Card | None]:
    if use.card is not None or not any(entry.pci_ids for entry in layout.entries):
        return [use.card]
    meant = [
        card for card in inventory.catalog.cards.values() if any(e.pci_ids and e.takes(card) for e in layout.entries)
    ]
    return [*meant] or [None]


def _mixed(cuts: Iterable[Mapping[str, int]]) -> str:
    """Say of which kinds the devices of a node are; nothing where they are all of one."""
    each = list(cuts)
    profiles = dict.fromkeys(profile for cut in each for profile in cut)
    whole = any(not cut for cut in each)
    beside = " beside whole cards" if whole else ""
    return f"{listed(profiles)}{beside}" if len(profiles) + whole > 1 else ""
