"""Which nodes stand behind which flavor, each node once, and which nodes are of one kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuplan import conventions
from gpuplan.importer.cards import PRODUCT_LABELS, is_accelerator
from gpuplan.importer.dividing import CHOOSING, REPLICAS
from gpuplan.importer.machines import COUNTING, NodeFacts
from gpuplan.inventory.items import Object
from gpuplan.quantity import Quantity

GROUPS = (
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "kubernetes.azure.com/agentpool",
    "karpenter.sh/nodepool",
)
"""Labels of providers by which nodes that were made alike are told from others."""
MACHINE = (
    "cloud.google.com/gke-accelerator",
    "karpenter.k8s.aws/instance-gpu-name",
    "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/instance-type",
)
"""Labels of providers by which machines with other cards are told apart."""


def shared_out(
    flavors: Iterable[Object], nodes: Iterable[NodeFacts], counted: Mapping[str, Mapping[str, Quantity]]
) -> tuple[dict[str, list[NodeFacts]], list[NodeFacts]]:
    """Return the nodes of each flavor, and those of none.

    A node that several flavors select belongs to the one with most labels, then to the one that knows most of its taints.
    """
    found: dict[str, list[NodeFacts]] = {flavor.name: [] for flavor in flavors}
    rest: list[NodeFacts] = []
    for node in nodes:
        fitting = [one for one in flavors if _selects(one, node, counted.get(one.name, {}))]
        if fitting:
            best = max(fitting, key=lambda one: (len(one.spec["nodeLabels"].texts()), _knows(one, node)))
            found[best.name].append(node)
        else:
            rest.append(node)
    return found, rest


def _selects(flavor: Object, node: NodeFacts, amounts: Mapping[str, Quantity]) -> bool:
    """Tell whether a flavor selects a node: one without labels takes those with cards where it counts some, else the others."""
    labels = flavor.spec["nodeLabels"].texts()
    if labels:
        return labels.items() <= node.labels.items()
    return bool(amounts) and any(is_accelerator(name) for name in amounts) == bool(node.accelerators() or node.expects)


def _knows(flavor: Object, node: NodeFacts) -> int:
    said = {one["key"].text() for part in ("tolerations", "nodeTaints") for one in flavor.spec[part].items()}
    return len({key for key, _, _ in node.taints} & said)


def alike(nodes: Iterable[NodeFacts], *, by_maker: bool = False) -> list[list[NodeFacts]]:
    """Return nodes by kind, in the order in which kinds come; `by_maker` keeps those apart that different objects make."""
    kinds: dict[tuple[object, ...], list[NodeFacts]] = {}
    for node in nodes:
        kinds.setdefault((_looks(node), node.maker if by_maker else ""), []).append(node)
    return list(kinds.values())


def _looks(node: NodeFacts) -> tuple[object, ...]:
    """Return what nodes of one kind have in common.

    A node that calls itself like others and offers nothing is one of them, so what it offers counts only where no label tells.
    """
    naming = PRODUCT_LABELS if any(key in node.labels for key in PRODUCT_LABELS) else MACHINE
    keys = (*naming, *COUNTING, REPLICAS, conventions.LABEL_POOL, *CHOOSING)
    named = any(key in node.labels for key in naming)
    offers = node.accelerators()
    cards: object = () if named else tuple(sorted(offers.items()))
    return (tuple(node.labels.get(key, "") for key in keys), node.taints, cards)
