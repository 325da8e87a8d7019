"""A pod that asks for a MIG instance by name where the device plugin publishes none by name.

Only strategy `mixed` offers `nvidia.com/mig-1g.5gb`. With `single` every instance is an `nvidia.com/gpu`, with `none` only whole
cards are seen.

Source: NVIDIA k8s-device-plugin, `internal/resource`, `internal/lm`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.mig import RESOURCE_PREFIX
from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.cards.mig_cuts import strategy
from gpuplan.inventory.cards.operator import mig_strategy
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.asked import by_containers, listed_by_nodes
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="mig/resource-not-published",
    severity=Severity.ERROR,
    summary="A pod asks for a MIG instance by a name that no node offers",
    why="Names of instances exist with strategy mixed alone. The pod stays Pending: no node lists such a resource.",
    fix="Ask for `nvidia.com/gpu`, or set the strategy to mixed.",
    bad="spec:\n  mig: {strategy: single}\n---\nresources:\n  limits: {nvidia.com/mig-1g.5gb: 1}",
    good="spec:\n  mig: {strategy: mixed}\n---\nresources:\n  limits: {nvidia.com/mig-1g.5gb: 1}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each container that asks for an instance by name under another strategy than mixed."""
    known = strategy(inventory)
    if known not in ("none", "single"):
        return
    stated = mig_strategy(inventory)
    also = (Related("the strategy is set here", stated.span),) if stated is not None else ()
    offered = "every instance is offered as `nvidia.com/gpu`" if known == "single" else "whole cards alone are offered"
    there = listed_by_nodes(inventory)
    for one in by_containers(inventory):
        if one.resource.startswith(RESOURCE_PREFIX) and one.resource not in there:
            summary = f"{one.who} asks for `{one.resource}`; with strategy {known} {offered}"
            yield DOC.found(summary, at=one.at, also=also)
