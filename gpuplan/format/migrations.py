"""Old spellings of the spec and what stands for them now: a table of typed steps, each named by its reason."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeAlias

from gpuplan.rulebook import FORMER_IDS
from gpuplan.source.document import Plain

ANY = "*"
"""In a path: every item of a list, or every entry of a map."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameValue:
    """A text that has a new name, wherever it stands at a path."""

    path: tuple[str, ...]
    old: str
    new: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveItems:
    """Items of a top-level list that no longer do anything: those whose value under `key` is none of `needed`."""

    section: str
    key: str
    needed: AbstractSet[str]
    why: str

    def hits(self, item: Plain) -> bool:
        """Tell whether an item can go."""
        value = item.get(self.key) if isinstance(item, dict) else None
        return isinstance(value, str) and value not in self.needed


Step: TypeAlias = RenameValue | RemoveItems


def renamed_rules() -> tuple[Step, ...]:
    """Return a step for each rule that has a new id."""
    return tuple(
        RenameValue(path=("suppress", ANY, "rule"), old=old, new=new, why="the rule has a new id")
        for old, new in FORMER_IDS.items()
    )


def finished_moves(before: AbstractSet[str]) -> Step:
    """Return the step for `moved`, given the entries (`teams.nlp`) of the state that plans compare with.

    An entry pairs an old name of that state with a new one: where the state has no such name, it pairs nothing.
    """
    return RemoveItems(section="moved", key="from", needed=before, why="the rename is in the base already")
