"""What Nodes say of themselves, and what queues count, as an import looks at them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from gpuplan.conventions import LABEL_CARD_COUNT
from gpuplan.importer.cards import is_accelerator
from gpuplan.inventory.cards.tolerating import LIFECYCLE
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.scheduling.queues import holders
from gpuplan.quantity import Quantity, whole_number

_MOST_CARDS = 999
COUNTING = (LABEL_CARD_COUNT, "cloud.google.com/gke-accelerator-count", "karpenter.k8s.aws/instance-gpu-count")
"""Labels that count the cards of a node."""
_STARTING = ("agent-not-ready", "startup-taint")
"""How the keys of taints end that an agent takes away once it runs on the node."""
Taint = tuple[str, str, str]
"""(key, value, effect)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFacts:
    """What a Node says of itself."""

    name: str
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    offers: Mapping[str, Quantity]
    """What it has to give: allocatable, else capacity."""
    shows: bool
    """Whether it says what it has at all."""
    copies: int | None = 1
    """How many nodes it stands for; None where something decides that while it runs."""
    maker: str = ""
    """What makes it, where it is no node but stands for some."""
    expects: tuple[str, ...] = ()
    """Accelerators that its nodes will offer, nobody says how many."""

    @property
    def count(self) -> int | None:
        """Its cards by its label; under MIG strategy single its instances."""
        told = (whole_number(self.labels.get(key, ""), _MOST_CARDS) for key in COUNTING)
        return next((number for number in told if number is not None), None)

    def with_cards(self, resource: str, amount: Quantity) -> NodeFacts:
        """Return it with so many cards that it is sure to offer, or with some where the amount is 0."""
        if amount.nanos:
            return replace(self, offers={**self.offers, resource: amount})
        return replace(self, expects=(resource,))

    def accelerators(self) -> dict[str, int]:
        """Return the pieces that it offers, by resource."""
        return {name: amount.whole for name, amount in self.offers.items() if is_accelerator(name) and amount.nanos > 0}


def facts(node: Object) -> NodeFacts:
    """Read a Node."""
    status = node.root["status"]
    said = status["allocatable"] if status["allocatable"].is_mapping else status["capacity"]
    offers = {name: amount for name, view in said.entries() if (amount := view.quantity()) is not None}
    taints = tuple(
        (taint["key"].text(), taint["value"].scalar(), taint["effect"].text()) for taint in node.spec["taints"].items()
    )
    return NodeFacts(
        name=node.name,
        labels=node.labels,
        taints=tuple(
            one for one in taints if one[0] and not one[0].startswith(LIFECYCLE) and not one[0].endswith(_STARTING)
        ),
        offers=offers,
        shows=said.is_mapping,
    )


def lasting(taints: Iterable[Taint]) -> tuple[Taint, ...]:
    """Return the taints that stay: not those that controllers and agents set and take away as nodes come and fail."""
    return tuple(
        one for one in taints if one[0] and not one[0].startswith(LIFECYCLE) and not one[0].endswith(_STARTING)
    )


def quotas(inventory: Inventory) -> dict[str, dict[str, Quantity]]:
    """Return the nominal quotas by flavor and resource, added up over queues and cohorts."""
    found: dict[str, dict[str, Quantity]] = {}
    for quota in (quota for holder in holders(inventory) for quota in holder.quotas()):
        amounts = found.setdefault(quota.flavor, {})
        if quota.resource and quota.nominal is not None:
            amounts[quota.resource] = amounts.get(quota.resource, Quantity(0)) + quota.nominal
    return found
