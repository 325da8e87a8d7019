"""Node labels of a flavor that no node can have.

A key is a short name, after a DNS name and a slash where it has a prefix; a value has at most 63 characters.

Source: Kueue, webhook of ResourceFlavor and rules of its schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written
from gpuplan.validate.formats import label_key, label_value

DOC = RuleDoc(
    id="kueue/flavor-labels-invalid",
    severity=Severity.ERROR,
    summary="A node label of a flavor that is none",
    why="Kueue's webhook refuses the object.",
    fix="Write the label as the nodes have it.",
    bad="""\
spec:
  nodeLabels: {gpu product: H100}
""",
    good="""\
spec:
  nodeLabels: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
""",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such label."""
    for one in written.kueue(inventory, "ResourceFlavor"):
        for key, value in one.spec["nodeLabels"].entries():
            if wrong := label_key(key):
                yield DOC.found(f"Node label `{key}` of {one} {wrong}", at=value.key_span)
            if wrong := label_value(value.text()):
                yield DOC.found(f"Value `{value.text()}` of node label `{key}` of {one} {wrong}", at=value.span)
