"""The chart is told to make a ConfigMap and given nothing to make it of.

With `create: true` the operator's chart makes the ConfigMap only if both its name and its data are there, and is silent
otherwise. The component waits for it for ever.

Source: NVIDIA/gpu-operator, templates of the chart. Report: NVIDIA/gpu-operator #2641.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.operator import operators
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="op/configmap-not-created",
    severity=Severity.ERROR,
    summary="The chart is to make a ConfigMap without a name or data",
    why="The chart then makes none, without a word, and the component waits for it.",
    fix="Write `name` and `data`, or make the ConfigMap elsewhere and write `create: false`.",
    bad="migManager:\n  config: {name: cut-table, create: true, data: {}}",
    good="migManager:\n  config: {name: cut-table, create: false}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each `create: true` that comes to nothing."""
    for operator in operators(inventory, anywhere=True):
        for ref in operator.configs() if not operator.is_policy else ():
            lacking = [key for key in ("name", "data") if not ref.view[key].value]
            if ref.created and lacking:
                summary = (
                    f"`{ref.component}.config` is to be created, and its {' and '.join(lacking)} {_be(lacking)} empty"
                )
                yield DOC.found(summary, at=ref.view["create"].key_span)


def _be(lacking: list[str]) -> str:
    return "is" if len(lacking) == 1 else "are"
