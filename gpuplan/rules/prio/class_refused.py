"""A PriorityClass that the API server refuses.

Values above a thousand million and names that begin with `system-` are Kubernetes' own, and a cluster has one default class.

Source: Kubernetes, validation of PriorityClass (HighestUserDefinablePriority) and the admission plugin Priority.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.priorities import SYSTEM
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="prio/class-refused",
    severity=Severity.ERROR,
    summary="A PriorityClass that the API server refuses",
    why="Values above 1000000000 and names that begin with `system-` are reserved, and a cluster has one default class.",
    fix="Write a lower value, another name, or one default.",
    bad="kind: PriorityClass\nmetadata: {name: urgent}\nvalue: 2000000000",
    good="kind: PriorityClass\nmetadata: {name: urgent}\nvalue: 1000000000",
)
OF_KUBERNETES = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}
RESERVED = "system-"


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each reserved name and value, and each default after the first."""
    first = None
    for one in inventory.of("PriorityClass"):
        value = one.root["value"].number()
        if one.group != "scheduling.k8s.io" or OF_KUBERNETES.get(one.name) == (value or 0):
            continue  # a dump of a cluster holds Kubernetes' own
        if one.name.startswith(RESERVED):
            found = f"PriorityClass `{one.name}`: names that begin with `{RESERVED}` are reserved"
            yield DOC.found(found, at=one.at_name)
        if value is not None and value > SYSTEM:
            found = f"PriorityClass `{one.name}` has the value {value}; the API server takes {SYSTEM} at most"
            yield DOC.found(found, at=one.root["value"].key_span)
        default = one.root["globalDefault"]
        if default.flag() and first is not None:
            yield DOC.found(
                f"PriorityClass `{one.name}` is a second default of the cluster beside `{first.name}`",
                at=default.key_span,
                also=(Related("the first", first.root["globalDefault"].key_span),),
            )
        first = first or (one if default.flag() else None)
