"""Levels of a topology that cannot be a tree.

Levels go from the widest to the narrowest, each with a label of its own; the node itself, `kubernetes.io/hostname`, can
only be the last.

Source: Kueue, rules of the Topology's schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/topology-levels",
    severity=Severity.ERROR,
    summary="Levels of a topology that repeat, or go on below the node",
    why="The API server refuses the object: must be unique; the kubernetes.io/hostname label can only be used at "
    "the lowest level of topology.",
    fix="List each label once, from the widest to the narrowest.",
    bad="""\
spec:
  levels: [{nodeLabel: kubernetes.io/hostname}, {nodeLabel: acme.io/rack}]
""",
    good="""\
spec:
  levels: [{nodeLabel: acme.io/rack}, {nodeLabel: kubernetes.io/hostname}]
""",
)


HOSTNAME = "kubernetes.io/hostname"


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each level out of place."""
    for one in written.kueue(inventory, "Topology"):
        labels = [level["nodeLabel"] for level in one.spec["levels"].items()]
        seen: set[str] = set()
        for label in labels:
            if label.text() in seen and label.text():
                yield DOC.found(f"Level `{label.text()}` stands twice in {one}", at=label.key_span)
            elif label.text() == HOSTNAME and labels[-1].text() != HOSTNAME:
                yield DOC.found(f"`{HOSTNAME}` is not the lowest level of {one}", at=label.key_span)
            seen.add(label.text())
