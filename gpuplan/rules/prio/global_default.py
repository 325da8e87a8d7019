"""A PriorityClass that is the default of the whole cluster.

`globalDefault` gives the class to every new pod without one, in every namespace, the system's own add-ons among them. What was
to order jobs of one team then orders everything.

Source: Kubernetes, PriorityClass; project-codeflare/mlbatch, GoogleCloudPlatform/kubernetes-engine-samples.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.priorities import priority_classes
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="prio/global-default",
    severity=Severity.WARNING,
    summary="A PriorityClass is the default of the whole cluster",
    why="Every new pod without a class gets it, in every namespace, and pods made before keep 0.",
    fix="Leave `globalDefault` out and name the class where it is meant, or use a WorkloadPriorityClass, which only Kueue reads.",
    bad="kind: PriorityClass\nmetadata: {name: normal}\nvalue: 5\nglobalDefault: true",
    good="kind: PriorityClass\nmetadata: {name: normal}\nvalue: 5",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each default class whose value is not the 0 that pods have anyway."""
    for one in priority_classes(inventory):
        if one.is_default and one.value:
            told = f"PriorityClass `{one.object.name}` changes the priority of every pod without a class (0 -> {one.value})"
            yield DOC.found(told, at=one.object.root["globalDefault"].key_span)
