"""From a spec as data to its text, in many ways that mean the same: split, reordered, with defaults pulled out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from tests.generated import words

Entry = dict[str, Any]

HEAD: Mapping[str, str] = {"apiVersion": "gpuplan.dev/v1alpha1", "kind": "Fleet"}
DEFAULTABLE = {
    "clusters": "cluster",
    "cardTiers": "cardTier",
    "nodePools": "nodePool",
    "taskPools": "taskPool",
    "teams": "team",
}
NAMED = ("cards", *DEFAULTABLE)
"""Sections whose entries stand under names."""
ORDERED = ("nodePools",)
"""Sections whose order means something: the flavors of a tier are tried in the order of their node pools."""

_PLAIN = re.compile(r"[a-z][a-z0-9-]*")
_WORDS = ("null", "true", "false")


@st.composite
def texts(draw: st.DrawFn, spec: Entry) -> str:
    """Return the spec as YAML: one document or several, entries and keys in any order that means the same."""
    spec = draw(_with_defaults(spec))
    count = draw(st.integers(1, 3))
    documents: list[Entry] = [{} for _ in range(count)]
    for key, section in spec.items():
        if key in NAMED and key not in ORDERED:
            for name in draw(_shuffled(list(section))):
                documents[draw(st.integers(0, count - 1))].setdefault(key, {})[name] = draw(
                    _keys_shuffled(section[name])
                )
        else:
            documents[draw(st.integers(0, count - 1))][key] = section
    written = [document for document in documents if document]
    return "---\n".join(draw(_document(document, first=index == 0)) for index, document in enumerate(written))


def plain_text(spec: Entry) -> str:
    """Return the spec as one document, in its own order."""
    return block({**HEAD, **spec})


def block(value: Entry, pad: str = "") -> str:
    """Write a mapping as block YAML down to the entries of sections, which are flow."""
    lines: list[str] = []
    for key, below in value.items():
        if isinstance(below, dict) and below and len(pad) < 4:
            lines.append(f"{pad}{flow(key)}:\n{block(below, pad + '  ')}")
        else:
            lines.append(f"{pad}{flow(key)}: {flow(below)}\n")
    return "".join(lines)


def flow(value: Any) -> str:
    """Write a value on one line. A string is plain only where nobody could take it for anything else."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(below)}" for key, below in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value not in _WORDS:
        return value
    return json.dumps(str(value) if isinstance(value, str) else value, ensure_ascii=False)


def written(document: Entry) -> st.SearchStrategy[str]:
    """Return the text of a document: a block, or all on one line."""
    return st.sampled_from((block(document), flow(document) + "\n"))


@st.composite
def _document(draw: st.DrawFn, document: Entry, *, first: bool) -> str:
    head = HEAD if first or draw(st.booleans()) else {}
    keys = draw(_shuffled([*head, *document]))
    whole = {key: {**head, **document}[key] for key in keys}
    return draw(written(whole))


def _shuffled(items: list[str]) -> st.SearchStrategy[list[str]]:
    return st.just(items) | st.permutations(items)


@st.composite
def _keys_shuffled(draw: st.DrawFn, entry: Entry) -> Entry:
    return {key: entry[key] for key in draw(_shuffled(list(entry)))}


@st.composite
def _with_defaults(draw: st.DrawFn, spec: Entry) -> Entry:
    """Move values that every entry of a section states to `defaults`, where an entry may still say otherwise."""
    defaults: Entry = {}
    made = dict(spec)
    for section, kind in DEFAULTABLE.items():
        entries: dict[str, Entry] = spec.get(section, {})
        common = sorted(set.intersection(*(set(entry) for entry in entries.values()))) if entries else []
        for key in common if draw(words.SELDOM) else ():
            value = next(iter(entries.values()))[key]
            defaults.setdefault(kind, {})[key] = value
            made[section] = {name: _without(entry, key, value) for name, entry in made[section].items()}
    return {**made, "defaults": defaults} if defaults else made


def _without(entry: Entry, key: str, value: Any) -> Entry:
    """Drop a key that has the default's value; `1` and `true` are not equal here."""
    same = entry[key] == value and flow(entry[key]) == flow(value)
    return {name: below for name, below in entry.items() if name != key or not same}
