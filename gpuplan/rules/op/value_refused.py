"""A value that the GPU Operator's custom resources do not take, in one of them or in the values of the chart.

The definitions have types and, for a few fields, a list of words: the API server refuses a whole ClusterPolicy for one wrong
value. The chart writes its values into that resource, so that the installation fails there.

Source: NVIDIA/gpu-operator, config/crd/bases.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import keys
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.charts import LISTS, is_of_chart
from gpuplan.rules.misfits import Misfit, misfits, wrong_words
from gpuplan.rules.operands import resources

DOC = RuleDoc(
    id="op/value-refused",
    severity=Severity.ERROR,
    summary="A value that the GPU Operator's custom resources do not take",
    why="The API server refuses the whole resource.",
    fix="Write a value that the resource takes.",
    bad="devicePlugin: {enabled: true}\nmig: {strategy: multi}",
    good="devicePlugin: {enabled: true}\nmig: {strategy: mixed}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each value of another type, or that is none of the words that the custom resource has."""
    for one, definition in resources(inventory):
        yield from (_found(wrong, one.kind) for wrong in misfits(one.root, definition, converts=False))
    known = keys.load(LISTS[Format.OPERATOR_VALUES])
    for config in inventory.configs_of(Format.OPERATOR_VALUES):
        if is_of_chart(config, known):
            yield from (_found(wrong, "ClusterPolicy") for wrong in wrong_words(config.root, known))


def _found(one: Misfit, kind: str) -> Diagnostic:
    return DOC.found(
        f"`{one.path}` is {one.written}, and a {kind} takes {one.wanted}",
        at=one.view.span,
        fix=one.fix,
    )
