"""A flavor that names a Topology which is not there.

Every queue that uses such a flavor is inactive, reason TopologyNotFound, also for its other flavors.

Source: Kueue, condition Active of a ClusterQueue.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import in_order, names
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import meant

DOC = RuleDoc(
    id="kueue/unknown-topology",
    severity=Severity.ERROR,
    summary="A ResourceFlavor names a Topology that is not there",
    why="Every queue that uses the flavor stays inactive, reason TopologyNotFound.",
    fix="Name a Topology that exists, or add it.",
    bad="kind: Topology\nmetadata: {name: racks}\n---\nkind: ResourceFlavor\nspec: {topologyName: rack}",
    good="kind: Topology\nmetadata: {name: racks}\n---\nkind: ResourceFlavor\nspec: {topologyName: racks}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each flavor whose Topology has no object; a warning where it may stand elsewhere."""
    known = names(inventory, "Topology")
    elsewhere = inventory.assumed.partial or not known
    for flavor in in_order(inventory):
        name = flavor.topology.scalar()
        if name and name not in known:
            yield DOC.found(
                f"ResourceFlavor `{flavor.name}` names Topology `{name}`, which is not there",
                at=flavor.topology.key_span,
                severity=Severity.WARNING if elsewhere else None,
                fix=meant(name, known, DOC.fix),
            )
