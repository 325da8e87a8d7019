"""A flavor whose labels no node has.

Kueue does not look at nodes: it admits work by quota, and puts the flavor's labels into its pods as a selector. Where no node has
them all, the pods stay Pending and hold the quota.

Source: Kueue #425, ResourceFlavor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.nodes import nodes
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.capacity import behind
from gpuplan.inventory.scheduling.queues import Flavor, in_order
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="kueue/flavor-selects-no-node",
    severity=Severity.WARNING,
    summary="A flavor whose labels no node has",
    why="Kueue admits work by quota and makes its pods ask for these labels. No node has them, so the pods stay Pending.",
    fix="Write the labels as the nodes have them.",
    bad="kind: ResourceFlavor\nspec: {nodeLabels: {card: H100}}\n---\nkind: Node\nmetadata: {labels: {card: h100}}",
    good="kind: ResourceFlavor\nspec: {nodeLabels: {card: h100}}\n---\nkind: Node\nmetadata: {labels: {card: h100}}",
)

_SEPARATORS = re.compile(r"[-_. ]+")


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding where a label of a flavor is a slip of one that nodes have, and none has it as written.

    Other nodes than those that are listed may have what looks like nothing of the kind.
    """
    if inventory.assumed.partial:
        return
    for flavor in in_order(inventory):
        if flavor.node_labels and not behind(inventory, flavor):
            meant = _meant(inventory, flavor)
            if meant:
                key, value, right = meant
                yield DOC.found(
                    f"Flavor `{flavor.name}` selects `{key}: {value}`, which no node has",
                    at=flavor.object.spec["nodeLabels"][key].key_span,
                    fix=f"Did you mean {right!r}?",
                )


def _meant(inventory: Inventory, flavor: Flavor) -> tuple[str, str, str] | None:
    """Return (key, value, the value of nodes that it is a slip of); a label that some node has is none."""
    for key, value in flavor.node_labels.items():
        known = sorted({one.labels[key] for one in nodes(inventory) if key in one.labels})
        right = next((one for one in known if _alike(value, one)), None) if value not in known else None
        if right:
            return key, value, right
    return None


def _alike(written: str, real: str) -> bool:
    """Tell whether a value is another one but for case and separators, or for what sharing and MIG append to a product.

    One letter may be the name of another card (h100, h200), so it is no slip.
    """
    if _bare(written) == _bare(real):
        return True
    short, long = sorted((written, real), key=len)
    return long.startswith((f"{short}-SHARED", f"{short}-MIG-"))


def _bare(value: str) -> str:
    return _SEPARATORS.sub("", value.casefold())
