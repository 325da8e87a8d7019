"""The catalogue's own door to YAML, beside `gpuplan/source`, for the data files of this package and nothing else.

These files are ours, not a user's: no spans are kept, every scalar stays a string, and a wrong row raises, since it is our
bug. The tree is built from the C parser's events: a fifth of the time of the safe loader, on the path of every command.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from gpuplan import versions

if TYPE_CHECKING:
    from yaml import BaseLoader as _Loader
else:
    _Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a row was read, and when somebody last looked."""

    source: str
    checked: dt.date


def tree(text: bytes) -> Any:
    """Return the document as dicts, lists and strings. A key that is written twice raises ValueError."""
    pending: list[list[Any]] = [[]]
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, ScalarEvent):
            pending[-1].append(event.value)
        elif isinstance(event, MappingStartEvent | SequenceStartEvent):
            pending.append([])
        elif isinstance(event, SequenceEndEvent):
            items = pending.pop()
            pending[-1].append(items)
        elif isinstance(event, MappingEndEvent):
            flat = pending.pop()
            mapping = dict(zip(flat[::2], flat[1::2], strict=True))
            if 2 * len(mapping) < len(flat):
                raise ValueError(f"a key is written twice before {event.start_mark}")
            pending[-1].append(mapping)
    return pending[0][0]


class Table:
    """One data file: the sections of rows, and its `sources`, which rows name by their short key."""

    def __init__(self, name: str) -> None:
        self._content: dict[str, Any] = tree((DATA / name).read_bytes())
        self._sources = {
            key: Provenance(entry["url"], dt.date.fromisoformat(entry["checked"]))
            for key, entry in self._content["sources"].items()
        }
        self._name = name

    def rows(self, section: str) -> Iterator[Row]:
        """Yield the rows of a section that is a map from names to rows."""
        for key, values in self._content[section].items():
            yield Row(f"{self._name}: {section}.{key}", key, values, self._sources)


class Row:
    """A typed view of one row. A missing or misshapen value raises with the name of the row."""

    __slots__ = ("_sources", "_values", "_where", "key")

    def __init__(self, where: str, key: str, values: Mapping[str, Any], sources: Mapping[str, Provenance]) -> None:
        self.key = key
        self._where = where
        self._values = values
        self._sources = sources

    def has(self, key: str) -> bool:
        """Tell whether the row has the key, whatever its value."""
        return key in self._values

    def text(self, key: str, default: str | None = None) -> str:
        """Return a scalar as written."""
        value = self._values.get(key, default)
        if not isinstance(value, str):
            raise TypeError(f"{self._where}: {key} must be a scalar, got {value!r}")
        return value

    def optional(self, key: str) -> str | None:
        """Return a scalar as written, None where the key is absent."""
        return self.text(key) if key in self._values else None

    def whole(self, key: str, default: int | None = None) -> int:
        """Return a whole number."""
        return int(self.text(key, None if default is None else str(default)))

    def optional_whole(self, key: str) -> int | None:
        """Return a whole number, None where the key is absent."""
        return int(self.text(key)) if key in self._values else None

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return `true` or `false`."""
        value = self.text(key, str(default).lower())
        if value not in ("true", "false"):
            raise ValueError(f"{self._where}: {key} must be true or false, got {value!r}")
        return value == "true"

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of scalars, empty where the key is absent."""
        value = self._values.get(key, [])
        if not isinstance(value, list):
            raise TypeError(f"{self._where}: {key} must be a list, got {value!r}")
        return tuple(value)

    def wholes(self, key: str) -> tuple[int, ...]:
        """Return a list of whole numbers, empty where the key is absent."""
        return tuple(map(int, self.texts(key)))

    def mapping(self, key: str) -> Mapping[str, str]:
        """Return a map of scalars, empty where the key is absent."""
        value: Mapping[str, str] = self._values.get(key, {})
        if not isinstance(value, dict):
            raise TypeError(f"{self._where}: {key} must be a map, got {value!r}")
        return value

    def lists(self, key: str) -> Mapping[str, tuple[str, ...]]:
        """Return a map of lists of scalars, empty where the key is absent."""
        return {name: tuple(items) for name, items in self._values.get(key, {}).items()}

    def children(self, key: str) -> Iterator[Row]:
        """Yield the rows of a map that is nested in this row."""
        for name, values in self._values[key].items():
            yield Row(f"{self._where}.{name}", name, values, self._sources)

    def version(self, key: str) -> versions.Version:
        """Return a version."""
        return versions.required(self.text(key))

    def optional_version(self, key: str) -> versions.Version | None:
        """Return a version, None where the key is absent."""
        return self.version(key) if key in self._values else None

    @property
    def unchecked(self) -> frozenset[str]:
        """The keys of this row whose values nobody has read at a source."""
        return frozenset(self.texts("unchecked"))

    @property
    def provenance(self) -> Provenance:
        """The row's source, looked up in the file's `sources`."""
        return self._sources[self.text("source")]
