"""A pool whose tier has topology levels that nobody labels.

Kueue places gangs by node labels, one for each level. A node without the label of a level is invisible to it: with a
Topology on the flavor, such nodes count for nothing, and every job of the pool stays pending. So each pool behind
levels above the hostname says who sets their labels: `provided` (the provider does), `nfd` or `kubelet`.

Source: Kueue topology-aware scheduling. Reports: kubernetes-sigs/kueue #5039, #6996.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, point, pools

DOC = RuleDoc(
    id="topology/labels-undeclared",
    severity=Severity.ERROR,
    summary="Topology levels whose labels nobody declares to set",
    why="Nodes without the label of a level do not exist for Kueue's placement: every job of the pool would stay pending.",
    fix="Say who sets the labels, `topologyLabels: provided`, `nfd` or `kubelet`, or remove the levels from the tier.",
    bad="cardTiers:\n  train: {topology: {levels: [topology.gpuplan.dev/rack, kubernetes.io/hostname]}}\n"
    "nodePools:\n  a: {tier: train}",
    good="cardTiers:\n  train: {topology: {levels: [topology.gpuplan.dev/rack, kubernetes.io/hostname]}}\n"
    "nodePools:\n  a: {tier: train, topologyLabels: provided}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that leaves its tier's labels open."""
    for _, pool in pools(fleet):
        levels = [level for level in pool.tier.levels if level != conventions.LABEL_HOSTNAME]
        if levels and not pool.topology_labels:
            yield DOC.found(
                f"Pool `{pool.name}` does not say who labels its nodes with {listed(levels)}",
                at=point(fleet, (*pool.path, "topologyLabels")),
                also=(Related("the levels of its tier", fleet.places.key((*pool.tier.path, "topology"))),),
            )
