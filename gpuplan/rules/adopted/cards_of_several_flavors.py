"""An adopted quota that may be of any of several flavors of the fleet.

What adopted queues own is taken off what task pools can give out, where their flavor stands for the nodes of one of the fleet's
flavors. A flavor without labels, or with labels that several share, stands for any of them, and nobody knows whose cards go: then
nothing is taken off, and floors there may be short by as much.

Source: Kueue, which counts by flavor and not by node.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.adopted_quota import in_words, standing_for
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed

DOC = RuleDoc(
    id="adopted/cards-of-several-flavors",
    severity=Severity.WARNING,
    summary="An adopted quota that may be of several flavors of the fleet",
    why="Nobody knows whose cards it takes, so that it is not taken off any: floors there may be short by as much.",
    fix="Give the adopted flavor the `nodeLabels` of one pool, or leave so many cards without an owner.",
    bad="adopted:\n  eu:\n    resourceFlavors: {any: {}}   # the fleet has two flavors with nvidia.com/gpu",
    good="adopted:\n  eu:\n    resourceFlavors: {any: {nodeLabels: {pool: h100}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each such quota, in clusters where task pools own something."""
    for cluster in fleet.clusters:
        if cluster.cohorts_with_queues:
            yield from _quotas(fleet, cluster)


def _quotas(fleet: Fleet, cluster: Cluster) -> Iterator[Diagnostic]:
    for owner in (*cluster.adopted.of("Cohort"), *cluster.adopted.of("ClusterQueue")):
        for name, resource, amount, path in owner.nominal():
            homes = standing_for(cluster.flavors, cluster.adopted, name, resource)
            cards = [flavor for flavor in homes if resource in flavor.capacity]
            if len(homes) > 1 and cards and amount.nanos:
                yield DOC.found(
                    f"{amount} `{resource}` of {in_words(owner)} may be cards of {listed(one.name for one in homes)}",
                    at=fleet.places.value(path),
                )
