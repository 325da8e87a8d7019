"""What was renamed, by the spec's own word (`moved:`): entries, and with them the objects named after them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuplan.model.fleet import Move
from gpuplan.model.moved import newest_name
from gpuplan.plan.state import State

SECTIONS = ("clusters", "cardTiers", "nodePools", "taskPools", "teams")
"""Sections whose entries may be renamed."""


@dataclass(frozen=True, slots=True)
class Moves:
    """Old name -> new name of the entries of each section that were renamed between two states."""

    names: Mapping[str, Mapping[str, str]]

    def new_name(self, section: str, name: str) -> str:
        """Return what an entry of the old state is called in the new one."""
        return self.names.get(section, {}).get(name, name)

    def old_name(self, section: str, name: str) -> str:
        """Return what an entry of the new state was called in the old one."""
        back = {new: old for old, new in self.names.get(section, {}).items()}
        return back.get(name, name)


NO_MOVES = Moves({})


def moves(old: State, new: State) -> Moves:
    """Return the renames that the new spec states and that happen between the two: later plans say nothing of them."""
    names: dict[str, dict[str, str]] = {}
    for move, name in _followed(old, new):
        before, after = _entries(old, move.section), _entries(new, move.section)
        if move.old in before and name not in before and name in after and move.old not in after:
            names.setdefault(move.section, {})[move.old] = name
    return Moves(names)


def unmatched(old: State, new: State, found: Moves) -> Iterator[Move]:
    """Yield the renames whose entry is new and whose old name the state before does not have: one of them may be misspelt."""
    for move, name in _followed(old, new):
        paired = name in found.names.get(move.section, {}).values()
        if not paired and not {move.old, name} & _entries(old, move.section).keys():
            yield move


def _followed(old: State, new: State) -> Iterator[tuple[Move, str]]:
    """Yield each rename with the name that its entry has after those that follow it; none unless both states have a fleet."""
    if old.fleet is None or new.fleet is None:
        return
    for move in new.fleet.moved:
        known = _entries(old, move.section).keys() | _entries(new, move.section).keys()
        yield move, newest_name(new.fleet.moved, move.section, move.new, known)


def _entries(state: State, section: str) -> Mapping[str, object]:
    entries = state.written.get(section)
    return entries if isinstance(entries, dict) else {}
