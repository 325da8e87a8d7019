"""What the nodes behind a flavor offer, as far as anybody says, and what is given out of it.

How many nodes there are is said, in this order, by `--assume nodes.<flavor>=N`, the flavor's annotation `nodes`, `--assume
nodes=N`, and the nodes that are listed. What one offers is said by annotations such as `cpu-per-node`, by a listed node, or by
`--assume cardsPerNode=N`. Where anything makes nodes while it runs, or nobody says, there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuplan.inventory.cards.nodes import Nodes, nodes
from gpuplan.inventory.inventory import Inventory, once
from gpuplan.inventory.scheduling.queues import Flavor, Quota, QuotaHolder, flavors, holders
from gpuplan.inventory.scheduling.rights import Item
from gpuplan.quantity import Quantity, whole_number
from gpuplan.suggest import nearest

NODES = "nodes"
PER_NODE = "-per-node"
_FEWEST_TO_SCALE = 3
"""Resources whose quotas must agree before a list of nodes is taken for a sample of the pool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What the nodes of a flavor offer together, by resource."""

    nodes: int
    total: Mapping[str, Quantity]
    """What all can give, cordoned ones too: they come back."""
    schedulable: Mapping[str, Quantity]
    """What those give to which pods may go now."""
    installed: Mapping[str, Quantity]
    """What they would give if every card worked."""
    largest: Mapping[str, Quantity]
    """What the largest node gives."""
    listed: bool
    """Whether each node is known; else their number was said and multiplied."""

    def times(self, factor: int) -> Offer:
        """Return what so many pools of this kind offer."""
        return Offer(
            nodes=self.nodes * factor,
            total=_times(self.total, factor),
            schedulable=_times(self.schedulable, factor),
            installed=_times(self.installed, factor),
            largest=self.largest,
            listed=False,
        )


def behind(inventory: Inventory, flavor: Flavor) -> tuple[Nodes, ...]:
    """Return the nodes that a flavor selects by its labels, all where it has none; never those that run Kubernetes itself."""
    return _selected(inventory).get(flavor.name, ())


@once
def _selected(inventory: Inventory) -> Mapping[str, tuple[Nodes, ...]]:
    """Select the nodes of all flavors at once: only the nodes with a flavor's rarest label are looked at."""
    usable = tuple(one for one in nodes(inventory) if not one.is_control_plane)
    labelled: dict[tuple[str, str], list[Nodes]] = {}
    for one in usable:
        for label in one.labels.items():
            labelled.setdefault(label, []).append(one)
    found = {}
    for name, flavor in flavors(inventory).items():
        rarest = min((labelled.get(label, []) for label in flavor.node_labels.items()), key=len, default=usable)
        found[name] = tuple(one for one in rarest if one.has(flavor.node_labels))
    return found


def offer(inventory: Inventory, flavor: Flavor) -> Offer | None:
    """Return what the nodes of a flavor offer, None where nobody says."""
    selected = behind(inventory, flavor)
    each = _each(inventory, flavor, selected)
    said = _said(inventory, flavor)
    if said is not None:
        whole = _added(selected) if len(selected) == said else None
        if whole and all(one.count == 1 for one in selected):
            return whole
        return _multiplied(each, said) if each else None
    if not selected or any(one.count is None or not one.offers for one in selected):
        return None
    return _added(selected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """All quotas of one resource of a flavor."""

    flavor: Flavor
    resource: str
    parts: tuple[tuple[QuotaHolder, Quota, Quantity], ...]
    """Who has how much, in the order of the files: queues first, then cohorts."""

    @property
    def total(self) -> Quantity:
        """What is given out together."""
        return sum((amount for _, _, amount in self.parts), Quantity(0))


@once
def given(inventory: Inventory) -> Mapping[Item, Given]:
    """Return what is given out, by flavor and resource. A name without a flavor counts for the unused one that is nearest.

    An item with a number that is none is left out. The last answer is kept: several rules ask for it.
    """
    known = flavors(inventory)
    parts: dict[Item, list[tuple[QuotaHolder, Quota, Quantity]]] = {}
    broken: set[Item] = set()
    meant: dict[str, str | None] = {name: name for name in known}
    unused = known.keys() - {quota.flavor for holder in holders(inventory) for quota in holder.quotas()}
    for holder in holders(inventory):
        for quota in holder.quotas():
            if quota.flavor not in meant:
                meant[quota.flavor] = nearest(quota.flavor, unused)
            name = meant[quota.flavor]
            amount = quota.nominal
            if name is not None and amount is not None:
                parts.setdefault((name, quota.resource), []).append((holder, quota, amount))
            elif name is not None:
                broken.add((name, quota.resource))
    whole = {item: tuple(found) for item, found in parts.items() if item not in broken}
    return {item: Given(flavor=known[item[0]], resource=item[1], parts=found) for item, found in whole.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """What is given out of a flavor's resource against what there is."""

    given: Given
    offer: Offer

    @property
    def resource(self) -> str:
        """The resource."""
        return self.given.resource

    @property
    def there(self) -> Quantity:
        """What the nodes can give, zero where they do not have it."""
        return self.offer.total.get(self.resource, Quantity(0))


@once
def balances(inventory: Inventory) -> tuple[Balance, ...]:
    """Return the balance of every resource of every flavor whose nodes are known. The last answer is kept."""
    return tuple(_balances(inventory))


def _balances(inventory: Inventory) -> Iterator[Balance]:
    by_flavor: dict[str, list[Given]] = {}
    for (name, _), one in given(inventory).items():
        by_flavor.setdefault(name, []).append(one)
    for found in by_flavor.values():
        there = offer(inventory, found[0].flavor)
        if there is None:
            continue
        factor = _sampled(found, there) if there.listed else 1
        for one in found:
            yield Balance(given=one, offer=there.times(factor) if factor > 1 else there)


def _sampled(found: Sequence[Given], there: Offer) -> int:
    """Return how many times over the quotas hold what the listed nodes offer, where all agree on it; else 1.

    One node of each pool is enough to show a configuration, and quotas of cpu, memory and cards that are all exactly four
    times what it offers were written for four. Quotas none of which exceeds the list alone were written for the list: together
    they are a sum that nobody made.
    """
    ratios = set()
    alone = False
    named = {one.resource: one.total for one in found if one.total.nanos}
    for resource, total in named.items():
        amount = there.total.get(resource)
        if amount is None or not amount.nanos or total.nanos % amount.nanos:
            return 1
        ratios.add(total.nanos // amount.nanos)
        alone = alone or any(part > amount for one in found if one.resource == resource for _, _, part in one.parts)
    enough = len(named) >= _FEWEST_TO_SCALE and {"cpu", "memory"} <= named.keys()
    return ratios.pop() if enough and alone and len(ratios) == 1 else 1


def slack_lending(slack: int, installed: int, schedulable: int) -> int:
    """Return what a queue that stands in for broken nodes may lend, in cards: its quota less the cards that are out.

    >>> [slack_lending(8, 24, working) for working in (24, 20, 16, 12)]
    [8, 4, 0, 0]
    """
    return max(0, slack - max(0, installed - schedulable))


def unbacked(total: int, slack: int, installed: int, schedulable: int) -> int:
    """Return how many cards of the quotas have no working card behind them, once a slack queue lends no more than it should.

    >>> [unbacked(24, 8, 24, working) for working in (24, 20, 16, 12)]
    [0, 0, 0, 4]
    """
    usable = total - slack + slack_lending(slack, installed, schedulable)
    return max(0, usable - schedulable)


def _said(inventory: Inventory, flavor: Flavor) -> int | None:
    of_flavor = inventory.assumed.nodes_of.get(flavor.name)
    if of_flavor is not None:
        return of_flavor
    written = whole_number(flavor.object.annotations.get(NODES, ""))
    return inventory.assumed.nodes if written is None else written


def _each(inventory: Inventory, flavor: Flavor, selected: tuple[Nodes, ...]) -> dict[str, Quantity]:
    """Return what one node offers; nothing where listed nodes differ."""
    kinds = [dict(one.offers) for one in selected if one.offers]
    found = dict(kinds[0]) if kinds and all(kind == kinds[0] for kind in kinds) else {}
    cards = [
        name
        for owner, name in given(inventory)
        if owner == flavor.name and inventory.catalog.accelerators.is_card(name)
    ]
    assumed = inventory.assumed.cards_per_node
    if assumed is not None and not kinds and len(cards) == 1:
        found[cards[0]] = Quantity.of(assumed)
    for key, text in flavor.object.annotations.items():
        amount = Quantity.parse(text)
        if key.endswith(PER_NODE) and amount is not None and amount.nanos >= 0:
            name = key.removesuffix(PER_NODE)
            alike = [card for card in cards if name in ("gpu", "gpus", "cards", "accelerators")]
            found[alike[0] if len(alike) == 1 else name] = amount
    return found


def _multiplied(each: Mapping[str, Quantity], count: int) -> Offer:
    one = Offer(nodes=1, total=each, schedulable=each, installed=each, largest=each, listed=False)
    return one.times(count)


def _added(selected: tuple[Nodes, ...]) -> Offer:
    names = dict.fromkeys(name for one in selected for name in one.offers)
    return Offer(
        nodes=sum(one.count or 0 for one in selected),
        total={name: _sum(one.offer(name) for one in selected) for name in names},
        schedulable={name: _sum(one.offer(name) for one in selected if one.schedulable) for name in names},
        installed={name: _sum(one.installed(name) for one in selected) for name in names},
        largest={name: max(one.offers.get(name, Quantity(0)) for one in selected) for name in names},
        listed=True,
    )


def _sum(amounts: Iterable[Quantity]) -> Quantity:
    return sum(amounts, Quantity(0))


def _times(amounts: Mapping[str, Quantity], factor: int) -> dict[str, Quantity]:
    return {name: amount * factor for name, amount in amounts.items()}
