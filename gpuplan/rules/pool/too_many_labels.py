"""More labels on a flavor than Kueue takes.

A ResourceFlavor has at most 8 node labels. A pool selected by more would be refused by the API server.

Source: Kueue ResourceFlavor, nodeLabels (at most 8).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

MOST = 8

DOC = RuleDoc(
    id="pool/too-many-labels",
    severity=Severity.ERROR,
    summary="More labels than a flavor may have",
    why="Kueue takes at most 8 node labels on a ResourceFlavor; the API server refuses more.",
    fix="Select the pool by fewer labels: one that only its nodes carry is enough.",
    bad="nodePools:\n  a: {selectedBy: {labels: {a: '1', b: '1', c: '1', d: '1', e: '1', f: '1', g: '1', h: '1', i: '1'}}}",
    good="nodePools:\n  a: {selectedBy: {labels: {node.kubernetes.io/instance-type: hgx-h100}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each flavor above the limit, at its first pool."""
    for cluster in fleet.clusters:
        for flavor in cluster.flavors:
            if len(flavor.node_labels) > MOST:
                summary = f"Flavor `{flavor.name}` would have {len(flavor.node_labels)} node labels; Kueue takes {MOST}"
                yield DOC.found(summary, at=point(fleet, (*flavor.pools[0].path, "selectedBy", "labels")))
