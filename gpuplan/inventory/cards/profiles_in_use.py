"""Which profile of the device plugin nodes take, as rules look at it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

from gpuplan.catalog.cards import Card, Vendor
from gpuplan.inventory.cards.exposure import VENDOR, Profile, profiles
from gpuplan.inventory.cards.labelled import Labelled, labelled, plugin_config
from gpuplan.inventory.cards.operator import PLUGIN, operators
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Config, Format, Object
from gpuplan.inventory.view import View

_GPU = re.compile(r"(?<![a-z])gpu(?![a-z])", re.IGNORECASE)
_OTHERS = ("amd.com/", "gpu.intel.com/", "habana.ai/", "huawei.com/")
"""How keys begin that speak of other vendors' cards."""
VENDORS = (VENDOR, *_OTHERS)
"""How the names of cards' resources begin."""
_NONE = ("0", "false", "no", "none")
_WANTED = ("In", "Exists", "Gt")
"""Operators of Karpenter's requirements that ask for something."""
FALLBACK = "default"
"""Key that nodes without a label take where no default is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Where the operator, or the plugin's own chart, names its profiles."""

    view: View
    """The mapping with `name` and `default`."""
    keys: tuple[str, ...] | None
    """Names of the profiles; None where their ConfigMap is not there to be read."""

    @property
    def default(self) -> View:
        """The profile of nodes without a label."""
        return self.view["default"]

    @property
    def at(self) -> View:
        """Where the profiles are named."""
        places = (self.view["name"], self.view["map"], self.view["data"], self.view)
        return next(place for place in places if place.exists)


def choices(inventory: Inventory) -> Iterator[Choice]:
    """Yield each place that names profiles."""
    for operator in operators(inventory):
        ref = operator.config(PLUGIN)
        if ref.name or ref.created:
            yield Choice(view=ref.view, keys=_keys(inventory, ref.view, "data" if ref.created else ""))
    for config in inventory.configs_of(Format.PLUGIN_VALUES):
        view = config.root["config"]
        if view["map"].is_mapping or view["name"].text():
            yield Choice(view=view, keys=_keys(inventory, view, "map"))


def _keys(inventory: Inventory, view: View, inline: str) -> tuple[str, ...] | None:
    """Return the keys of the profiles: written in place, or of every ConfigMap of that name, whosever cluster it is for."""
    if inline and view[inline].is_mapping and view[inline].value:
        return tuple(key for key, _ in view[inline].entries())
    name = view["name"].text()
    held = [one.config.holder for one in profiles(inventory)]
    maps = [*inventory.of("ConfigMap"), *(one for one in held if isinstance(one, Object) and one.kind == "ConfigMap")]
    found = [one for one in maps if one.name == name] if name else []
    return tuple(dict.fromkeys(key for one in found for key, _ in one.root["data"].entries())) if found else None


def is_of_operator(profile: Profile, names: Container[str]) -> bool:
    """Tell whether the operator's plugin reads a profile: from a ConfigMap of one of the names, or from the operator's values."""
    holder = profile.config.holder
    if isinstance(holder, Object):
        return holder.kind == "ConfigMap" and holder.name in names
    return isinstance(holder, Config) and holder.format is Format.OPERATOR_VALUES


def known_profiles(inventory: Inventory) -> tuple[str, ...] | None:
    """Return every name that the label of a node may have; None where that cannot be told.

    Where nobody names a ConfigMap, those are the keys of each that holds a profile.
    """
    named = list(choices(inventory))
    if named:
        lists = [choice.keys for choice in named]
        return None if None in lists else tuple(dict.fromkeys(key for keys in lists for key in keys or ()))
    held = {id(one.config.holder): one.config.holder for one in profiles(inventory)}
    maps = [holder for holder in held.values() if isinstance(holder, Object)]
    return tuple(dict.fromkeys(key for one in maps for key, _ in one.root["data"].entries())) or None


def with_nvidia(inventory: Inventory) -> Iterator[Labelled]:
    """Yield nodes, and what makes nodes, that have or may have NVIDIA's cards."""
    return (one for one in labelled(inventory) if one.holder.kind != "NodeFeatureRule" and has_nvidia(one))


def has_nvidia(one: Labelled) -> bool:
    """Tell whether labels, taints, resources or wishes speak of NVIDIA's cards, or of GPUs and of no other vendor's."""
    keys = set(_keys_of(one))
    if any(key.startswith(VENDOR) for key in keys):
        return True
    return any(_GPU.search(key) for key in keys) and not any(key.startswith(_OTHERS) for key in keys)


def _keys_of(one: Labelled) -> Iterator[str]:
    """Yield the keys that are set to something: `machine.openshift.io/GPU: "0"` stands on machines without cards."""
    root = one.holder.root
    places = (one.labels, root["status"]["allocatable"], root["status"]["capacity"], root["metadata"]["annotations"])
    yield from (key for place in places for key, view in place.entries() if view.scalar().lower() not in _NONE)
    yield from (taint["key"].text() for taint in one.taints.items())
    for wishes in (root["spec"]["requirements"], root.walk("spec", "template", "spec", "requirements")):
        yield from (wish["key"].text() for wish in wishes.items() if wish["operator"].text() in _WANTED)


def users(inventory: Inventory, profile: Profile) -> Iterator[Labelled]:
    """Yield what gives a profile to nodes by their label."""
    return (one for one in labelled(inventory) if profile.name and plugin_config(one).text() == profile.name)


def cards_of(inventory: Inventory, profile: Profile) -> tuple[Card, ...]:
    """Return the cards of the nodes with a profile, else the assumed one."""
    found = [card for one in users(inventory, profile) if (card := one.card(inventory)) is not None]
    found += [inventory.assumed.card] if not found and inventory.assumed.card else []
    return tuple(card for card in found if card.vendor is Vendor.NVIDIA)
