"""What differs between two specs as written, and where each of it stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuplan.diagnostics import KeyPath
from gpuplan.model.fleet import Places
from gpuplan.plan.parts import ABSENT, Absent, SpecChange
from gpuplan.plan.state import Plain, State

APPLIED = "defaults"
"""Section that is no change of its own: every entry that it fills in holds its values."""


def spec_changes(old: State, new: State) -> tuple[SpecChange, ...]:
    """Return every value that differs, in the order of their places; none where a side has no spec."""
    if old.fleet is None or new.fleet is None:
        return ()
    paths = _differing((), dict(old.written), dict(new.written))
    found = (_change(path, was, will, old.fleet.places, new.fleet.places) for path, was, will in paths)
    return tuple(sorted(found, key=lambda change: (change.gone, change.at, [str(part) for part in change.path])))


def _differing(
    path: KeyPath, old: Plain | Absent, new: Plain | Absent
) -> Iterator[tuple[KeyPath, Plain | Absent, Plain | Absent]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys((*old, *new)):
            if path or key != APPLIED:
                yield from _differing((*path, key), old.get(key, ABSENT), new.get(key, ABSENT))
    elif old != new or (old.__class__ is not new.__class__):
        yield path, old, new


def _change(path: KeyPath, was: Plain | Absent, will: Plain | Absent, old: Places, new: Places) -> SpecChange:
    gone = will is ABSENT
    places = old if gone else new
    return SpecChange(path=path, old=was, new=will, at=places.key(path), gone=gone)


@dataclass(frozen=True, slots=True)
class Causes:
    """Changes of the spec, found by the paths that they touch: a large change has thousands, and so has what comes of it."""

    changes: tuple[SpecChange, ...]
    at: Mapping[KeyPath, Sequence[int]]
    """Path -> places of the changes there."""
    within: Mapping[KeyPath, Sequence[int]]
    """Path -> places of the changes there and below."""

    @classmethod
    def of(cls, changes: Iterable[SpecChange]) -> Causes:
        """Take in some changes, which keep their order."""
        some = tuple(changes)
        at: dict[KeyPath, list[int]] = defaultdict(list)
        within: dict[KeyPath, list[int]] = defaultdict(list)
        for place, change in enumerate(some):
            at[change.path].append(place)
            for length in range(len(change.path) + 1):
                within[change.path[:length]].append(place)
        return cls(some, dict(at), dict(within))

    def related(self, paths: Iterable[KeyPath]) -> tuple[SpecChange, ...]:
        """Return the changes at, below or above one of the paths."""
        found: set[int] = set()
        for path in paths:
            found.update(self.within.get(path, ()))
            for length in range(len(path)):
                found.update(self.at.get(path[:length], ()))
        return tuple(self.changes[place] for place in sorted(found))
