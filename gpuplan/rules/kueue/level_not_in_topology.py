"""Work that asks for a level of topology which no flavor of its queue has.

Kueue takes a flavor for such work only if the flavor's Topology has that level. The name of a node's label is easily written
otherwise in the job than in the Topology.

Source: Kueue, topology-aware scheduling, assignment of flavors; Kueue #5039.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan.conventions import ANNOTATION_PREFERRED_TOPOLOGY, ANNOTATION_REQUIRED_TOPOLOGY
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.reading.templates import is_placeholder
from gpuplan.inventory.scheduling.queueing import Queued, arrivals
from gpuplan.inventory.scheduling.queues import ResourceGroup, in_order
from gpuplan.inventory.scheduling.workloads import PodSet
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import meant
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="kueue/level-not-in-topology",
    severity=Severity.ERROR,
    summary="Work asks for a level that no Topology of its queue has",
    why="Kueue passes over every flavor without that level, so the work waits without end.",
    fix="Write a level of the Topology, or add the level to it.",
    bad="kind: Topology\nspec: {levels: [{nodeLabel: rack}]}\n---\n"
    "annotations: {kueue.x-k8s.io/podset-required-topology: racks}",
    good="kind: Topology\nspec: {levels: [{nodeLabel: rack}]}\n---\n"
    "annotations: {kueue.x-k8s.io/podset-required-topology: rack}",
)
_ASKING = (ANNOTATION_REQUIRED_TOPOLOGY, ANNOTATION_PREFERRED_TOPOLOGY)

Levels = Mapping[str, tuple[str, ...] | None]
"""Levels of each flavor: none where it has no Topology, None where its Topology is not known."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each level that is asked for and that no flavor has, where all are known and one has a Topology."""
    levels = {one.object.name: _levels(inventory, one.topology) for one in in_order(inventory)}
    for one in arrivals(inventory):
        if not _is_checked_elsewhere(one):
            for pods, group in one.needs(inventory):
                yield from _of_pods(one, pods, group, levels)


def _levels(inventory: Inventory, named: View) -> tuple[str, ...] | None:
    if not named.exists:
        return ()
    topology = inventory.find("Topology", named.scalar())
    if topology is None:
        return None
    return tuple(level["nodeLabel"].scalar() for level in topology.spec["levels"].items())


def _is_checked_elsewhere(one: Queued) -> bool:
    """Tell whether a check decides on the place of the work too, as MultiKueue does by sending it to another cluster."""
    spec = one.queue.object.spec
    return spec["admissionChecks"].exists or spec["admissionChecksStrategy"].exists


def _of_pods(one: Queued, pods: PodSet, group: ResourceGroup, levels: Levels) -> Iterator[Diagnostic]:
    known = [levels.get(name) for name in group.names]
    offered = [level for found in known if found for level in found]
    if not offered or any(found is None for found in known):
        return
    for key in _ASKING:
        asked = pods.template["metadata"]["annotations"][key]
        if asked.text() and asked.text() not in offered and not is_placeholder(asked.value):
            has = in_a_row([f"`{level}`" for level in dict.fromkeys(offered)])
            yield DOC.found(
                f"{one.work} asks for level `{asked.text()}`, and the flavors of {one.queue} have {has}",
                at=asked.key_span,
                fix=meant(asked.text(), offered, f"Write one of {has}."),
            )
