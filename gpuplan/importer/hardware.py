"""Nodes and flavors -> the pools that they show.

A flavor is a pool, or several where its nodes differ: its labels select them. Nodes that no flavor selects are joined where they
look alike. What the files do not tell stays open: a number of nodes never comes from a quota.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from gpuplan import conventions
from gpuplan.importer import sharing
from gpuplan.importer.apart import apart, slug
from gpuplan.importer.cards import PRODUCT_LABELS, Product, is_accelerator, meant_by, named, vendor_of
from gpuplan.importer.dividing import CHOOSING, cards, cut_whole, of_labels, untold_shares
from gpuplan.importer.machines import NodeFacts, facts, quotas
from gpuplan.importer.makers import makers
from gpuplan.importer.pool import Pool
from gpuplan.importer.shared_out import GROUPS, MACHINE, alike, shared_out
from gpuplan.importer.units import in_cards
from gpuplan.inventory.cards import mig_cuts
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.scheduling.capacity import PER_NODE
from gpuplan.quantity import Quantity, whole_number

Plain = object
NODES_NOTE = "nodes"
_MOST_NODES = 10**7
EMPTY = "No card is to be had there, though labels say so: {}."
NO_VENDOR = "The spec knows no cards that are offered as {}: their queues stay as they are."
CUT_AND_SHARED = "MIG instances that are shared besides: a pool of the spec is cut or shared."


def pools(inventory: Inventory) -> tuple[Pool, ...]:
    """Return the pools: those of flavors in their order, then of nodes that no flavor selects."""
    nodes = (*(facts(one) for one in inventory.of("Node")), *makers(inventory))
    counted = quotas(inventory)
    flavors = tuple(inventory.of("ResourceFlavor"))
    of_flavor, rest = shared_out(flavors, nodes, counted)
    made: list[Pool] = []
    for flavor in flavors:
        amounts = counted.get(flavor.name, {})
        kinds = alike(of_flavor[flavor.name]) or [[]]
        for kind in kinds:
            pool = _of_flavor(inventory, flavor, kind, amounts)
            made.append(replace(pool, name=_among(pool)) if len(kinds) > 1 else pool)
    covered = {resource for amounts in counted.values() for resource in amounts}
    made += [_of_nodes(inventory, kind, covered) for kind in alike(rest, by_maker=True)]
    made += _of_configs(inventory, made)
    return apart([_sayable(pool) for pool in made])


def _sayable(pool: Pool) -> Pool:
    """Leave out a pool of accelerators whose vendor the spec does not know: nothing of NVIDIA's would be true of them."""
    unknown = pool.card is None and pool.resources and all(vendor_of(one) is None for one in pool.resources)
    if not unknown or pool.beyond:
        return pool
    return replace(pool, beyond=NO_VENDOR.format(", ".join(pool.resources)))


def _among(pool: Pool) -> str:
    """Return the name of one of several pools of a flavor: by its card."""
    card = pool.card.name if pool.card is not None else slug(pool.card_label)
    return f"{pool.name}-{card}" if card else pool.name


def _of_flavor(inventory: Inventory, flavor: Object, nodes: list[NodeFacts], amounts: Mapping[str, Quantity]) -> Pool:
    labels = flavor.spec["nodeLabels"].texts()
    told = _toleration_values(flavor)
    _, by_label = named({**labels, **({PRODUCT_LABELS[0]: told} if told else {})}, inventory.catalog.cards)
    pool = _from(inventory, flavor.name, nodes, amounts.keys())
    card = pool.card or by_label.card or inventory.assumed.card
    resources = [name for name in amounts if is_accelerator(name)]
    if card is None and (pool.has_cards or resources or not amounts):
        card = meant_by([flavor.name, *labels.values()], inventory.catalog.cards)
    ordered = sorted(resources, key=lambda name: amounts[name].nanos == 0)
    twice = bool(by_label.profile) and by_label.shared
    shared = sharing.Shared(value=pool.sharing, notes=pool.notes)
    if pool.sharing == sharing.EXCLUSIVE:
        shared = _by_name(inventory, flavor.name, replace(by_label, card=card))
    counted = amounts[ordered[0]].whole if ordered else 0
    units = in_cards(inventory, flavor.name, shared.value, ordered[0], counted) if ordered else ""
    return replace(
        pool,
        flavor=flavor.name,
        labels=dict(labels) or ({PRODUCT_LABELS[0]: told} if told else {}),
        card=card if ordered or pool.has_cards or not amounts else None,
        card_label=pool.card_label or by_label.label,
        resources=tuple(ordered) or pool.resources,
        nodes=_nodes(inventory, flavor, pool),
        cards_per_node=pool.cards_per_node if pool.cards_per_node is not None else _per_node(flavor, ordered),
        taints=pool.taints if nodes else _taints(flavor, told),
        sharing=shared.value,
        notes=(*shared.notes, *([units] if units else [])),
        beyond=f"{CUT_AND_SHARED} {units}".strip() if twice else "",
    )


def _toleration_values(flavor: Object) -> str:
    """Return the product that a flavor tolerates as the value of a taint: how some clusters keep card models apart."""
    for toleration in flavor.spec["tolerations"].items():
        if toleration["key"].text() == PRODUCT_LABELS[0]:
            return toleration["value"].text()
    return ""


def _taints(flavor: Object, told: str) -> tuple[tuple[str, str, str], ...]:
    """Return the taints of nodes that are not listed, as their flavor says them."""
    said = [
        (one["key"].text(), one["value"].scalar(), one["effect"].text()) for one in flavor.spec["nodeTaints"].items()
    ]
    made = [(PRODUCT_LABELS[0], told, "NoSchedule")] if told else []
    return tuple(sorted({*(one for one in said if one[0] and one[2]), *made}))


def _nodes(inventory: Inventory, flavor: Object, pool: Pool) -> int | None:
    """Return the nodes behind a flavor: as they are said to be, else as they are listed, else as the flavor notes it."""
    said = inventory.assumed.nodes_of.get(flavor.name, inventory.assumed.nodes)
    if said is not None:
        return said
    noted = whole_number(flavor.annotations.get(NODES_NOTE, ""), _MOST_NODES)
    return pool.nodes if pool.nodes is not None else noted


def _per_node(flavor: Object, resources: Iterable[str]) -> int | None:
    noted = (whole_number(flavor.annotations.get(f"{name}{PER_NODE}", "")) for name in resources)
    return next((number for number in noted if number), None)


def _by_name(inventory: Inventory, name: str, read: Product) -> sharing.Shared:
    """Return the sharing of the profile that has the flavor's name, else the one that holds for every node."""
    if read.profile:
        return sharing.Shared(value=cut_whole(inventory, read))
    config = sharing.profiles(inventory).get(name) or sharing.default_profile(inventory)
    if config is not None:
        return sharing.of_profile(config)
    return untold_shares() if read.shared else sharing.Shared(value=sharing.EXCLUSIVE)


def _of_nodes(inventory: Inventory, nodes: list[NodeFacts], covered: Iterable[str]) -> Pool:
    first = nodes[0].labels
    key, read = named(first, inventory.catalog.cards)
    common = _common(nodes)
    group = next((one for one in GROUPS if one in common), "")
    by_card = (read.card.name if read.card else "") or slug(read.label)
    name = first.get(conventions.LABEL_POOL) or nodes[0].maker or by_card or common.get(group, "") or nodes[0].name
    pool = _from(inventory, name, nodes, covered)
    telling = key or group or next((one for one in MACHINE if one in common), "")
    return replace(
        pool,
        labels={telling: first[telling]} if telling else common,
        chosen_by={one: first[one] for one in CHOOSING if first.get(one)},
        beyond=EMPTY.format(", ".join(pool.hollow)) if pool.hollow and pool.nodes == 0 else "",
    )


def _common(nodes: list[NodeFacts]) -> dict[str, str]:
    """Return the labels that all nodes bear and no node has for itself."""
    common = set.intersection(*(set(one.labels.items()) for one in nodes))
    return {key: value for key, value in sorted(common) if key != "kubernetes.io/hostname"}


def _from(inventory: Inventory, name: str, nodes: list[NodeFacts], covered: Iterable[str]) -> Pool:
    """Return what nodes of one kind say together."""
    pool = Pool(name=name, cards_per_node=inventory.assumed.cards_per_node, card=None, members=tuple(nodes))
    if not nodes:
        return pool
    labelled = next((one for one in nodes if named(one.labels, inventory.catalog.cards)[0]), nodes[0])
    label, read = named(labelled.labels, inventory.catalog.cards)
    expected = bool(label) or any(one.accelerators() for one in nodes)
    hollow = tuple(one.name for one in nodes if one.shows and expected and not one.accelerators())
    whole = [one for one in nodes if one.name not in hollow]
    offered: dict[str, int] = {}
    for one in whole:
        for resource, pieces in one.accelerators().items():
            offered[resource] = offered.get(resource, 0) + pieces * (one.copies or 0)
    shared = of_labels(inventory, labelled, read)
    companions = {
        resource: min(one.offers[resource] for one in whole)
        for resource in covered
        if not is_accelerator(resource) and whole and all(resource in one.offers for one in whole)
    }
    counted = next((number for one in (*whole, labelled) if (number := cards(inventory, one, read)) is not None), None)
    return replace(
        pool,
        card=read.card or inventory.assumed.card,
        card_label=read.label,
        resources=tuple(sorted({*offered, *(resource for one in whole for resource in one.expects)})),
        nodes=_number(whole),
        cards_per_node=counted if counted is not None else pool.cards_per_node,
        taints=tuple(sorted(set.intersection(*(set(one.taints) for one in nodes)))),
        sharing=shared.value,
        notes=shared.notes,
        companions=companions,
        offered=offered,
        hollow=hollow,
    )


def _number(nodes: list[NodeFacts]) -> int | None:
    """Return how many nodes there are; None where that is decided while the cluster runs."""
    copies = [one.copies for one in nodes]
    return None if None in copies else sum(one or 0 for one in copies)


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
        shared = sharing.of_table(
            groups, mig_cuts.strategy(inventory), inventory.assumed.cards_per_node, inventory.assumed.card
        )
        if shared.value != sharing.EXCLUSIVE:
            chosen = {conventions.LABEL_MIG_CONFIG: name}
            yield replace(base, name=slug(name), sharing=shared.value, notes=shared.notes, chosen_by=chosen)
    for name, profile in sharing.profiles(inventory).items():
        if not table:
            chosen = {conventions.LABEL_DEVICE_PLUGIN_CONFIG: name} if name else {}
            shared = sharing.of_profile(profile)
            made = replace(base, sharing=shared.value, notes=shared.notes, chosen_by=chosen)
            yield replace(made, name=slug(name) or "default")
