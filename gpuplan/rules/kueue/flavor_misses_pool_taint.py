"""A flavor that does not get its pods past the taints of its own nodes.

Kueue counts quota, not taints of nodes: it admits the work, and its pods stay Pending, holding the quota. Either the flavor
brings the toleration, or it names the taint in `nodeTaints`, so that work without the toleration is not let in.

Source: Kueue #3720, #3721; jhwagner/kueue-bench.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.nodes import Nodes
from gpuplan.inventory.cards.tolerating import Taint, untolerated
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.capacity import behind, given
from gpuplan.inventory.scheduling.queueing import arrivals
from gpuplan.inventory.scheduling.queues import Flavor, in_order
from gpuplan.inventory.scheduling.workloads import PodSet
from gpuplan.rulebook import RuleDoc
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="kueue/flavor-misses-pool-taint",
    severity=Severity.WARNING,
    summary="A flavor does not tolerate the taints of its own nodes",
    why="Kueue admits the work, and its pods stay Pending and hold the quota, unless something else adds the toleration.",
    fix="Add the toleration to the flavor, or name the taint in `nodeTaints` for work that opts in.",
    bad="kind: ResourceFlavor\nspec: {nodeLabels: {kind: gpu}}\n---\nkind: Node\nmetadata: {labels: {kind: gpu}}\n"
    "spec: {taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}",
    good="kind: ResourceFlavor\nspec:\n  nodeLabels: {kind: gpu}\n"
    "  tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]",
)

GKE = "cloud.google.com/gke-"
"""How labels begin that GKE gives every node."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each flavor all of whose nodes have a taint that neither it nor all work in its queues deals with."""
    for flavor in in_order(inventory):
        selected = _with_cards(inventory, flavor)
        named = {(one["key"].scalar(), one["effect"].text()) for one in flavor.node_taints.items()}
        shared = set.intersection(*(set(one.taints) for one in selected)) if selected else set()
        open_ones = [one for one in sorted(shared) if (one.key, one.effect) not in named]
        missing = [
            one
            for one in untolerated(open_ones, flavor.tolerations)
            if not _is_tolerated_for_all(inventory, selected, one)
        ]
        if missing and not _all_tolerate(inventory, flavor, missing):
            yield _finding(flavor, selected[0], missing)


def _with_cards(inventory: Inventory, flavor: Flavor) -> tuple[Nodes, ...]:
    """Return the nodes of a flavor; of those, the ones with its cards where any has them."""
    selected = behind(inventory, flavor)
    cards = [
        name for owner, name in given(inventory) if owner == flavor.name and name in inventory.catalog.accelerators
    ]
    offering = tuple(one for one in selected if any(one.offer(name).nanos for name in cards))
    return offering or selected


def _is_tolerated_for_all(inventory: Inventory, selected: tuple[Nodes, ...], taint: Taint) -> bool:
    """Tell whether the API server lets each pod with a device tolerate the taint that is called like it: GKE's does.

    Source: Kubernetes, admission plugin ExtendedResourceToleration; GKE, taints of GPU nodes.
    """
    like_device = taint.key in inventory.catalog.accelerators and taint.effect == "NoSchedule"
    return like_device and all(any(key.startswith(GKE) for key in one.labels) for one in selected)


def _all_tolerate(inventory: Inventory, flavor: Flavor, taints: list[Taint]) -> bool:
    pods = [
        one for arrival in arrivals(inventory) for one, group in arrival.needs(inventory) if flavor.name in group.names
    ]
    return bool(pods) and not any(_kept_out(one, taints) for one in pods)


def _kept_out(pods: PodSet, taints: list[Taint]) -> bool:
    return bool(untolerated(taints, pods.tolerations))


def _finding(flavor: Flavor, nodes: Nodes, missing: list[Taint]) -> Diagnostic:
    shown = in_a_row([f"`{taint}`" for taint in missing])
    needed = ", ".join(f"{{key: {taint.key}, operator: Exists, effect: {taint.effect}}}" for taint in missing)
    return DOC.found(
        f"Flavor `{flavor.name}` does not tolerate {shown} of its own nodes ({nodes.source})",
        at=flavor.object.at_name,
        fix=f"Write `tolerations: [{needed}]` on the flavor, or name the taint in `nodeTaints` for work that opts in.",
    )
