"""Whether a mix of MIG instances fits on one card, decided by placement and not by adding up sizes.

Each instance occupies a run of memory slices, at one of the starts that its profile allows, and runs may not overlap.
That decides everything: 4x1g.10gb + 3x1g.5gb add up to 7 compute slices on an A100 40 GB and still do not fit. The
search is exact and does not depend on the order in which profiles are written.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gpuplan.catalog.mig import MigClass, MigProfile, Placement

Mix = Mapping[str, int]
"""Instances of one card: profile name → count."""

_NAME = re.compile(r"(?P<compute>\d+)g\.(?P<gigabytes>\d+)gb(?P<attribute>[+-][a-z.,]+)?", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class Placed:
    """One instance at its place; sorts by start, an order in which instances can also be created by hand."""

    placement: Placement
    profile: str


class Obstacle(enum.Enum):
    """Why a mix does not fit, the first that holds, from the plainest to the subtlest."""

    UNKNOWN_PROFILE = "unknown-profile"
    COUNT = "count"
    TOO_MANY = "too-many"
    MEDIA_ENGINES = "media-engines"
    DECODERS = "decoders"
    MEMORY_SLICES = "memory-slices"
    COMPUTE_SLICES = "compute-slices"
    PLACEMENT = "placement"


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """A mix that does not fit: the reason, the profile at fault where one is, what was asked and what there is.

    `suggestion` is the profile that was probably meant, for an unknown name.
    """

    obstacle: Obstacle
    profile: str = ""
    asked: int = 0
    limit: int = 0
    suggestion: str = ""

    def __str__(self) -> str:
        return _WORDS[self.obstacle].format(self)


_WORDS = {
    Obstacle.UNKNOWN_PROFILE: "this card has no profile {0.profile}",
    Obstacle.COUNT: "{0.profile} has a negative count: {0.asked}",
    Obstacle.TOO_MANY: "{0.asked} x {0.profile} asked, at most {0.limit} fit on a card",
    Obstacle.MEDIA_ENGINES: "{0.asked} instances with media engines asked, a card has {0.limit} set",
    Obstacle.DECODERS: "takes {0.asked} of {0.limit} video decoders",
    Obstacle.MEMORY_SLICES: "needs {0.asked} of {0.limit} memory slices",
    Obstacle.COMPUTE_SLICES: "needs {0.asked} of {0.limit} compute slices",
    Obstacle.PLACEMENT: "the slices add up, but no arrangement of these instances fits",
}


def place(mig_class: MigClass, mix: Mix) -> tuple[Placed, ...] | None:
    """Return places for all instances, sorted by start, or None if the mix does not fit. An empty mix gives `()`."""
    if _limit_broken(mig_class, mix) is not None:
        return None
    return _arrange(_instances(mig_class, mix))


def fits(mig_class: MigClass, mix: Mix) -> bool:
    """Tell whether the mix fits on one card."""
    return place(mig_class, mix) is not None


def why_not(mig_class: MigClass, mix: Mix) -> Misfit | None:
    """Return why the mix does not fit, None if it does."""
    broken = _limit_broken(mig_class, mix)
    if broken is not None:
        return broken
    instances = _instances(mig_class, mix)
    if _arrange(instances) is not None:
        return None
    for obstacle, asked, limit in (
        (Obstacle.MEMORY_SLICES, sum(p.memory_slices for p in instances), mig_class.memory_slices),
        (Obstacle.COMPUTE_SLICES, sum(p.compute_slices for p in instances), mig_class.compute_slices),
    ):
        if asked > limit:
            return Misfit(obstacle=obstacle, asked=asked, limit=limit)
    return Misfit(obstacle=Obstacle.PLACEMENT)


def feasible(mig_class: MigClass, profiles: Iterable[str]) -> tuple[Mix, ...]:
    """Return every non-empty mix of these profiles that fits, each once, profiles in the order of the class."""
    known = [profile for name, profile in mig_class.profiles.items() if name in set(profiles)]
    mixes = ({p.name: n for p, n in zip(known, counts, strict=True) if n} for counts in _counts(known, frozenset({0})))
    return tuple(mix for mix in mixes if mix and _limit_broken(mig_class, mix) is None)


def maximal(mig_class: MigClass, profiles: Iterable[str]) -> tuple[Mix, ...]:
    """Return the mixes of these profiles to which no further instance of any of them can be added."""
    names = [name for name in mig_class.profiles if name in set(profiles)]
    found = {tuple(mix.get(name, 0) for name in names): mix for mix in feasible(mig_class, names)}
    return tuple(
        mix
        for counts, mix in found.items()
        if not any((*counts[:i], counts[i] + 1, *counts[i + 1 :]) in found for i in range(len(names)))
    )


def nearest(mig_class: MigClass, mix: Mix, *, limit: int = 3) -> tuple[Mix, ...]:
    """Return the fitting mixes that are closest to what was asked, closest first, at most `limit`.

    Unknown names are first read as the profile that was probably meant, and surplus media instances as plain ones; if
    that fits, it is the only answer. Otherwise the answers waste nothing: no instance of the asked profiles could be
    added. Close means few instances more or less; then that no asked profile disappears.
    """
    wish = _corrected(mig_class, mix)
    if not wish:
        return ()
    if fits(mig_class, wish):
        return (wish,)

    def distance(candidate: Mix) -> tuple[int, int, list[int]]:
        changes = [abs(candidate.get(name, 0) - count) for name, count in wish.items()]
        return (sum(changes), sum(name not in candidate for name in wish), changes)

    return tuple(sorted(maximal(mig_class, wish), key=distance)[:limit])


def nearest_profile(mig_class: MigClass, name: str) -> str | None:
    """Return the profile of this card that was probably meant: same compute slices and attribute, closest gigabytes.

    `1g.24gb` on a GB200 gives `1g.23gb`; a name that is not shaped as a profile, or has no counterpart, gives None.
    """
    asked = _NAME.fullmatch(name)
    if asked is None:
        return None

    def gap(candidate: re.Match[str]) -> int:
        return abs(int(candidate["gigabytes"]) - int(asked["gigabytes"]))

    candidates = [found for known in mig_class.profiles if (found := _NAME.fullmatch(known)) is not None]
    same = [c for c in candidates if (c["compute"], c["attribute"]) == (asked["compute"], asked["attribute"])]
    return min(same, key=gap).string if same else None


def _limit_broken(mig_class: MigClass, mix: Mix) -> Misfit | None:
    """Check what needs no search: names, counts and what instances claim besides slices."""
    for name, count in mix.items():
        profile = mig_class.find(name)
        if profile is None:
            suggestion = nearest_profile(mig_class, name) or ""
            return Misfit(obstacle=Obstacle.UNKNOWN_PROFILE, profile=name, asked=count, suggestion=suggestion)
        if count < 0:
            return Misfit(obstacle=Obstacle.COUNT, profile=name, asked=count)
        if count > profile.max_count:
            return Misfit(obstacle=Obstacle.TOO_MANY, profile=name, asked=count, limit=profile.max_count)
    return _claim_broken(mig_class, _instances(mig_class, mix))


def _claim_broken(mig_class: MigClass, instances: list[MigProfile]) -> Misfit | None:
    """Check what instances share besides slices: the one set of media engines, and the decoders where they are counted."""
    media = sum(profile.holds_media_engines for profile in instances)
    if media > 1:
        return Misfit(obstacle=Obstacle.MEDIA_ENGINES, asked=media, limit=1)
    decoders = sum(profile.decoders for profile in instances)
    if decoders > mig_class.decoders:
        return Misfit(obstacle=Obstacle.DECODERS, asked=decoders, limit=mig_class.decoders)
    return None


def _instances(mig_class: MigClass, mix: Mix) -> list[MigProfile]:
    """List one profile per instance, those with the fewest places first, so that the search fails early."""
    found = [(mig_class.find(name), count) for name, count in mix.items()]
    instances = [profile for profile, count in found if profile is not None for _ in range(count)]
    return sorted(instances, key=lambda profile: (len(profile.placements), -profile.memory_slices, profile.name))


def _arrange(instances: list[MigProfile]) -> tuple[Placed, ...] | None:
    """Search places by backtracking; equal instances go from left to right, so that none is tried twice."""

    def search(index: int, occupied: int, first: int) -> list[Placed] | None:
        if index == len(instances):
            return []
        profile = instances[index]
        for number, placement in enumerate(profile.placements[first:], start=first):
            if placement.mask & occupied:
                continue
            same_next = index + 1 < len(instances) and instances[index + 1].name == profile.name
            rest = search(index + 1, occupied | placement.mask, number + 1 if same_next else 0)
            if rest is not None:
                return [Placed(placement, profile.name), *rest]
        return None

    found = search(0, 0, 0)
    return None if found is None else tuple(sorted(found))


def _counts(profiles: list[MigProfile], reachable: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """Yield the counts of every mix that can be placed; `reachable` holds each set of slices, as bits, it can occupy."""
    if not profiles:
        yield ()
        return
    profile, *others = profiles
    masks = [placement.mask for placement in profile.placements]
    count = 0
    while reachable and count <= profile.max_count:
        for rest in _counts(others, reachable):
            yield (count, *rest)
        count += 1
        reachable = frozenset(before | mask for before in reachable for mask in masks if not before & mask)


def _corrected(mig_class: MigClass, mix: Mix) -> dict[str, int]:
    """Read unknown names as the nearest known ones, and surplus media instances as plain ones."""
    wish: dict[str, int] = {}
    media_left = 1
    for name, count in mix.items():
        profile = mig_class.find(name) or mig_class.find(nearest_profile(mig_class, name) or "")
        if profile is None or count <= 0:
            continue
        plain = profile.name.partition("+")[0]
        kept = min(count, media_left) if profile.holds_media_engines and plain in mig_class.profiles else count
        media_left -= kept if profile.holds_media_engines else 0
        for target, part in ((profile.name, kept), (plain, count - kept)):
            if part:
                wish[target] = wish.get(target, 0) + part
    return {name: wish[name] for name in mig_class.profiles if name in wish}
