"""One difference between two objects, and where it is."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

Plain: TypeAlias = object
"""A value as JSON knows it: mapping, list, string, number, boolean or None."""


class Absent(enum.Enum):
    """Stands for a value that one side does not have."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


class ChangeKind(enum.Enum):
    """What happened at a place."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    REORDERED = "reordered"
    """The same items in another order, where the order has a meaning."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list that is known by what it holds: `Item((("name", "h100"),))`.

    A plain value in a list without order has the empty string as its key.
    """

    keys: tuple[tuple[str, str | int], ...]


@dataclass(frozen=True, slots=True)
class Shifted:
    """An item of a list that is known by its place, where the place differs: items before it came or went."""

    old: int
    new: int


Step: TypeAlias = str | int | Item | Shifted
"""A map key, the place in a list (that of the side that has the item), or an item."""

_MIRRORED: Final = {
    ChangeKind.ADDED: ChangeKind.REMOVED,
    ChangeKind.REMOVED: ChangeKind.ADDED,
    ChangeKind.CHANGED: ChangeKind.CHANGED,
    ChangeKind.REORDERED: ChangeKind.REORDERED,
}
_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_PLAIN_LABEL: Final = re.compile(r"[A-Za-z0-9_./:+@*-]*[A-Za-z_./:+@*-][A-Za-z0-9_./:+@*-]*")
_BARE_KEYS: Final = ("", "name")
"""Keys of items that go without saying."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference. `old` and `new` are the values as written, ABSENT where a side has none.

    Where a keyed list was reordered they are its items in order, as `Item`s, otherwise the whole list.
    """

    path: tuple[Step, ...]
    kind: ChangeKind
    old: Plain
    new: Plain
    at: int | None = None
    """The place of an item that came or went, on the side that has it."""
    default: Plain = ABSENT
    """What the API server takes where a side has no value, if that is known."""
    within: tuple[Change, ...] = ()
    """What differs in the documents that the two texts hold, if they hold such; their paths begin there."""
    only_form: bool = False
    """Whether the two texts are documents that say the same."""

    @property
    def mirrored(self) -> Change:
        """Return the change that undoes this one."""
        return replace(
            self,
            path=tuple(Shifted(step.new, step.old) if isinstance(step, Shifted) else step for step in self.path),
            kind=_MIRRORED[self.kind],
            old=self.new,
            new=self.old,
            within=tuple(change.mirrored for change in self.within),
        )


def path_text(path: Iterable[Step]) -> str:
    """Return a path for people that nobody can misread; empty for the whole object. Plain values and names stand alone.

    >>> path_text(("spec", "resourceGroups", 0, "flavors", Item((("name", "h100"),)), "resources"))
    'spec.resourceGroups[0].flavors[h100].resources'
    >>> path_text(("metadata", "annotations", "argocd.argoproj.io/sync-wave"))
    'metadata.annotations["argocd.argoproj.io/sync-wave"]'
    >>> path_text(("spec", "ports", Item((("port", 9400), ("protocol", "TCP"))), "name"))
    'spec.ports[port=9400,protocol=TCP].name'
    """
    text = ""
    for step in path:
        if isinstance(step, str):
            key = _quoted(step, _PLAIN_KEY)
            text += f"{'.' if text else ''}{key}" if key == step else f"[{key}]"
        else:
            text += f"[{step_text(step)}]"
    return text


def step_text(step: Item | Shifted | int) -> str:
    """Return what stands between the brackets of a step into a list."""
    if isinstance(step, int):
        return str(step)
    if isinstance(step, Shifted):
        return f"{step.old}→{step.new}"
    if len(step.keys) == 1 and step.keys[0][0] in _BARE_KEYS:
        key, value = step.keys[0]
        if isinstance(value, str) and _PLAIN_LABEL.fullmatch(value):
            return value
        return f"{key or 'value'}={_label(value)}"
    return ",".join(f"{_quoted(key, _PLAIN_KEY)}={_label(value)}" for key, value in step.keys)


def _label(value: str | int) -> str:
    return _quoted(value, _PLAIN_LABEL) if isinstance(value, str) else str(value)


def _quoted(text: str, plain: re.Pattern[str]) -> str:
    return text if plain.fullmatch(text) else json.dumps(text, ensure_ascii=False)
