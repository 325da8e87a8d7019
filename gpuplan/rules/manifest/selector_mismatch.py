"""A selector that does not select the pods that its object makes.

A controller finds its pods by the selector: one that missed them would make pods without end.

Source: Kubernetes, validation of workloads.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="manifest/selector-mismatch",
    severity=Severity.ERROR,
    summary="A selector that does not select the pods of its own template",
    why="The API server refuses the object: selector does not match template labels.",
    fix="Write the labels of `selector.matchLabels` in `template.metadata.labels`, too.",
    bad="kind: Deployment\nspec:\n  selector: {matchLabels: {app: chat}}\n  template: {metadata: {labels: {app: chad}}}\n",
    good="kind: Deployment\nspec:\n  selector: {matchLabels: {app: chat}}\n  template: {metadata: {labels: {app: chat}}}\n",
)

KINDS = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"})


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each label that the selector asks for and the template lacks."""
    for one in written.whole(inventory):
        if one.kind not in KINDS or one.group != "apps" or not one.spec["template"]["spec"]["containers"].exists:
            continue
        labels = one.spec["template"]["metadata"]["labels"]
        for key, value in one.spec["selector"]["matchLabels"].entries():
            if isinstance(value.value, str) and labels[key].scalar() != value.text():
                found = f"has `{key}: {labels[key].scalar()}`" if labels[key].exists else f"has no `{key}`"
                summary = f"{one} selects pods with `{key}: {value.text()}`; its template {found}"
                yield DOC.found(summary, at=value.key_span)
