"""The cpu and memory that come with each card of a queue, and how many of its cards jobs of a usual size could use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from gpuplan.conventions import LABEL_SHARING, RESOURCE_GPU
from gpuplan.inventory.cards.exposure import profiles
from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.scheduling.queues import ClusterQueue, FlavorQuotas, Quota, cluster_queues, cohorts, flavors
from gpuplan.inventory.scheduling.rights import ENDLESS, rights
from gpuplan.inventory.scheduling.sentinels import is_sentinel
from gpuplan.quantity import Quantity

USUAL: Mapping[str, Quantity] = {"cpu": Quantity.of(1), "memory": Quantity.of(16 * 2**30, binary=True)}
"""What the smallest jobs that use a card in earnest ask for beside it."""
EXCLUSIVE = "exclusive"
"""Value of our label of nodes whose cards are whole."""
_FEWEST = 4
"""Cards from which on it matters that some lie idle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Companion:
    """The quota of cpu or memory beside the cards of one flavor of a queue."""

    queue: ClusterQueue
    flavor: str
    entry: Quota
    cards: int
    amount: Quantity
    """What the queue could hold of it, borrowing included."""

    @property
    def resource(self) -> str:
        """cpu or memory."""
        return self.entry.resource

    @property
    def per_card(self) -> str:
        """What comes with a card, in words."""
        each = Fraction(self.amount.nanos, 10**9 * self.cards)
        return f"{float(each / 2**30):.2f} GiB memory" if self.resource == "memory" else f"{float(each):.2f} cpu"

    @property
    def usable(self) -> int:
        """Cards that jobs of the usual size could use at most."""
        return min(self.cards, self.amount.nanos // USUAL[self.resource].nanos)

    @property
    def share(self) -> Fraction:
        """How much of the cards that is, without rounding."""
        return Fraction(self.amount.nanos, USUAL[self.resource].nanos * self.cards)


BOTTLENECK = Fraction(1, 4)
"""Share of the cards below which most of them lie idle."""


@once
def companions(inventory: Inventory) -> tuple[Companion, ...]:
    """Return cpu and memory of each queue and flavor with several whole cards. The last answer is kept: two rules ask for it.

    Shares and slices need less, and are left out; so is what a Cohort object counts too: there, whatever the nodes have beside
    their cards is given out, and nothing is to be had beyond it.
    """
    return tuple(_companions(inventory))


def _companions(inventory: Inventory) -> Iterator[Companion]:
    plain_shares = any(
        shared.name == RESOURCE_GPU and not section.renamed
        for profile in profiles(inventory)
        for section in profile.sections
        for shared in section.resources
    )
    if plain_shares or inventory.assumed.partial:
        return
    above = {(quota.flavor, quota.resource) for cohort in cohorts(inventory) for quota in cohort.quotas()}
    for queue in cluster_queues(inventory):
        for flavor in (one for group in queue.groups for one in group.flavors):
            cards = _cards(inventory, flavor)
            names = [name for name in USUAL if (flavor.name, name) not in above]
            if cards >= _FEWEST:
                yield from _beside(inventory, queue, flavor, cards, names)


def _cards(inventory: Inventory, flavor: FlavorQuotas) -> int:
    """Return the whole cards that a queue owns in a flavor; 0 where the flavor's nodes cut or share them."""
    known = flavors(inventory).get(flavor.name)
    labels = known.node_labels if known else {}
    if labels.get(LABEL_SHARING, EXCLUSIVE) != EXCLUSIVE:
        return 0
    if any("-MIG-" in label or label.endswith("-SHARED") for label in labels.values()):
        return 0
    owned = [
        one.nominal
        for one in flavor.quotas
        if inventory.catalog.accelerators.is_card(one.resource) and not is_sentinel(one)
    ]
    return sum(amount.whole for amount in owned if amount is not None)


def _beside(
    inventory: Inventory, queue: ClusterQueue, flavor: FlavorQuotas, cards: int, names: Iterable[str]
) -> Iterator[Companion]:
    for name in names:
        entry = flavor.of(name)
        amount = rights(inventory).potential(queue.name, (flavor.name, name)) if entry else ENDLESS
        if entry and 0 <= amount < ENDLESS:
            binary = bool(entry.nominal and entry.nominal.binary)
            yield Companion(queue=queue, flavor=flavor.name, entry=entry, cards=cards, amount=Quantity(amount, binary))
