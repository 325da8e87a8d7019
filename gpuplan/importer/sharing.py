"""Device plugin profiles and MIG tables -> `sharing` of a pool."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.catalog.cards import Card
from gpuplan.inventory.cards.mig_tables import entry
from gpuplan.inventory.cards.profiles_in_use import FALLBACK, choices
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Config, Format
from gpuplan.inventory.view import View

Plain = object
EXCLUSIVE = "exclusive"
ALL = "all"
BESIDES = "The configuration shares `{0}` {2}-fold besides `{1}`: a pool of the spec says one of them."
SEVERAL_SHARES = "Requests for several shares are let through now; gpuplan has them refused, since they bring no more."


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A way of sharing as the spec writes it, and what of the source it does not hold."""

    value: Plain
    notes: tuple[str, ...] = ()


def of_profile(profile: Config) -> Shared:
    """Return what a device plugin's configuration makes of a card. Fewer than two replicas are no sharing."""
    sharing = profile.root["sharing"]
    mps = sharing["mps"]
    kind, section = ("mps", mps) if mps.exists else ("timeSlicing", sharing["timeSlicing"])
    shares = {
        resource["name"].text(): replicas
        for resource in section["resources"].items()
        if (replicas := resource["replicas"].number()) is not None and replicas >= 2
    }
    if not shares:
        return Shared(value=EXCLUSIVE)
    (first, replicas), *others = shares.items()
    value: dict[str, Plain] = {"replicas": replicas}
    if not section["renameByDefault"].flag():
        value["renameByDefault"] = False
    notes = [BESIDES.format(name, first, count) for name, count in others]
    if kind == "timeSlicing" and not section["failRequestsGreaterThanOne"].flag():
        notes.append(SEVERAL_SHARES)
    return Shared(value={kind: value}, notes=tuple(notes))


def of_table(groups: View, strategy: str, cards_per_node: int | None, card: Card | None = None) -> Shared:
    """Return what an entry of a MIG table makes of the cards of a node."""
    devices = list(_groups(groups, card))
    if not any(profiles for _, profiles in devices):
        return Shared(value=EXCLUSIVE)
    named = {"strategy": strategy} if strategy in ("single", "mixed") else {"strategy": "mixed"}
    notes = () if strategy in ("single", "mixed") else ("The strategy stands nowhere: mixed is taken.",)
    if len(devices) == 1 and devices[0][0] == ALL:
        return Shared(value={"mig": {**named, "profiles": devices[0][1]}}, notes=notes)
    merged: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for cards, profiles in devices:
        indexes = cards if isinstance(cards, list) else list(range(cards_per_node or 0))
        # The MIG manager passes over cards that a node does not have: one layout may serve nodes of several sizes.
        there = [one for one in indexes if isinstance(one, int) and (cards_per_node is None or one < cards_per_node)]
        if there:
            merged.setdefault(tuple(profiles.items()), []).extend(there)
    listed = [{"cards": cards, "profiles": dict(cut)} if cut else {"cards": cards} for cut, cards in merged.items()]
    return Shared(value={"mig": {**named, "groups": listed}}, notes=notes)


def _groups(groups: View, card: Card | None) -> Iterator[tuple[list[int | None] | str, dict[str, int]]]:
    """Yield the cards of each group that is meant for a model, `ALL` or indexes, with the instances on each."""
    for group in groups.items():
        if not entry(group).takes(card):
            continue
        devices = group["devices"]
        cards: list[int | None] | str = ALL if devices.text() == ALL else [one.number() for one in devices.items()]
        counts = {
            name: count
            for name, view in group["mig-devices"].entries()
            if (count := view.number()) is not None and count > 0
        }
        yield cards, counts if group["mig-enabled"].flag() else {}


def profiles(inventory: Inventory) -> dict[str, Config]:
    """Return the plugin's configurations by name; a file of its own has none."""
    return {config.name: config for config in inventory.configs_of(Format.PLUGIN)}


def tables(inventory: Inventory) -> dict[str, View]:
    """Return the entries of all MIG tables by name."""
    return {
        name: groups
        for config in inventory.configs_of(Format.MIG_PARTED)
        for name, groups in config.root["mig-configs"].entries()
    }


def default_profile(inventory: Inventory) -> Config | None:
    """Return the profile of a node that names none: the one called default by whoever sets the plugin up, or the only one."""
    known = profiles(inventory)
    named = (*(choice.default.text() for choice in choices(inventory)), FALLBACK)
    chosen = next((known[name] for name in named if name in known), None)
    return next(iter(known.values())) if chosen is None and len(known) == 1 else chosen
