"""Versions of Kubernetes, Kueue, drivers and images: one order for all the ways in which they are written.

`1.36`, `v0.19.2`, `580.173.02`, `4.6.0-4.8.3` and `v1.36.0-rc.1` all parse. What is no version gives None, never an
error.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field

_SHAPE = re.compile(r"[vV]?(?P<release>\d+(?:\.\d+)*)(?P<rest>[-+][0-9A-Za-z.+_~-]+)?", re.ASCII)
_REVISION = re.compile(r"-(\d+(?:\.\d+)*)(?![\w.])", re.ASCII)
_PRERELEASE = re.compile(r"-(alpha|beta|devel|dev|pre|rc)[-.]?(\d*)", re.ASCII)
_STAGES = ("dev", "devel", "alpha", "beta", "pre", "rc")


@functools.total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Version:
    """A parsed version.

    `release` holds the numbers before any suffix. Two versions are equal when they sort equal, so `1.36` equals
    `1.36.0` and `v0.19.2` equals `0.19.2`; `text` keeps what was written, for messages.
    """

    text: str
    release: tuple[int, ...]
    _order: tuple[tuple[int, ...], tuple[int, int], tuple[int, ...]] = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return self._order == other._order if isinstance(other, Version) else NotImplemented

    def __lt__(self, other: Version) -> bool:
        return self._order < other._order

    def __hash__(self) -> int:
        return hash(self._order)

    @property
    def major(self) -> int:
        """The first number: the branch of a driver (580 of `580.173.02`)."""
        return self.release[0]

    @property
    def minor(self) -> tuple[int, int]:
        """The first two numbers, 0 where the second is missing: `(1, 36)` of `1.36.3`."""
        return (self.release[0], self.release[1] if len(self.release) > 1 else 0)

    def within(self, prefix: Version) -> bool:
        """Tell whether this version lies in a branch: `580.173.02` is within `580`, `1.36.3` within `1.36`."""
        return self.release[: len(prefix.release)] == prefix.release


@functools.lru_cache(maxsize=1024)
def parse(text: str) -> Version | None:
    """Read a version, or return None when the text does not start as one.

    A numeric suffix is a later build (`4.6.0-1` is after `4.6.0`), a named stage an earlier one (`1.36.0-rc.1` is
    before `1.36.0`); distribution suffixes such as `+k3s1`, `-gke.100` and `-ubuntu24.04` do not count.
    """
    found = _SHAPE.fullmatch(text.strip())
    if found is None:
        return None
    release = tuple(int(part) for part in found["release"].split("."))
    rest = found["rest"] or ""
    stage = _PRERELEASE.match(rest)
    revision = _REVISION.match(rest)
    order = (
        _without_trailing_zeros(release),
        (_STAGES.index(stage[1]), int(stage[2] or 0)) if stage else (len(_STAGES), 0),
        tuple(int(part) for part in revision[1].split(".")) if revision else (),
    )
    return Version(text.strip(), release, order)


def required(text: str) -> Version:
    """Read a version of our own data or code; anything else there is our bug and raises ValueError."""
    version = parse(text)
    if version is None:
        raise ValueError(f"not a version: {text!r}")
    return version


def _without_trailing_zeros(release: tuple[int, ...]) -> tuple[int, ...]:
    """Drop zeros at the end, so that `1.36` and `1.36.0` sort equal."""
    end = len(release)
    while end > 1 and release[end - 1] == 0:
        end -= 1
    return release[:end]
