"""A taint of a flavor that no node can have.

Kueue gives a flavor only to pods that tolerate its taints. Taints are told apart by key and effect together.

Source: Kueue, webhook of ResourceFlavor and rules of its schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written
from gpuplan.validate.formats import label_key, label_value

DOC = RuleDoc(
    id="kueue/flavor-taint-invalid",
    severity=Severity.ERROR,
    summary="A taint of a flavor that is none",
    why="The API server or Kueue's webhook refuses the object: supported taint effect values: 'NoSchedule', "
    "'PreferNoSchedule', 'NoExecute'; taints must be unique by key and effect pair.",
    fix="Write the taint as the nodes have it.",
    bad="""\
spec:
  nodeTaints: [{key: spot, effect: NoSchedul}]
""",
    good="""\
spec:
  nodeTaints: [{key: spot, effect: NoSchedule}]
""",
)


EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each fault of a taint."""
    for one in written.kueue(inventory, "ResourceFlavor"):
        seen: set[tuple[str, str]] = set()
        for taint in one.spec["nodeTaints"].items():
            yield from (DOC.found(f"Taint of {one}: {wrong}", at=at) for at, wrong in _taint(taint))
            pair = (taint["key"].text(), taint["effect"].text())
            if pair in seen and taint["key"].exists:
                yield DOC.found(f"Taint of {one}: `{pair[0]}:{pair[1]}` stands twice", at=taint["key"].key_span)
            seen.add(pair)


def _taint(taint: View) -> Iterator[tuple[Span, str]]:
    key, value, effect = taint["key"], taint["value"], taint["effect"]
    if isinstance(key.value, str) and (wrong := label_key(key.text())):
        yield key.key_span, f"key `{key.text()}` {wrong}"
    if wrong := label_value(value.text()):
        yield value.key_span, f"value `{value.text()}` {wrong}"
    if isinstance(effect.value, str) and effect.text() not in EFFECTS:
        yield effect.key_span, f"effect {written.no_choice(effect.text(), EFFECTS)}"
