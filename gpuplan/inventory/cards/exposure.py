"""Profiles of NVIDIA's device plugin as its lenient reader takes them, and what a node then offers.

The plugin drops what it does not know in silence, lets MPS win over time slicing, and shares every card of a node alike.
Source: NVIDIA/k8s-device-plugin v0.20.0, `api/config/v1`, `internal/resource`, `internal/lm`.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuplan.catalog.mig import label_safe, resource_name
from gpuplan.conventions import RESOURCE_GPU
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Config, Format, Object
from gpuplan.inventory.view import View

VENDOR = "nvidia.com/"
SHARED = ".shared"
"""What a renamed resource ends in."""
Cuts = Sequence[Mapping[str, int]]
"""The MIG instances of each card of a node, by profile; a whole card has none."""


class SharingKind(enum.Enum):
    """A section below `sharing`; the value is its key."""

    TIME_SLICING = "timeSlicing"
    MPS = "mps"


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedResource:
    """One entry of a section's `resources`."""

    view: View
    name: str
    """With its domain, which the plugin adds where it is left out; empty where none is written."""
    replicas: int | None
    """None where it is left out, or is no whole number."""

    @property
    def replicas_view(self) -> View:
        """Where the number stands, or the entry that lacks it."""
        number = self.view["replicas"]
        return number if number.exists else self.view


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """`sharing.timeSlicing` or `sharing.mps`."""

    kind: SharingKind
    view: View
    resources: tuple[SharedResource, ...]

    @property
    def renamed(self) -> bool:
        """Whether shares are offered as `nvidia.com/gpu.shared`."""
        return self.view["renameByDefault"].flag()

    @property
    def refuses_several(self) -> bool:
        """Whether a request for more than one share fails: by default with MPS alone."""
        return self.view["failRequestsGreaterThanOne"].flag(otherwise=self.kind is SharingKind.MPS)

    def offered(self, shared: SharedResource) -> str:
        """Return the name under which the shares of a resource are offered."""
        return shared.name + SHARED if self.renamed else shared.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One configuration of the device plugin."""

    config: Config
    sections: tuple[Section, ...]

    @property
    def name(self) -> str:
        """Its key in the ConfigMap or in the values; empty for a file of its own."""
        return self.config.name

    @property
    def strategy(self) -> View:
        """`flags.migStrategy`."""
        return self.config.root["flags"]["migStrategy"]

    @property
    def sharing(self) -> Section | None:
        """The section that counts: MPS where both are there."""
        return next((one for kind in (SharingKind.MPS, SharingKind.TIME_SLICING) for one in self.of(kind)), None)

    def of(self, kind: SharingKind) -> Iterator[Section]:
        """Yield the section of a kind."""
        return (one for one in self.sections if one.kind is kind)

    def __str__(self) -> str:
        return f"Profile `{self.name}`" if self.name else "The configuration"


def profiles(inventory: Inventory) -> tuple[Profile, ...]:
    """Return every configuration of the device plugin: files, keys of ConfigMaps, texts in a chart's values."""
    return tuple(profile(config) for config in inventory.configs_of(Format.PLUGIN))


def profile(config: Config) -> Profile:
    """Return one configuration as the plugin reads it."""
    sharing = config.root["sharing"]
    sections = [_section(kind, sharing[kind.value]) for kind in SharingKind if sharing[kind.value].is_mapping]
    return Profile(config=config, sections=tuple(sections))


def _section(kind: SharingKind, view: View) -> Section:
    shared = [
        SharedResource(view=one, name=_full_name(one["name"].text()), replicas=one["replicas"].number())
        for one in view["resources"].items()
    ]
    return Section(kind=kind, view=view, resources=tuple(shared))


def _full_name(name: str) -> str:
    return name if not name or "/" in name else VENDOR + name


def holder_name(config: Config) -> str:
    """Return the name of the ConfigMap that a configuration stands in; empty for a file and for a chart's values."""
    return config.holder.name if isinstance(config.holder, Object) else ""


def single_profile(cuts: Cuts) -> str | None:
    """Return the one profile that all cards of a node are cut into; None where they differ, or one is whole or empty."""
    kinds = {tuple(cut) for cut in cuts}
    return next(iter(kinds))[0] if len(kinds) == 1 and all(len(kind) == 1 for kind in kinds) else None


def produced(cuts: Cuts, strategy: str = "none") -> dict[str, int]:
    """Return what the plugin offers of the cards of a node before it shares them, by resource.

    Whole cards are always listed, if only as 0. Strategy single counts instances as cards where all are of one profile, and
    offers nothing where they are not.

    >>> produced([{"1g.5gb": 7}, {}], "mixed")
    {'nvidia.com/gpu': 1, 'nvidia.com/mig-1g.5gb': 7}
    >>> produced([{"1g.5gb": 7}, {}], "single"), produced([{"1g.5gb": 7}], "single")
    ({'nvidia.com/gpu': 0}, {'nvidia.com/gpu': 7})
    """
    cut = any(cuts)
    if strategy == "single" and cut:
        one = single_profile(cuts)
        return {RESOURCE_GPU: sum(sum(card.values()) for card in cuts) if one else 0}
    if strategy != "mixed" or not cut:
        return {RESOURCE_GPU: len(cuts)}
    found = {RESOURCE_GPU: sum(not card for card in cuts)}
    for card in cuts:
        for name, count in card.items():
            found[resource_name(name)] = found.get(resource_name(name), 0) + count
    return found


def capacity(cuts: Cuts, sharing: Section | None = None, strategy: str = "none") -> dict[str, int]:
    """Return what a node offers in the end, by resource: shares in the place of what is shared.

    A whole card is an empty cut: four cards are `[{}] * 4`. A sharing entry for something that the node does not have is passed
    over, as the plugin does.
    """
    found = produced(cuts, strategy)
    for shared in sharing.resources if sharing else ():
        count = found.get(shared.name, 0)
        if sharing and count and shared.replicas and shared.replicas > 1:
            del found[shared.name]
            found[sharing.offered(shared)] = count * shared.replicas
    return found


def product_label(product: str, cuts: Cuts = (), sharing: Section | None = None, strategy: str = "none") -> str:
    """Return the value of `nvidia.com/gpu.product` that feature discovery writes on a node with these cards.

    >>> product_label("NVIDIA-A800-80GB-PCIe", [{"2g.20gb": 3}], strategy="single")
    'NVIDIA-A800-80GB-PCIe-MIG-2g.20gb'
    """
    label = product
    if strategy == "single" and any(cuts):
        one = single_profile(cuts)
        label += f"-MIG-{label_safe(one)}" if one else "-MIG-INVALID"
    whole = any(shared.name == RESOURCE_GPU for shared in sharing.resources) if sharing else False
    return f"{label}-SHARED" if sharing and whole and not sharing.renamed else label


_DEVICE = re.compile(r"\d+(:\d+)?|(GPU|MIG|MIG-GPU)-[0-9a-fA-F-]{32,36}(/\d+/\d+)?", re.ASCII)
"""How a card or an instance is named: its index, or its UUID."""


def refuses_devices(devices: View) -> bool:
    """Tell whether the plugin cannot read which cards are meant: `all`, a number of them, or a list of indexes and UUIDs."""
    value = devices.value
    if value is None or value == "all":
        return False
    if isinstance(value, list | tuple):
        return not all(_is_device(one.value) for one in devices.items())
    return isinstance(value, bool) or not isinstance(value, int) or value <= 0


def _is_device(value: object) -> bool:
    if isinstance(value, str):
        return _DEVICE.fullmatch(value) is not None
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
