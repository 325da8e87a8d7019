"""A toleration of a flavor that no pod can have.

Kueue adds the tolerations of a flavor to the pods that it admits to it. `operator` is Equal when it is not written.

Source: Kueue, webhook of ResourceFlavor and rules of its schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/flavor-toleration-invalid",
    severity=Severity.ERROR,
    summary="A toleration of a flavor that is none",
    why="The API server or Kueue's webhook refuses the object: operator must be Exists when 'key' is empty; effect"
    " must be 'NoExecute' when 'tolerationSeconds' is set; a value must be empty when 'operator' is 'Exists'.",
    fix="Write the toleration as the message says.",
    bad="""\
spec:
  tolerations: [{key: spot, operator: Exists, value: 'true'}]
""",
    good="""\
spec:
  tolerations: [{key: spot, operator: Exists}]
""",
)


EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
OPERATORS = ("Equal", "Exists")


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each fault of a toleration."""
    for one in written.kueue(inventory, "ResourceFlavor"):
        for toleration in one.spec["tolerations"].items():
            for at, wrong in (*_choices(toleration), *written.toleration_faults(toleration)):
                yield DOC.found(f"Toleration of {one}: {wrong}", at=at)


def _choices(toleration: View) -> Iterator[tuple[Span, str]]:
    for field, choices in (("operator", OPERATORS), ("effect", EFFECTS)):
        word = toleration[field]
        if isinstance(word.value, str) and word.text() not in choices:
            yield word.key_span, f"{field} {written.no_choice(word.text(), choices)}"
