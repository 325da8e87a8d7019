"""Partitions that are offered under the name of a whole card.

By `resourceNaming: single` AMD's device plugin offers every device as `amd.com/gpu`, and in `CPX` a device is an eighth
of a card. A pod that asks for 1 cannot tell the two apart, and sums over the name mix them. gpuplan counts such partitions
as a unit of their own and never lets a task pool fall back between them and whole cards. Pools may differ in their
naming: each has a DeviceConfig of its own, so that no plugin serves two strategies.

Source: ROCm/k8s-device-plugin, resource naming strategies.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import produced_resources
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import shared_by, sharing_path
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="partition/plain-name",
    severity=Severity.INFO,
    summary="Partitions under the name of a whole card",
    why="A pod that asks for one `amd.com/gpu` cannot tell a card from a partition of it, and sums over the name mix both.",
    fix="Write `resourceNaming: mixed`: the partitions are then called after their mode.",
    bad="nodePools:\n  a: {card: mi300x, sharing: {partition: {compute: CPX}}}",
    good="nodePools:\n  a: {card: mi300x, sharing: {partition: {compute: CPX, resourceNaming: mixed}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool of partitions under the plain name."""
    for _, pool in shared_by(fleet, SharingMode.PARTITION):
        for made in produced_resources(pool):
            if made.unit.hidden:
                partitions = f"{made.per_node or 'all its'} partitions a node"
                summary = f"Pool `{pool.name}` offers {partitions} as `{made.resource}`, like cards"
                domain, mode = made.resource.partition("/")[0], pool.sharing.config.lower().replace("-", "_")
                yield DOC.found(
                    summary,
                    at=point(fleet, (*sharing_path(pool), "resourceNaming")),
                    fix=f"Write `resourceNaming: mixed`: the partitions are then called `{domain}/{mode}`, after their mode.",
                )
