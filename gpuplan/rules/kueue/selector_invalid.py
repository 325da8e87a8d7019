"""A namespace selector that the server cannot read.

In and NotIn need values, Exists and DoesNotExist may have none; keys and values must be such as labels have.

Source: Kubernetes, validation of label selectors, called by Kueue's webhook.
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
    id="kueue/selector-invalid",
    severity=Severity.ERROR,
    summary="A namespace selector that is none",
    why="Kueue's webhook refuses the object.",
    fix="Write the requirement as the message says.",
    bad="""\
spec:
  namespaceSelector:
    matchExpressions: [{key: team, operator: In}]
""",
    good="""\
spec:
  namespaceSelector:
    matchExpressions: [{key: team, operator: In, values: [vision]}]
""",
)


WITH_VALUES, WITHOUT_VALUES = ("In", "NotIn"), ("Exists", "DoesNotExist")


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each requirement that is none."""
    for one in written.kueue(inventory, "ClusterQueue"):
        selector = one.spec["namespaceSelector"]
        for key, value in selector["matchLabels"].entries():
            if wrong := label_key(key):
                yield DOC.found(f"Label `{key}` in the namespaceSelector of {one} {wrong}", at=value.key_span)
            if wrong := label_value(value.text()):
                yield DOC.found(f"Value `{value.text()}` in the namespaceSelector of {one} {wrong}", at=value.span)
        for expression in selector["matchExpressions"].items():
            for at, wrong in _expression(expression):
                yield DOC.found(f"A requirement in the namespaceSelector of {one}: {wrong}", at=at)


def _expression(expression: View) -> Iterator[tuple[Span, str]]:
    operator, values = expression["operator"], expression["values"]
    if operator.text() in WITH_VALUES and not values.value:
        yield operator.key_span, f"`{operator.text()}` needs `values`"
    elif operator.text() in WITHOUT_VALUES and values.value:
        yield values.key_span, f"`{operator.text()}` takes no `values`"
    elif operator.text() not in (*WITH_VALUES, *WITHOUT_VALUES) and isinstance(operator.value, str):
        yield operator.key_span, f"`{operator.text()}` is no operator; In, NotIn, Exists and DoesNotExist are"
    if isinstance(expression["key"].value, str) and (wrong := label_key(expression["key"].text())):
        yield expression["key"].key_span, f"key `{expression['key'].text()}` {wrong}"
    for value in values.items():
        if wrong := label_value(value.text()):
            yield value.span, f"value `{value.text()}` {wrong}"
