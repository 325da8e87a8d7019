"""MIG classes: which instance profiles a card knows, how many, and where each may sit (data/mig.yaml).

Sizes and starts are in slices: a card has 7 compute slices and 8 memory slices (an A30-like one 4 and 4), and an
instance occupies a run of memory slices. The gigabytes in a profile's name are rounded and never added up.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table
from gpuplan.versions import Version

RESOURCE_PREFIX = "nvidia.com/mig-"


@dataclass(frozen=True, slots=True, order=True)
class Placement:
    """A run of memory slices: the first one and how many."""

    start: int
    size: int

    @property
    def mask(self) -> int:
        """The occupied memory slices as bits."""
        return ((1 << self.size) - 1) << self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class MigProfile:
    """One instance profile of one MIG class.

    `decoders` is how many of the card's video decoders an instance takes, 0 where the class does not count them.
    `attribute` is what follows the `+` or `-` of the name: `me` (the card's media engines, one instance only),
    `me.all`, `gfx`, `-me` (none of them), or empty.
    """

    name: str
    compute_slices: int
    placements: tuple[Placement, ...]
    max_count: int
    decoders: int
    attribute: str
    min_driver: Version | None

    @property
    def memory_slices(self) -> int:
        """How many memory slices one instance occupies."""
        return self.placements[0].size

    @property
    def holds_media_engines(self) -> bool:
        """Tell whether an instance takes the media engines, of which a card has one set to give."""
        return self.attribute in ("me", "me.all")

    @property
    def resource(self) -> str:
        """The extended resource under strategy `mixed`: see `resource_name`."""
        return resource_name(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class MigClass:
    """All cards that are cut in the same way.

    `variants` maps names that another driver or a sibling of the card uses to the profile of this class. `confirmed`
    is False where nobody has read the placements from a card: a rule may then only warn.
    """

    name: str
    memory_slices: int
    compute_slices: int
    decoders: int
    profiles: Mapping[str, MigProfile]
    variants: Mapping[str, str]
    confirmed: bool
    source: str
    checked: dt.date

    def find(self, profile: str) -> MigProfile | None:
        """Return the profile of that name, or the one that a variant name stands for."""
        return self.profiles.get(self.variants.get(profile, profile))


def resource_name(profile: str) -> str:
    """Return the extended resource of a profile under strategy `mixed`: `nvidia.com/mig-1g.10gb.me` for `1g.10gb+me`.

    The device plugin replaces `+` by `.`, since a resource name cannot hold it (k8s-device-plugin, internal/resource).
    """
    return RESOURCE_PREFIX + label_safe(profile)


def label_safe(profile: str) -> str:
    """Return the profile as it may stand in a label value or an object name: `1g.10gb.me` for `1g.10gb+me`."""
    return profile.replace("+", ".")


def read() -> Mapping[str, MigClass]:
    """Read every MIG class, by name."""
    table = Table("mig.yaml")
    shapes = {row.key: row for row in table.rows("shapes")}
    return MappingProxyType({row.key: _mig_class(row, shapes[row.text("shape")]) for row in table.rows("classes")})


def _mig_class(row: Row, shape: Row) -> MigClass:
    """Give the places of the shape the names of the class."""
    names = row.mapping("profiles")
    provenance = row.provenance
    places = {place.key: place for place in shape.children("places")}
    profiles = [_profile(name, places[place]) for place, name in names.items()]
    return MigClass(
        name=row.key,
        memory_slices=shape.whole("memorySlices"),
        compute_slices=shape.whole("computeSlices"),
        decoders=shape.whole("decoders", default=0),
        profiles=MappingProxyType({profile.name: profile for profile in profiles}),
        variants=MappingProxyType(dict(row.mapping("variants"))),
        confirmed="placements" not in row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )


def _profile(name: str, place: Row) -> MigProfile:
    size = place.whole("size")
    return MigProfile(
        name=name,
        compute_slices=place.whole("compute"),
        placements=tuple(Placement(start, size) for start in place.wholes("starts")),
        max_count=place.whole("max"),
        decoders=place.whole("decoders", default=0),
        attribute=place.text("attribute", ""),
        min_driver=place.optional_version("minDriver"),
    )
