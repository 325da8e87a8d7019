"""An object of another batch scheduler.

gpuplan renders Kueue. Queues, quotas and groups of pods of other schedulers cannot be taken up into a fleet as they are; each is
told by kind, name and document, so that nothing is lost in silence.

Source: volcano-sh/volcano #4076.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="import/unsupported-kind",
    severity=Severity.WARNING,
    summary="An object of another batch scheduler",
    why="gpuplan renders Kueue: what this object says is not taken up into a fleet, and no rule of Kueue's looks at it.",
    fix="Write what it says as task pools, teams and quotas, or keep it beside the fleet.",
    bad="apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue",
    good="apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue",
)

_YUNIKORN = ("yunikorn-configs", "yunikorn-defaults")
"""ConfigMaps that hold YuniKorn's queues, which have no kind of their own."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each object of the API groups that the catalogue knows as other schedulers'."""
    index: Counter[str] = Counter()
    for one in inventory.objects:
        scheduler = inventory.catalog.schedulers.get(one.group)
        yunikorn = one.kind == "ConfigMap" and one.name in _YUNIKORN
        program = "Apache YuniKorn" if yunikorn else scheduler.program if scheduler else ""
        if program:
            file = one.at_kind.file
            index[file] += 1
            part = scheduler.kinds.get(one.kind) if scheduler else None
            yield _finding(one, program, _document(inventory, one), part)


def _document(inventory: Inventory, one: Object) -> int:
    """Return which object of its file it is, from 1."""
    same = [other for other in inventory.objects if other.at_kind.file == one.at_kind.file]
    return same.index(one) + 1


def _finding(one: Object, program: str, document: int, part: str | None) -> Diagnostic:
    return DOC.found(
        f"{one.kind} `{one.name}` (object {document} of the file) is {program}'s",
        at=one.at_kind,
        fix=f"Write it as {part}, or keep it beside the fleet." if part else None,
    )
