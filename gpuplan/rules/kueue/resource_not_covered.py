"""Work that asks for a resource which its queue does not cover.

Kueue counts everything that pods ask for. A resource outside `coveredResources` cannot be counted, and the work waits without
end: `resource ephemeral-storage unavailable in ClusterQueue`. The queue's own numbers look fine all the while.

Source: Kueue #4848, #931, #2266, #5800, #7513, #8838.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.kueue_settings import Settings, settings
from gpuplan.inventory.scheduling.queueing import Queued, arrivals
from gpuplan.inventory.scheduling.workloads import Request
from gpuplan.rulebook import RuleDoc
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="kueue/resource-not-covered",
    severity=Severity.ERROR,
    summary="Work asks for a resource that its queue does not cover",
    why="Kueue says that the resource is unavailable in the ClusterQueue, and the work waits without end.",
    fix="Cover the resource with a quota, or add it to `resources.excludeResourcePrefixes` of Kueue's configuration.",
    bad="coveredResources: [cpu, memory, nvidia.com/gpu]\n# and a job that asks for ephemeral-storage: 20Gi",
    good="coveredResources: [cpu, memory, nvidia.com/gpu, ephemeral-storage]",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding at each request that has a line of its own, and one at the name of the work for the others."""
    rules = settings(inventory)
    for arrival in arrivals(inventory):
        missing = _missing(arrival, rules)
        for name, request in missing.items():
            if request.view.own_line:
                yield DOC.found(_told(arrival, [name]), at=request.view.key_span)
        rest = [name for name, request in missing.items() if not request.view.own_line]
        if rest:
            yield DOC.found(_told(arrival, rest), at=arrival.work.object.at_name)


def _missing(arrival: Queued, rules: Settings) -> dict[str, Request]:
    """Return what the pods ask for and the queue does not cover, with the first place of each."""
    found: dict[str, Request] = {}
    for pods in arrival.work.pod_sets:
        for name, request in pods.requests.items():
            if pods.count and rules.missing(name, arrival.queue.covered):
                found.setdefault(name, request)
    return found


def _told(arrival: Queued, names: list[str]) -> str:
    shown = in_a_row([f"`{name}`" for name in sorted(names)])
    return f"{arrival.work} asks for {shown}, which {arrival.queue} does not cover"
