"""A queue that names a ResourceFlavor which is not there.

Kueue takes the queue and leaves it inactive: nothing in it is admitted until a flavor of that name appears. The condition
says `FlavorNotFound`, and no event reaches the people whose jobs wait.

Source: Kueue, condition Active of a ClusterQueue; headlamp-k8s/plugins #1191, Kueue #706.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import FlavorQuotas, flavors, holders
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import meant

DOC = RuleDoc(
    id="kueue/unknown-flavor",
    severity=Severity.ERROR,
    summary="A queue names a ResourceFlavor that is not there",
    why="The queue stays inactive, reason FlavorNotFound (references missing ResourceFlavor), and admits nothing.",
    fix="Name a flavor that exists, or add the ResourceFlavor.",
    bad="kind: ResourceFlavor\nmetadata: {name: rtx-3090}\n---\n"
    "kind: ClusterQueue\nspec: {resourceGroups: [{flavors: [{name: rtx-390}]}]}",
    good="kind: ResourceFlavor\nmetadata: {name: rtx-3090}\n---\n"
    "kind: ClusterQueue\nspec: {resourceGroups: [{flavors: [{name: rtx-3090}]}]}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each flavor of a queue or cohort that has no object; a warning where it may stand elsewhere."""
    known = flavors(inventory)
    elsewhere = inventory.assumed.partial or not known
    for holder in holders(inventory):
        for flavor in (one for group in holder.groups for one in group.flavors):
            if flavor.name and flavor.name not in known:
                yield _finding(flavor, str(holder), list(known), elsewhere=elsewhere)


def _finding(flavor: FlavorQuotas, holder: str, known: list[str], *, elsewhere: bool) -> Diagnostic:
    return DOC.found(
        f"{holder} names flavor `{flavor.name}`, and no ResourceFlavor has that name",
        at=flavor.view["name"].key_span,
        severity=Severity.WARNING if elsewhere else None,
        fix=meant(flavor.name, known, DOC.fix),
    )
