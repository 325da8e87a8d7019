"""A list of Kueue's that names something twice, where each may stand once.

The server keeps such a list by a key of its entries, mostly `name`, and could not tell two of them apart.

Source: Kueue, schemas of v1beta1 and v1beta2.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/listed-twice",
    severity=Severity.ERROR,
    summary="A list that names something twice",
    why="The API server refuses the object: Duplicate value.",
    fix="Keep one of the two.",
    bad="""\
kind: ClusterQueue
spec: {admissionChecksStrategy: {admissionChecks: [{name: provision}, {name: provision}]}}
""",
    good="""\
kind: ClusterQueue
spec: {admissionChecksStrategy: {admissionChecks: [{name: provision}]}}
""",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each item that an item before it has named."""
    for one in written.kueue(inventory, "ClusterQueue", "MultiKueueConfig", "ProvisioningRequestConfig"):
        for names in _lists(one):
            seen: dict[str, View] = {}
            for name in names:
                first = seen.setdefault(name.text(), name)
                if first is not name and isinstance(name.value, str):
                    also = (Related("first here", first.key_span),)
                    yield DOC.found(f"`{name.text()}` stands twice in a list of {one}", at=name.key_span, also=also)


def _lists(one: Object) -> Iterator[list[View]]:
    """Yield what names the items of each list in which they must differ."""
    new = one.api_version != written.V1BETA1
    checks = list(one.spec["admissionChecksStrategy"]["admissionChecks"].items())
    yield list(one.spec["clusters"].items())
    yield list(one.spec["managedResources"].items())
    if new:  # the old version takes them
        yield [check["name"] for check in checks]
        yield from (list(check["onFlavors"].items()) for check in checks)
        yield [label["key"] for label in one.spec["podSetUpdates"]["nodeSelector"].items()]
