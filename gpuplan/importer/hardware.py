"""Nodes and flavors -> the pools that they show.

A flavor is a pool: its labels select the nodes. Nodes that no flavor selects are joined where they look alike. What the files do
not tell stays open: a number of nodes never comes from a quota.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from gpuplan import conventions
from gpuplan.catalog.cards import Card
from gpuplan.importer import sharing
from gpuplan.importer.cards import PRODUCT_LABELS, is_accelerator, meant_by, product
from gpuplan.importer.machines import NodeFacts, Taint, facts, quotas
from gpuplan.importer.units import in_cards
from gpuplan.inventory.cards import mig_cuts
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.quantity import Quantity

Plain = object
NODES_NOTE = "nodes"
CHOOSING = (conventions.LABEL_MIG_CONFIG, conventions.LABEL_DEVICE_PLUGIN_CONFIG)
"""Labels that choose how the cards of a node are cut and shared."""
CUT_AND_SHARED = "MIG instances that are shared besides: a pool of the spec is cut or shared."


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Nodes of one kind. None stands for what no file tells."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    """What selects its nodes."""
    card: Card | None = None
    card_label: str = ""
    """What the files call a card that the catalogue does not know."""
    resources: tuple[str, ...] = ()
    """The accelerator resources that queues or nodes name, most important first; none for a pool without cards."""
    nodes: int | None = None
    cards_per_node: int | None = None
    taints: tuple[Taint, ...] = ()
    sharing: Plain = sharing.EXCLUSIVE
    companions: Mapping[str, Quantity] = field(default_factory=dict)
    """What a node offers besides, of what queues count."""
    offered: Mapping[str, int] = field(default_factory=dict)
    """Accelerator pieces that all its nodes show."""
    hollow: tuple[str, ...] = ()
    """Nodes that call themselves such and offer nothing."""
    notes: tuple[str, ...] = ()
    chosen_by: Mapping[str, str] = field(default_factory=dict)
    """Labels that choose the layout or profile of its nodes: what tells them from others with the same cards."""
    beyond: str = ""
    """Why no pool of the spec can be it."""

    @property
    def has_cards(self) -> bool:
        """Whether it is a pool of cards."""
        return bool(self.resources) or self.card is not None or bool(self.card_label)


def pools(inventory: Inventory) -> tuple[Pool, ...]:
    """Return the pools: those of flavors in their order, then of nodes that no flavor selects."""
    nodes = tuple(facts(one) for one in inventory.of("Node"))
    counted = quotas(inventory)
    made: list[Pool] = []
    taken: set[str] = set()
    for flavor in inventory.of("ResourceFlavor"):
        labels = flavor.spec["nodeLabels"].texts()
        own = [one for one in nodes if labels and labels.items() <= one.labels.items()]
        taken |= {one.name for one in own}
        made.append(_of_flavor(inventory, flavor, labels, own, counted.get(flavor.name, {})))
    rest: dict[tuple[object, ...], list[NodeFacts]] = {}
    for one in nodes:
        if one.name not in taken:
            rest.setdefault(_looks(one), []).append(one)
    covered = {resource for amounts in counted.values() for resource in amounts}
    made += [_of_nodes(inventory, alike, covered) for alike in rest.values()]
    made += _of_configs(inventory, made)
    return tuple(_apart(made))


def _of_flavor(
    inventory: Inventory,
    flavor: Object,
    labels: Mapping[str, str],
    nodes: list[NodeFacts],
    amounts: Mapping[str, Quantity],
) -> Pool:
    told = _toleration_values(flavor)
    named = product(labels.get(PRODUCT_LABELS[0], "") or told, inventory.catalog.cards)
    words = [flavor.name, *labels.values()]
    pool = _from(inventory, flavor.name, nodes, amounts.keys())
    card = pool.card or named.card or inventory.assumed.card
    resources = [name for name in amounts if is_accelerator(name)]
    if card is None and (pool.has_cards or resources or not amounts):
        card = meant_by(words, inventory.catalog.cards)
    ordered = sorted(resources, key=lambda name: amounts[name].nanos == 0)
    wanted = inventory.assumed.nodes_of.get(flavor.name, inventory.assumed.nodes)
    noted = _annotated(flavor)
    twice = bool(named.profile) and named.shared
    taints = pool.taints or (((PRODUCT_LABELS[0], told, "NoSchedule"),) if told else ())
    chosen = dict(labels) or ({PRODUCT_LABELS[0]: told} if told else {})
    shared = pool.sharing if pool.sharing != sharing.EXCLUSIVE else _by_name(inventory, flavor.name, named.profile)
    counted = amounts[ordered[0]].whole if ordered else 0
    units = in_cards(inventory, flavor.name, shared, ordered[0], counted) if ordered else ""
    return replace(
        pool,
        labels=chosen,
        card=card if ordered or pool.has_cards or not amounts else None,
        card_label=pool.card_label or named.label,
        resources=tuple(ordered) or pool.resources,
        nodes=wanted if wanted is not None else pool.nodes if pool.nodes is not None else noted,
        taints=taints,
        sharing=shared,
        notes=(*pool.notes, *([units] if units else [])),
        beyond=f"{CUT_AND_SHARED} {units}".strip() if twice else "",
    )


def _toleration_values(flavor: Object) -> str:
    """Return the product that a flavor tolerates as the value of a taint: how some clusters keep card models apart."""
    for toleration in flavor.spec["tolerations"].items():
        if toleration["key"].text() == PRODUCT_LABELS[0]:
            return toleration["value"].text()
    return ""


def _annotated(flavor: Object) -> int | None:
    text = flavor.annotations.get(NODES_NOTE, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else None


def _by_name(inventory: Inventory, name: str, profile: str) -> Plain:
    """Return the sharing of the profile that has the flavor's name, else the one that holds for every node."""
    if profile:
        return _cut_whole(inventory, profile)
    config = sharing.profiles(inventory).get(name) or sharing.default_profile(inventory)
    return sharing.of_profile(config).value if config is not None else sharing.EXCLUSIVE


def _cut_whole(inventory: Inventory, profile: str) -> Plain:
    """Return a card cut into one profile, as often as every card that has the profile allows."""
    counts = [one.profiles[profile].max_count for one in inventory.catalog.mig.values() if profile in one.profiles]
    return {"mig": {"strategy": "single", "profiles": {profile: min(counts, default=1)}}}


def _looks(node: NodeFacts) -> tuple[object, ...]:
    keys = (
        *PRODUCT_LABELS,
        conventions.LABEL_CARD_COUNT,
        conventions.LABEL_POOL,
        *CHOOSING,
    )
    cards = tuple(sorted(node.accelerators())) if not node.labels.get(PRODUCT_LABELS[0]) else ()
    return (tuple(node.labels.get(key, "") for key in keys), node.taints, cards)


def _of_nodes(inventory: Inventory, nodes: list[NodeFacts], covered: Iterable[str]) -> Pool:
    first = nodes[0].labels
    key = next((label for label in PRODUCT_LABELS if label in first), "")
    read = product(first.get(key, ""), inventory.catalog.cards)
    name = (
        first.get(conventions.LABEL_POOL) or (read.card.name if read.card else "") or _slug(read.label) or nodes[0].name
    )
    labels = {key: first[key]} if key else dict(sorted(set.intersection(*(set(one.labels.items()) for one in nodes))))
    chosen = {one: first[one] for one in CHOOSING if first.get(one)}
    return replace(_from(inventory, name, nodes, covered), labels=labels, chosen_by=chosen)


def _from(inventory: Inventory, name: str, nodes: list[NodeFacts], covered: Iterable[str]) -> Pool:
    """Return what nodes of one kind say together."""
    pool = Pool(name=name, cards_per_node=inventory.assumed.cards_per_node, card=None)
    if not nodes:
        return pool
    labelled = next((one for one in nodes if any(key in one.labels for key in PRODUCT_LABELS)), nodes[0])
    label = next((labelled.labels[key] for key in PRODUCT_LABELS if key in labelled.labels), "")
    read = product(label, inventory.catalog.cards)
    shows = [one for one in nodes if one.shows]
    hollow = tuple(one.name for one in shows if label and not one.accelerators())
    whole = [one for one in nodes if one.name not in hollow]
    offered: dict[str, int] = {}
    for one in whole:
        for resource, pieces in one.accelerators().items():
            offered[resource] = offered.get(resource, 0) + pieces
    shared = _of_labels(inventory, labelled, read.profile)
    companions = {
        resource: min(one.offers[resource] for one in whole)
        for resource in covered
        if not is_accelerator(resource) and whole and all(resource in one.offers for one in whole)
    }
    return replace(
        pool,
        card=read.card or inventory.assumed.card,
        card_label=read.label,
        resources=tuple(sorted(offered)),
        nodes=len(whole),
        cards_per_node=_cards(labelled, pool.cards_per_node),
        taints=tuple(sorted(set.intersection(*(set(one.taints) for one in nodes)))),
        sharing=shared,
        companions=companions,
        offered=offered,
        hollow=hollow,
    )


def _cards(node: NodeFacts, assumed: int | None) -> int | None:
    """Return the cards of a node: as its label says, else as many whole ones as it offers."""
    offers = node.accelerators()
    whole = [pieces for resource, pieces in offers.items() if "mig-" not in resource and "shared" not in resource]
    return node.count or (whole[0] if whole else assumed)


def _of_labels(inventory: Inventory, node: NodeFacts, profile: str) -> Plain:
    """Return how a node's cards are shared, by what its labels choose."""
    table = sharing.tables(inventory)
    chosen = node.labels.get(conventions.LABEL_MIG_CONFIG, "")
    strategy = node.labels.get(conventions.LABEL_MIG_STRATEGY, "") or mig_cuts.strategy(inventory)
    if chosen in table:
        return sharing.of_table(table[chosen], strategy, node.count).value
    cut = {
        key.removeprefix("nvidia.com/mig-").removesuffix(".count"): int(value)
        for key, value in node.labels.items()
        if key.startswith("nvidia.com/mig-") and key.endswith(".count") and value.isascii() and value.isdigit()
    }
    cut = {name: count for name, count in cut.items() if count}
    if cut and node.count and all(count % node.count == 0 for count in cut.values()):
        each = {name: count // node.count for name, count in cut.items()}
        return {"mig": {"strategy": strategy or "mixed", "profiles": each}}
    plugin = sharing.profiles(inventory).get(node.labels.get(conventions.LABEL_DEVICE_PLUGIN_CONFIG, ""))
    config = plugin or sharing.default_profile(inventory)
    if config is not None:
        return sharing.of_profile(config).value
    return _cut_whole(inventory, profile) if profile else sharing.EXCLUSIVE


def _of_configs(inventory: Inventory, known: list[Pool]) -> Iterator[Pool]:
    """Yield a pool for configurations that no node or flavor stands for: what they say would be lost otherwise."""
    if any(pool.has_cards for pool in known):
        return
    base = Pool(
        name="default",
        card=inventory.assumed.card,
        cards_per_node=inventory.assumed.cards_per_node,
        nodes=inventory.assumed.nodes,
        resources=(conventions.RESOURCE_GPU,),
    )
    table = sharing.tables(inventory)
    for name, groups in table.items():
        shared = sharing.of_table(groups, mig_cuts.strategy(inventory), inventory.assumed.cards_per_node)
        if shared.value != sharing.EXCLUSIVE:
            chosen = {conventions.LABEL_MIG_CONFIG: name}
            yield replace(base, name=_slug(name), sharing=shared.value, notes=shared.notes, chosen_by=chosen)
    for name, profile in sharing.profiles(inventory).items():
        if not table:
            chosen = {conventions.LABEL_DEVICE_PLUGIN_CONFIG: name} if name else {}
            shared = sharing.of_profile(profile)
            yield replace(base, name=_slug(name) or "default", sharing=shared.value, chosen_by=chosen)


def _slug(text: str) -> str:
    """Return a text as a name of the spec: lower-case letters, digits and dashes."""
    made = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in text.casefold())
    return "-".join(part for part in made.split("-") if part)[:63].strip("-")


def _apart(made: list[Pool]) -> Iterator[Pool]:
    """Give pools of one name different ones, and to those that the same labels select the label of their layout."""
    seen: dict[str, int] = {}
    alike = Counter(tuple(sorted(pool.labels.items())) for pool in made)
    for one in made:
        several = alike[tuple(sorted(one.labels.items()))] > 1
        pool = replace(one, labels={**one.labels, **one.chosen_by}) if several else one
        name = _slug(pool.name) or "pool"
        seen[name] = seen.get(name, 0) + 1
        yield replace(pool, name=name if seen[name] == 1 else f"{name[:60]}-{seen[name]}")
