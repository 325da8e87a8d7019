"""Objects that nodes are made by, as an import looks at them: NodePools, MachineSets and their like.

They stand for nodes that are not listed: where a Node has the labels that one gives, that Node is what counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan.conventions import RESOURCE_GPU
from gpuplan.importer.cards import is_accelerator, named
from gpuplan.importer.machines import COUNTING, NodeFacts, Taint, lasting
from gpuplan.inventory.cards.nodes import Nodes, nodes
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.quantity import Quantity

_KARPENTER = ("NodePool", "Provisioner")
_POOL_LABELS = {"NodePool": "karpenter.sh/nodepool", "Provisioner": "karpenter.sh/provisioner-name"}
"""Labels by which Karpenter says of a node who made it."""
_REQUIREMENTS = (("spec", "template", "spec", "requirements"), ("spec", "requirements"))


def makers(inventory: Inventory) -> Iterator[NodeFacts]:
    """Yield what makes nodes with cards, unless its nodes are listed."""
    listed = [one.labels for one in inventory.of("Node")]
    for one in nodes(inventory):
        if one.source.is_node:
            continue
        labels = _labels(one)
        if any(_is_from(one, others) for others in listed):
            continue
        made = NodeFacts(
            name=one.source.name,
            labels=labels,
            taints=_taints(one),
            offers=one.offers,
            shows=False,
            copies=one.count,
            maker=one.source.name,
        )
        yield _expecting(inventory, one, made)


def _is_from(one: Nodes, node: Mapping[str, str]) -> bool:
    """Tell whether a Node with some labels is made by it: by its mark, else by the labels that it gives, if any."""
    mark = _POOL_LABELS.get(one.object.kind, "")
    return node[mark] == one.object.name if mark in node else one.labels.items() <= node.items()


def _labels(one: Nodes) -> dict[str, str]:
    """Return the labels of its nodes: those that it gives, those that it requires, and who made them."""
    labels = dict(one.labels)
    for path in _REQUIREMENTS if one.object.kind in _KARPENTER else ():
        for view in one.object.root.walk(*path).items():
            values = view["values"].strings()
            if view["operator"].text() == "In" and len(values) == 1:
                labels.setdefault(view["key"].text(), values[0])
    if one.object.kind in _POOL_LABELS:
        labels[_POOL_LABELS[one.object.kind]] = one.object.name
    return labels


def _taints(one: Nodes) -> tuple[Taint, ...]:
    said = one.source.taints.items()
    return lasting((taint["key"].text(), taint["value"].scalar(), taint["effect"].text()) for taint in said)


def _expecting(inventory: Inventory, one: Nodes, made: NodeFacts) -> NodeFacts:
    """Return it with the cards that its nodes will have, where something tells: a label, a taint, a limit."""
    told = [name for name in (*_limits(one.object), *(key for key, _, _ in made.taints)) if is_accelerator(name)]
    label, _ = named(made.labels, inventory.catalog.cards)
    counted = any(key in made.labels for key in COUNTING)
    if made.accelerators() or not (told or label or counted):
        return made
    resource = told[0] if told else RESOURCE_GPU
    return made.with_cards(resource, Quantity(10**9) * (made.count or 0))


def _limits(one: Object) -> Mapping[str, object]:
    limits = one.spec["limits"]
    return dict((limits["resources"] if limits["resources"].is_mapping else limits).entries())
