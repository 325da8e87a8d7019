"""A spec in the making: entries of sections, each with notes that become comments above it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from gpuplan.manifests.compact import compact_text

Plain = object
_WIDTH = 110
"""Columns that a comment fills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What stands under one name of a section, and what a reader has to know of it."""

    section: tuple[str, ...]
    """Keys from the top to the mapping that the entry stands in: `("nodePools",)`, `("adopted", "prod", "clusterQueues")`."""
    name: str
    value: Plain
    notes: tuple[str, ...] = ()
    """Whence it comes, and what of it is a guess; a sentence each."""


SECTIONS = (
    "apiVersion",
    "kind",
    "metadata",
    "clusters",
    "cards",
    "cardTiers",
    "nodePools",
    "taskPools",
    "teams",
    "names",
    "adopted",
    "monitoring",
    "governance",
    "delivery",
)
"""Sections in the order in which a person reads them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The entries of a spec, and what no entry can hold."""

    fleet: str
    entries: tuple[Entry, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Why an object is in no entry, by the object as it is called (`Queue research`)."""

    def plain(self) -> dict[str, Plain]:
        """Return the spec as data."""
        root: dict[str, Plain] = {
            "apiVersion": "gpuplan.dev/v1alpha1",
            "kind": "Fleet",
            "metadata": {"name": self.fleet},
        }
        for entry in self.entries:
            place = root
            for key in entry.section:
                place = place.setdefault(key, {})  # type: ignore[assignment]  # a mapping, as sections are
            place[entry.name] = entry.value
        return {key: root[key] for key in SECTIONS if key in root}

    def text(self) -> str:
        """Return the spec as YAML, notes as comments above their entries."""
        head = compact_text({"apiVersion": "gpuplan.dev/v1alpha1", "kind": "Fleet", "metadata": {"name": self.fleet}})
        return head + "".join(f"\n{block}" for block in self._blocks())

    def _blocks(self) -> Iterator[str]:
        for section in SECTIONS:
            inside = [entry for entry in self.entries if entry.section[:1] == (section,)]
            if inside:
                yield "".join(f"{line}\n" for line in _lines((section,), inside))


def _lines(path: tuple[str, ...], entries: list[Entry]) -> Iterator[str]:
    """Yield the lines of a section: its own entries, then the sections inside it, in the order in which they first come."""
    pad = "  " * (len(path) - 1)
    yield f"{pad}{path[-1]}:"
    deeper: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.section == path:
            yield from _entry(entry, pad + "  ")
        else:
            deeper.setdefault(entry.section[len(path)], []).append(entry)
    for key, inside in deeper.items():
        yield from _lines((*path, key), inside)


def _entry(entry: Entry, pad: str) -> Iterator[str]:
    for note in entry.notes:
        yield from (f"{pad}# {line}" for line in _wrapped(note))
    yield from compact_text({entry.name: entry.value}, pad).splitlines()


def _wrapped(note: str) -> Iterator[str]:
    """Yield the lines of a comment; what cannot be seen, which a name in a file may hold, is shown by a sign."""
    line = ""
    seen = "".join(sign if sign.isprintable() or sign.isspace() else "?" for sign in note)
    for word in " ".join(seen.split()).split(" "):
        if line and len(line) + 1 + len(word) > _WIDTH:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
    yield line


def joined(fleet: str, entries: Iterable[Entry], left_out: Mapping[str, str]) -> Draft:
    """Return the draft of some entries; of two with one place the first stays."""
    kept: dict[tuple[tuple[str, ...], str], Entry] = {}
    for entry in entries:
        kept.setdefault((entry.section, entry.name), entry)
    return Draft(fleet=fleet, entries=tuple(kept.values()), left_out=left_out)
