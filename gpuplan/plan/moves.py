"""What was renamed, by the spec's own word (`moved:`): entries, and with them the objects named after them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
    if old.fleet is None or new.fleet is None:
        return NO_MOVES
    names: dict[str, dict[str, str]] = {}
    for move in new.fleet.moved:
        before, after = _entries(old, move.section), _entries(new, move.section)
        if move.old in before and move.new not in before and move.new in after and move.old not in after:
            names.setdefault(move.section, {})[move.old] = move.new
    return Moves(names)


def _entries(state: State, section: str) -> Mapping[str, object]:
    entries = state.written.get(section)
    return entries if isinstance(entries, dict) else {}
