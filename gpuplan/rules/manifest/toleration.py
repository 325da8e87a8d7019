"""A toleration of a pod that no server takes.

`operator` is Equal where it is not written, and Equal needs a `key`.

Source: Kubernetes, validation of pods.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="manifest/toleration",
    severity=Severity.ERROR,
    summary="A toleration that is none",
    why="The API server refuses the pods: operator must be Exists when `key` is empty; value must be empty when `operator` "
    "is 'Exists'; effect must be 'NoExecute' when `tolerationSeconds` is set.",
    fix="Write the toleration as the message says.",
    bad="tolerations: [{key: nvidia.com/gpu, operator: Exists, value: present}]\n",
    good="tolerations: [{key: nvidia.com/gpu, operator: Exists}]\n",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each fault of a toleration; words that are no choice are for the schema."""
    for work, pods in written.pods(inventory):
        for toleration in pods.tolerations.items():
            for at, wrong in written.toleration_faults(toleration):
                yield DOC.found(f"A toleration of {work}: {wrong}", at=at)
