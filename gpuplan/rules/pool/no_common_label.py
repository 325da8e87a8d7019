"""Pools of one flavor whose nodes have no label in common.

Pools with one tier, card, sharing and revision are one ResourceFlavor, and a flavor selects nodes by one set of labels.
Without a common label it would have none: Kueue refuses a flavor with a Topology and no label, and one without a
Topology would let its jobs run on any node of the cluster.

Source: Kueue, ResourceFlavor (topologyName needs a node label).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="pool/no-common-label",
    severity=Severity.ERROR,
    summary="Pools of one flavor without a common label",
    why="One ResourceFlavor selects the nodes of all its pools by labels they share; without one it would select every node.",
    fix="Give the pools a label in common, or set them apart by tier or `revision`.",
    bad="nodePools:\n  a: {tier: serve, selectedBy: {labels: {pool: a}}}\n  b: {tier: serve, selectedBy: {labels: {pool: b}}}",
    good="nodePools:\n  a: {tier: serve, selectedBy: {labels: {card: l40s, pool: a}}}\n"
    "  b: {tier: serve, selectedBy: {labels: {card: l40s, pool: b}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each flavor without a label, at its second pool."""
    for cluster in fleet.clusters:
        for flavor in cluster.flavors:
            if flavor.node_labels or len(flavor.pools) < 2:
                continue
            first, *others = flavor.pools
            yield DOC.found(
                f"Pools {listed(pool.name for pool in flavor.pools)} are one flavor, `{flavor.name}`, and share no label",
                at=point(fleet, (*others[0].path, "selectedBy")),
                also=(Related("the first of them", point(fleet, (*first.path, "selectedBy"))),),
            )
