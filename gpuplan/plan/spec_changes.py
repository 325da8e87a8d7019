"""What differs between two specs as written, and where each of it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

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


def related(paths: Iterable[KeyPath], changes: Iterable[SpecChange]) -> tuple[SpecChange, ...]:
    """Return the changes at, below or above one of the paths."""
    wanted = tuple(paths)
    return tuple(change for change in changes if any(_on_one_line(path, change.path) for path in wanted))


def _on_one_line(one: KeyPath, other: KeyPath) -> bool:
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
