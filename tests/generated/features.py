"""What a spec makes use of, against all that the published schema offers: how much the generated fleets cover."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpuplan.spec import jsonschema
from gpuplan.spec.jsonschema import JsonSchema
from gpuplan.spec.reference import walk

Spec = dict[str, Any]
Path = tuple[str, ...]


def features(spec: Spec) -> set[str]:
    """Return each key that the spec writes, with `*` for names, and each word or switch that it chooses."""
    return set(_used(spec, jsonschema.fleet_schema(), ()))


def possible() -> set[str]:
    """Return the same of all that the schema offers, `defaults` left out: they repeat the sections."""
    paths = [key.path for key in walk() if key.path and key.path[0] != "defaults"]
    return {feature for path in paths for feature in (_shown(path), *_choices(jsonschema.at(path), path))}


def _used(value: Any, schema: JsonSchema, path: Path) -> Iterator[str]:
    if isinstance(value, dict):
        for key, below in value.items():
            step = key if key in jsonschema.keys(schema) else "*"
            inner = jsonschema.child(schema, key) or {}
            yield _shown((*path, step))
            yield from _used(below, inner, (*path, step))
    elif isinstance(value, list):
        inner = jsonschema.child(schema, 0) or {}
        step = ("*",) if jsonschema.keys(inner) else ()
        yield _shown((*path, *step))
        for below in value:
            yield from _used(below, inner, (*path, *step))
    else:
        yield from _choices(schema, path) & {_chosen(path, value)}


def _choices(schema: JsonSchema, path: Path) -> set[str]:
    """Return the words and switches that a place takes, in itself or in a list."""
    found: set[str] = set()
    for side in jsonschema.alternatives(schema):
        words = [side["const"]] if "const" in side else side.get("enum", ())
        found |= {_chosen(path, word) for word in ((True, False) if side.get("type") == "boolean" else words)}
        if "items" in side and not jsonschema.keys(side["items"]):
            found |= _choices(side["items"], path)
    return found


def _shown(path: Path) -> str:
    return ".".join(path)


def _chosen(path: Path, value: Any) -> str:
    return f"{_shown(path)} = {str(value).lower()}"
