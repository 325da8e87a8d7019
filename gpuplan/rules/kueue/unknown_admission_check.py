"""A queue that names an AdmissionCheck which is not there.

Kueue takes the queue and leaves it inactive, reason AdmissionCheckNotFound: nothing in it is admitted.

Source: Kueue, condition Active of a ClusterQueue; #134.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import ClusterQueue, cluster_queues, names
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import meant

DOC = RuleDoc(
    id="kueue/unknown-admission-check",
    severity=Severity.ERROR,
    summary="A queue names an AdmissionCheck that is not there",
    why="The queue stays inactive, reason AdmissionCheckNotFound, and admits nothing.",
    fix="Name an AdmissionCheck that exists, or add it.",
    bad="kind: AdmissionCheck\nmetadata: {name: prov}\n---\nkind: ClusterQueue\nspec: {admissionChecks: [prv]}",
    good="kind: AdmissionCheck\nmetadata: {name: prov}\n---\nkind: ClusterQueue\nspec: {admissionChecks: [prov]}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each check of a queue that has no object; a warning where it may stand elsewhere."""
    known = names(inventory, "AdmissionCheck")
    elsewhere = inventory.assumed.partial or not known
    for queue in cluster_queues(inventory):
        for view in _checks(queue):
            name = view.scalar()
            if name and name not in known:
                yield DOC.found(
                    f"{queue} names AdmissionCheck `{name}`, which is not there",
                    at=view.key_span,
                    severity=Severity.WARNING if elsewhere else None,
                    fix=meant(name, known, DOC.fix),
                )


def _checks(queue: ClusterQueue) -> Iterator[View]:
    """Yield the names of a queue's checks: of v1beta1's plain list, and of the strategy."""
    spec = queue.object.spec
    yield from spec["admissionChecks"].items()
    for one in spec["admissionChecksStrategy"]["admissionChecks"].items():
        yield one["name"]
