"""A capacity type that the provisioner does not know.

Karpenter's values are `on-demand`, `spot` and `reserved`; those of EKS's own node groups are written in capitals. The other
spelling selects nothing.

Source: karpenter.sh, well-known labels; Amazon EKS user guide, managed node groups.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.labelled import labelled
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import flavors
from gpuplan.inventory.scheduling.workloads import workloads
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed

DOC = RuleDoc(
    id="node/invalid-capacity-type",
    severity=Severity.ERROR,
    summary="A capacity type that does not exist",
    why="No node has this value, and no node is made for it: pods stay Pending.",
    fix="Write one of the values that the message lists.",
    bad="labels: {karpenter.sh/capacity-type: ON_DEMAND}",
    good="labels: {karpenter.sh/capacity-type: on-demand}",
)
VALUES = {
    "karpenter.sh/capacity-type": ("on-demand", "spot", "reserved"),
    "eks.amazonaws.com/capacityType": ("ON_DEMAND", "SPOT", "CAPACITY_BLOCK"),
}
"""Label -> its values."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each label, wish and selector with such a value."""
    for key, view in _written(inventory):
        if view.text() and view.text() not in VALUES[key]:
            summary = f"`{key}` is `{view.text()}`, which is no capacity type"
            yield DOC.found(summary, at=view.span, fix=f"Write {_meant(view.text(), VALUES[key])}.")


def _written(inventory: Inventory) -> Iterator[tuple[str, View]]:
    selectors = [one.labels for one in labelled(inventory)]
    selectors += [one.object.spec["nodeLabels"] for one in flavors(inventory).values()]
    selectors += [pods.spec["nodeSelector"] for one in workloads(inventory) for pods in one.pod_sets]
    yield from ((key, one[key]) for one in selectors for key in VALUES if key in one)
    for maker in inventory.of("Provisioner", "NodePool", "NodeClaim"):
        for wishes in (maker.spec["requirements"], maker.spec.walk("template", "spec", "requirements")):
            for wish in wishes.items():
                key = wish["key"].text()
                yield from ((key, value) for value in wish["values"].items() if key in VALUES)


def _meant(written: str, known: tuple[str, ...]) -> str:
    """Return the value that is spelt alike, else all there are."""
    alike = [one for one in known if one.casefold().replace("_", "-") == written.casefold().replace("_", "-")]
    return f"`{alike[0]}`" if alike else listed(known, "or")
