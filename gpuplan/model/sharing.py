"""How the cards of a pool are exposed: whole, shared or cut, and what one piece of them is."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from fractions import Fraction


class SharingMode(enum.Enum):
    """How one card is offered to pods; the value is the spelling in the spec."""

    EXCLUSIVE = "exclusive"
    TIME_SLICING = "timeSlicing"
    MPS = "mps"
    MIG = "mig"
    PARTITION = "partition"
    """AMD's compute and memory partitions."""
    VNPU = "vnpu"
    """Huawei's virtual NPUs."""
    HAMI = "hami"
    """HAMi in the place of NVIDIA's device plugin: pods ask for a part of a card's memory and cores."""


class MigStrategy(enum.Enum):
    """NVIDIA's MIG strategies of the device plugin."""

    NONE = "none"
    SINGLE = "single"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True, kw_only=True)
class MigGroup:
    """Cards of a node that are cut alike. `profiles` empty means that the cards stay whole."""

    indexes: tuple[int, ...]
    profiles: tuple[tuple[str, int], ...]
    """(profile, instances per card), sorted by profile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What one piece of a resource is. Flavors that a job may fall back between must offer equal units."""

    part: str
    """`card`, `1/4 card` or a MIG profile."""
    card_share: Fraction
    """Its part of a card's compute: 1, 1/replicas, or compute slices over all slices."""
    hidden: bool = False
    """Whether a part of a card is offered under the whole card's name."""


WHOLE_CARD = Unit(part="card", card_share=Fraction(1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What every card of a pool becomes: so many of one resource."""

    resource: str
    per_card: int
    unit: Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing:
    """How the cards of a pool are exposed. Equal sharing of one tier and card is one flavor."""

    mode: SharingMode
    label: str
    """Value of the node label `gpuplan.dev/sharing`, and the sharing part of the flavor name."""
    replicas: int = 1
    """Shares per card; 1 unless the mode is time slicing or MPS."""
    renamed: bool = False
    """Whether shares are offered as `nvidia.com/gpu.shared` rather than under the plain name."""
    strategy: MigStrategy = MigStrategy.NONE
    groups: tuple[MigGroup, ...] = ()
    """The layout of a MIG node: every card index of the node once."""
    pieces: tuple[Piece, ...] = ()
    """What a card becomes where it is neither whole nor shared or cut by NVIDIA's means, sorted by resource."""
    config: str = ""
    """The vendor's words for the cut: `CPX-NPS4` of a partition, `vir02x4` of virtual NPUs."""

    @property
    def shared(self) -> bool:
        """Whether several pods may hold one card at once without hardware partitions."""
        return self.mode in (SharingMode.TIME_SLICING, SharingMode.MPS)


def mig_cuts(sharing: Sharing) -> dict[tuple[tuple[str, int], ...], tuple[int, ...] | None]:
    """Return the indexes of the cards that are cut alike, by profiles (none: whole cards); None stands for all cards."""
    cuts: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for group in sharing.groups:
        cuts.setdefault(group.profiles, []).extend(group.indexes)
    return {profiles: None if len(cuts) == 1 else tuple(sorted(indexes)) for profiles, indexes in cuts.items()}


def plugin_config_name(sharing: Sharing) -> str:
    """Return the key of a sharing mode in the operator's device plugin configuration."""
    return sharing.label


def mig_config_name(sharing: Sharing) -> str:
    """Return the name of a MIG layout in mig-parted's configuration, which is the value of `nvidia.com/mig.config`."""
    return sharing.label.removeprefix("mig-")
