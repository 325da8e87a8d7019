"""Work that no flavor of its queue lets in, because of `nodeTaints`.

`nodeTaints` of a flavor are a filter: work is let in only if its pods tolerate them, or the flavor's own `tolerations` do. They
are never tolerated on anybody's behalf.

Source: Kueue #3720, #3721.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.tolerating import Taint, repelling, untolerated
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queueing import Queued, arrivals
from gpuplan.inventory.scheduling.queues import Flavor, ResourceGroup, flavors
from gpuplan.inventory.scheduling.workloads import PodSet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="kueue/untolerated-taint",
    severity=Severity.ERROR,
    summary="Work does not tolerate the taints of any flavor of its queue",
    why="`nodeTaints` are a filter: Kueue says `untolerated taint in flavor`, and the work waits without end.",
    fix="Add the toleration to the work, or put it into `tolerations` of the flavor, and Kueue gives it to all pods.",
    bad="kind: ResourceFlavor\nspec: {nodeTaints: [{key: spot, value: 'true', effect: NoSchedule}]}",
    good="kind: ResourceFlavor\nspec:\n  nodeTaints: [{key: spot, value: 'true', effect: NoSchedule}]\n"
    "  tolerations: [{key: spot, operator: Exists, effect: NoSchedule}]",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each workload that every flavor of a resource group keeps out."""
    known = flavors(inventory)
    for arrival in arrivals(inventory):
        for pods, group in arrival.needs(inventory):
            barriers = _barriers(known, pods, group)
            if barriers:
                yield _finding(arrival, barriers)
                break


def _barriers(known: dict[str, Flavor], pods: PodSet, group: ResourceGroup) -> list[tuple[str, Taint]]:
    """Return what keeps pods out of each flavor of a group; nothing where one lets them in, or is not known."""
    found = []
    for name in group.names:
        flavor = known.get(name)
        barred = untolerated(repelling(flavor.node_taints), pods.tolerations, flavor.tolerations) if flavor else []
        if not barred:
            return []
        found.append((name, barred[0]))
    return found


def _finding(arrival: Queued, barriers: list[tuple[str, Taint]]) -> Diagnostic:
    told = ", ".join(f"untolerated taint `{taint}` in flavor `{name}`" for name, taint in barriers)
    return DOC.found(f"{arrival.work} is let into no flavor of {arrival.queue}: {told}", at=arrival.work.object.at_name)
