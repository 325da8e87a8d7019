"""A flavor with a topology and without node labels.

The labels say which nodes are counted; with a topology Kueue looks at nodes one by one and needs them.

Source: Kueue, webhook of ResourceFlavor and rules of its schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/topology-without-labels",
    severity=Severity.ERROR,
    summary="A flavor with a topology and no node labels",
    why="The API server refuses the object: at least one nodeLabel is required when topology is set.",
    fix="Write a label that the nodes of this flavor have, and no others.",
    bad="""\
spec: {topologyName: racks}
""",
    good="""\
spec:
  topologyName: racks
  nodeLabels: {cloud.provider.com/node-group: h100}
""",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such flavor."""
    for one in written.kueue(inventory, "ResourceFlavor"):
        topology, labels = one.spec["topologyName"], one.spec["nodeLabels"]
        if topology.exists and (not labels.exists or labels.value == {}):
            yield DOC.found(f"{one} has topology `{topology.text()}` and no `nodeLabels`", at=topology.key_span)
