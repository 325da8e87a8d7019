"""Who owns a field: what the API server remembers in `metadata.managedFields`, read for a path into the object.

A manager owns a field, or a whole list or map that is only ever set as one. Nobody owns what the server filled in by itself. The
server remembers who set a field, not who took one away.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpuplan.compare import Item, Shifted, Step

APPLY: Final = "Apply"
_SELF: Final = "."


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Owner:
    """A manager of fields, and how and when (RFC 3339) it wrote last; `subresource` is `status` and the like."""

    at: str
    manager: str
    operation: str
    subresource: str

    @property
    def applies(self) -> bool:
        """Whether it wrote by server-side apply."""
        return self.operation == APPLY


def owners(live: Mapping[str, Any], path: Sequence[Step]) -> tuple[Owner, ...]:
    """Return who owns the value at a path of a live object, or parts of it; who wrote last comes first."""
    found = [_owner(entry) for entry in _entries(live) if _owns(entry.get("fieldsV1") or {}, live, path)]
    return tuple(sorted(found, reverse=True))


def writers(live: Mapping[str, Any]) -> tuple[Owner, ...]:
    """Return everybody who wrote an object itself, not only its status; who wrote last comes first."""
    return tuple(sorted((one for one in map(_owner, _entries(live)) if not one.subresource), reverse=True))


def _entries(live: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from (live.get("metadata") or {}).get("managedFields") or ()


def _owner(entry: Mapping[str, Any]) -> Owner:
    return Owner(
        at=str(entry.get("time") or ""),
        manager=str(entry.get("manager") or ""),
        operation=str(entry.get("operation") or ""),
        subresource=str(entry.get("subresource") or ""),
    )


def _owns(fields: Mapping[str, Any], value: Any, path: Sequence[Step]) -> bool:
    """Tell whether a set of fields holds a path: itself, something inside it, or a value around it that is one whole."""
    if not path:
        return True
    node = _child(fields, value, path[0])
    if node is None:
        return False
    if not node:  # a leaf: all of it
        return True
    if set(node) == {_SELF}:
        return len(path) == 1
    return _owns(node, _value(value, path[0]), path[1:])


def _child(fields: Mapping[str, Any], value: Any, step: Step) -> Mapping[str, Any] | None:
    """Return the fields below a step."""
    if isinstance(step, str):
        found: Mapping[str, Any] | None = fields.get(f"f:{step}")
        return found
    item = _value(value, step)
    for key, below in fields.items():
        kind, _, text = key.partition(":")
        if (kind == "k" and _has_keys(item, json.loads(text))) or (kind == "v" and json.loads(text) == item):
            return below  # type: ignore[no-any-return]  # JSON of the server
    return None


def _has_keys(item: Any, keys: Mapping[str, Any]) -> bool:
    return isinstance(item, Mapping) and all(item.get(key) == wanted for key, wanted in keys.items())


def _value(value: Any, step: Step) -> Any:
    """Return the value at a step of a live object; None where it has none."""
    if isinstance(step, str):
        return value.get(step) if isinstance(value, Mapping) else None
    if not isinstance(value, list):
        return None
    if isinstance(step, Item):
        return next((one for one in value if _is(one, step)), None)
    place = step.new if isinstance(step, Shifted) else step
    return value[place] if place < len(value) else None


def _is(value: Any, item: Item) -> bool:
    """Tell whether a value of a list is an item; a key that the value leaves to a default does not speak against it."""
    if isinstance(value, Mapping):
        return all(value.get(key, wanted) == wanted for key, wanted in item.keys)
    return len(item.keys) == 1 and item.keys[0] == ("", value)
