"""Work whose node selector fits no flavor of its queue.

Kueue holds the `nodeSelector` and the required node affinity of pods against the labels of each flavor, by the keys that any
flavor of the resource group has. Where none fits, the work waits without end, however much quota is free.

Source: Kueue 0.19, pkg/scheduler/flavorassigner (flavorSelector, `flavor doesn't match node affinity`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan.diagnostics import Diagnostic, Related, Severity, Span
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queueing import arrivals
from gpuplan.inventory.scheduling.queues import Flavor, flavors
from gpuplan.inventory.scheduling.selecting import Labels
from gpuplan.inventory.scheduling.workloads import PodSet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="kueue/selector-matches-no-flavor",
    severity=Severity.ERROR,
    summary="Work selects nodes that no flavor of its queue stands for",
    why="Kueue says `flavor doesn't match node affinity`, and the work waits without end.",
    fix="Select by a label that a flavor has, or leave the choice of nodes to Kueue, which adds the flavor's labels to the pods.",
    bad="kind: ResourceFlavor\nspec: {nodeLabels: {card: l40s}}   # and a Job with\nnodeSelector: {card: h100}",
    good="kind: ResourceFlavor\nspec: {nodeLabels: {card: l40s}}   # and a Job with\nnodeSelector: {card: l40s}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each workload with pods that all flavors of a resource group refuse by their labels."""
    known = flavors(inventory)
    for arrival in arrivals(inventory):
        for pods, group in arrival.needs(inventory):
            there = [known[name] for name in group.names if name in known]
            if len(there) == len(group.names) and there and not any(_fits(pods, one, there) for one in there):
                yield DOC.found(
                    f"{arrival.work} selects nodes that no flavor of {arrival.queue} stands for",
                    at=_place(pods, arrival.work.object.at_name),
                    also=tuple(Related(f"flavor `{one.name}`", one.object.at_name) for one in there),
                )
                break


def _fits(pods: PodSet, flavor: Flavor, there: list[Flavor]) -> bool:
    """Tell whether a flavor's labels meet what the pods select by, of the keys that any flavor of the group has."""
    keys = {key for one in there for key in one.node_labels}
    wanted = {key: value for key, value in pods.node_selector.items() if key in keys}
    return wanted.items() <= flavor.node_labels.items() and _near(pods, flavor.node_labels, keys)


def _place(pods: PodSet, otherwise: Span) -> Span:
    selector = pods.spec["nodeSelector"]
    return selector.key_span if selector.exists else otherwise


def _near(pods: PodSet, labels: Mapping[str, str], keys: set[str]) -> bool:
    required = pods.spec.walk("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    answers: list[bool] = []
    for term in required["nodeSelectorTerms"].items():
        relevant = [one for one in term["matchExpressions"].items() if one["key"].scalar() in keys]
        if not relevant:
            return True
        answers.append(all(Labels(known=labels, complete=True).meets(one) is not False for one in relevant))
    return any(answers) if answers else True
