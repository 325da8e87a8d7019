"""A flavor without `nodeLabels`.

Kueue binds pods to the nodes of a flavor by its labels and nothing else. A flavor without them is a number: work that was let in
for one card may land on another one. Tolerations do not bind either, they only allow. With a single flavor there is nothing to
mix up, and the note is only for the day when a second one comes.

Source: Kueue, ResourceFlavor; OCP-on-NERC/nerc-ocp-config.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan.conventions import LABEL_PRODUCT
from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import Flavor, holders, in_order
from gpuplan.rulebook import RuleDoc
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="kueue/flavor-not-bound-to-nodes",
    severity=Severity.WARNING,
    summary="A flavor selects no nodes",
    why="Only `nodeLabels` bind pods to the nodes of a flavor; "
    "tolerations allow and do not bind. What is admitted here may run on any node.",
    fix="Give the flavor `nodeLabels` that its nodes have and no others.",
    bad="kind: ResourceFlavor\nspec: {tolerations: [{key: nvidia.com/gpu.product, value: Tesla-V100-PCIE-32GB}]}",
    good="kind: ResourceFlavor\nspec: {nodeLabels: {nvidia.com/gpu.product: Tesla-V100-PCIE-32GB}}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each unbound flavor of cards, or beside which others are tried; a note where it is the only one."""
    cards, beside = _cards(inventory), _beside(inventory)
    for flavor in in_order(inventory):
        if flavor.node_labels:
            continue
        own = cards.get(flavor.name, frozenset())
        rivals = beside.get(flavor.name, frozenset()) | {name for name, theirs in cards.items() if own & theirs}
        rivals -= {flavor.name}
        if rivals:
            names = in_a_row([f"`{name}`" for name in sorted(rivals)[:3]])
            told = f"Flavor `{flavor.name}` selects no nodes, so its work may land on those of {names}"
            yield DOC.found(told, at=_place(flavor), fix=_labels(flavor))
        elif own:
            summary = f"Flavor `{flavor.name}` selects no nodes; it is the only one of its cards"
            yield DOC.found(summary, at=_place(flavor), severity=Severity.INFO)


def _cards(inventory: Inventory) -> Mapping[str, frozenset[str]]:
    """Return the resources of cards that each flavor is used for."""
    found: dict[str, frozenset[str]] = {}
    for holder in holders(inventory):
        for quota in holder.quotas():
            if quota.resource in inventory.catalog.accelerators:
                found[quota.flavor] = found.get(quota.flavor, frozenset()) | {quota.resource}
    return found


def _beside(inventory: Inventory) -> Mapping[str, frozenset[str]]:
    """Return the flavors that are tried in one group with each."""
    found: dict[str, frozenset[str]] = {}
    for group in (one for holder in holders(inventory) for one in holder.groups):
        names = frozenset(flavor.name for flavor in group.flavors)
        for name in names:
            found[name] = found.get(name, frozenset()) | names
    return found


def _labels(flavor: Flavor) -> str | None:
    """Return how to bind a flavor that tolerates a taint of one product, which its nodes have as a label too."""
    for one in flavor.tolerations.items():
        product = one["value"].scalar()
        if one["key"].scalar() == LABEL_PRODUCT and product:
            return f"Write `nodeLabels: {{{LABEL_PRODUCT}: {product}}}`, which feature discovery puts on its nodes."
    return None


def _place(flavor: Flavor) -> Span:
    return flavor.object.at_name if flavor.object.spec.exists else flavor.object.at_kind
