"""The keys that the readers of configurations know, by format and version (data/keys/).

Readers differ in what they do with a key that they do not know: most drop it without a word. A list says which keys there are,
of which type, and between which of the versions that somebody read; it says nothing of versions in between.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from gpuplan import versions
from gpuplan.catalog._load import DATA, tree
from gpuplan.versions import Version

ITEM = "[]"
"""The name of what a list holds."""
EACH = "*"
"""The name of what a mapping with free keys holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key, and those below it; without children it is open, and anything may stand there.

    `type` is text, flag, whole, number, amount (a whole number or a text), duration (`10m`), quantity (`16Gi`), texts (a text or
    a list of texts), list, map or any, and empty where children stand.
    """

    name: str
    type: str = ""
    since: Version | None = None
    until: Version | None = None
    words: tuple[str, ...] = ()
    """The values that the reader takes; any where there are none."""
    caseless: bool = False
    """Whether the reader looks its children up without regard to case."""
    children: Mapping[str, Key] = field(default_factory=dict)

    def child(self, name: str) -> Key | None:
        """Return the key below this one that a reader takes a name for."""
        found = self.children.get(name) or self.children.get(EACH)
        if found is None and self.caseless:
            found = next((one for key, one in self.children.items() if key.casefold() == name.casefold()), None)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyList:
    """The keys of one format, and the versions of its reader whose keys somebody read, oldest first."""

    name: str
    component: str
    """The component whose version counts, as `--assume` spells it."""
    root: Key
    versions: tuple[Version, ...]
    sources: Mapping[str, tuple[str, dt.date]]
    """By version: where its keys were read, and when."""
    subcharts: frozenset[str]
    """Keys at the top below which the values of another chart stand."""

    @property
    def newest(self) -> Version:
        """The newest version that was read."""
        return self.versions[-1]

    def missing(self, key: Key, version: Version) -> bool:
        """Tell whether a version surely does not have a key: it is no newer than one without it, or no older."""
        earlier = [one for one in self.versions if key.since is not None and one < key.since]
        later = [one for one in self.versions if key.until is not None and one > key.until]
        return bool(earlier and version.minor <= earlier[-1].minor) or bool(later and version.minor >= later[0].minor)

    def homes(self, name: str) -> tuple[str, ...]:
        """Return the paths of the mappings that have a key of this name; a subchart's are its own."""
        return tuple(
            path for path, key in walk(self.root) if key.name == name and path.split(".")[0] not in self.subcharts
        )


def walk(key: Key, path: str = "") -> Iterator[tuple[str, Key]]:
    """Yield every key below one, with the path of what holds it."""
    for name, child in key.children.items():
        yield path, child
        yield from walk(child, _joined(path, name))


@functools.cache
def load(name: str) -> KeyList:
    """Read the list of a format. A list that is not there raises FileNotFoundError."""
    content: dict[str, Any] = tree((DATA / "keys" / f"{name}.yaml").read_bytes())
    nested: dict[str, Any] = {}
    for path, kind in content["keys"].items():
        _put(nested, path.replace(ITEM, f".{ITEM}").split("."), kind)
    builder = _Builder(
        words={path: tuple(listed) for path, listed in content.get("words", {}).items()},
        caseless=content.get("caseless") == "true",
        exact=tuple(content.get("exact", ())),
    )
    urls = {key: (one["url"], dt.date.fromisoformat(one["checked"])) for key, one in content["sources"].items()}
    return KeyList(
        name=name,
        component=content["component"],
        root=builder.key("", nested, ""),
        versions=tuple(sorted(map(versions.required, content["versions"]))),
        sources=MappingProxyType({version: urls[key] for version, key in content["versions"].items()}),
        subcharts=frozenset(path for path, kind in content["keys"].items() if kind.startswith("chart ")),
    )


def _put(nested: dict[str, Any], path: list[str], kind: str) -> None:
    *folders, last = path
    inner: Any = nested
    for folder in folders:
        inner = inner.setdefault(folder, {}) if isinstance(inner, dict) else None
    if inner is None or last in inner:
        raise ValueError(f"{'.'.join(path)} stands beside keys below it")
    inner[last] = kind


@dataclass(frozen=True, slots=True, kw_only=True)
class _Builder:
    """Makes keys of nested mappings; `exact` are the paths below which case counts in a reader that is else caseless."""

    words: Mapping[str, tuple[str, ...]]
    caseless: bool
    exact: tuple[str, ...]

    def key(self, name: str, below: Any, path: str) -> Key:
        if isinstance(below, str):
            return self._leaf(name, below, path)
        children = {key: self.key(key, inner, _joined(path, key)) for key, inner in below.items()}
        since = {child.since for child in children.values()}
        until = {child.until for child in children.values()}
        return Key(
            name=name,
            # What holds only newer keys is itself newer.
            since=min(one for one in since if one) if None not in since else None,
            until=max(one for one in until if one) if None not in until else None,
            caseless=self.caseless and not path.startswith(self.exact),
            children=MappingProxyType(children),
        )

    def _leaf(self, name: str, kind: str, path: str) -> Key:
        if kind.startswith("chart "):
            chart = _unmarked(load(kind.removeprefix("chart ")).root)
            # Helm reads it: by custom the key that switches a subchart on.
            children = {**chart.children, "enabled": Key(name="enabled", type="flag")}
            return replace(chart, name=name, children=MappingProxyType(children))
        kind, *rest = kind.split()
        marks = dict(zip(rest[::2], map(versions.required, rest[1::2]), strict=True))
        words = self.words.get(path, ())
        return Key(name=name, type=kind, since=marks.get("since"), until=marks.get("until"), words=words)


def _unmarked(key: Key) -> Key:
    """Return a key of a subchart, whose versions are its own: whichever is bundled, it is given the benefit."""
    children = {name: _unmarked(child) for name, child in key.children.items()}
    return replace(key, since=None, until=None, children=MappingProxyType(children))


def _joined(path: str, name: str) -> str:
    return path + name if name == ITEM or not path else f"{path}.{name}"
