"""The keys of a Helm chart's values and of a CRD, by path and type: names only, none of their prose.

A chart reads what its templates name (`.Values.driver.version`) and, whole, what they print (`toYaml`). What stands in its own
`values.yaml` counts as read, too: nobody is accused of what the chart's authors write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

Keys = dict[str, str]
Path_ = tuple[str, ...]

REFERENCE = re.compile(r"\.Values((?:\.[A-Za-z0-9_-]+)+)")
COMMENT = re.compile(r"\{\{-?\s*/\*.*?\*/\s*-?\}\}", re.DOTALL)
WHOLE = re.compile(r"(?:toYaml|with|range)[^}\n]*?\.Values((?:\.[A-Za-z0-9_-]+)+)")


def values_keys(chart: Path, resource: Keys | None = None, subcharts: tuple[str, ...] = ()) -> Keys:
    """Return the keys of a chart's values. `resource` are those of the spec that the values go into under the same paths."""
    defaults = yaml.load((chart / "values.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    named, whole = references(chart)
    leaves = {one for one in named if not any(other[: len(one)] == one and other != one for other in named)}
    found: Keys = {}
    for path in leaves:
        found[".".join(path)] = type_of(at(defaults, path))
    for path, value in walk(defaults, leaves, subcharts):
        found.setdefault(".".join(path), type_of(value))
    for path in whole:
        inner = below(resource or {}, ".".join(path))
        if inner:
            found = {key: kind for key, kind in found.items() if key != ".".join(path)} | inner
    return {key: kind for key, kind in found.items() if key.partition(".")[0] not in subcharts}


def references(chart: Path) -> tuple[set[Path_], set[Path_]]:
    """Return the paths that templates name, and those among them that they print whole."""
    named: set[Path_] = set()
    whole: set[Path_] = set()
    for file in sorted((chart / "templates").rglob("*")):
        if file.is_file() and "crd" not in file.parent.name:
            text = COMMENT.sub("", file.read_text(encoding="utf-8"))
            named |= {tuple(one[1:].split(".")) for one in REFERENCE.findall(text)}
            whole |= {tuple(one[1:].split(".")) for one in WHOLE.findall(text)}
    return named, whole


def walk(value: Any, leaves: set[Path_], subcharts: tuple[str, ...], path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """Yield the defaults that are no mapping, or are printed whole."""
    if isinstance(value, Mapping) and value and path not in leaves:
        for key, inner in value.items():
            if path or key not in subcharts:
                yield from walk(inner, leaves, subcharts, (*path, str(key)))
    else:
        yield path, value


def at(tree: Any, path: Path_) -> Any:
    """Return what stands at a path, None where nothing does."""
    for key in path:
        tree = tree.get(key) if isinstance(tree, Mapping) else None
    return tree


def below(keys: Keys, path: str) -> Keys:
    """Return the keys at and below a path."""
    return {key: kind for key, kind in keys.items() if key.startswith((f"{path}.", f"{path}[]")) or key == path}


def type_of(value: Any) -> str:
    """Return the type that a default suggests; of one that is not given nothing is known."""
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "list"
    return "map" if isinstance(value, Mapping) else "any"


def crd_spec(document: bytes, version: str) -> Mapping[str, Any]:
    """Return the schema of the spec of a custom resource."""
    crd = yaml.load(document, yaml.CSafeLoader)
    (schema,) = (one["schema"]["openAPIV3Schema"] for one in crd["spec"]["versions"] if one["name"] == version)
    spec: Mapping[str, Any] = schema["properties"]["spec"]
    return spec


def crd_keys(document: bytes, version: str) -> Keys:
    """Return the keys of a custom resource, from the root of the object."""
    spec = {f"spec.{path}": kind for path, kind in schema_keys(crd_spec(document, version))}
    return {"apiVersion": "text", "kind": "text", "metadata": "map", "status": "any", **spec}


SIMPLE = {"string": "text", "boolean": "flag", "integer": "whole", "number": "number"}


def schema_keys(schema: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Yield (path, type) of what an OpenAPI schema allows."""
    kind = schema.get("type")
    if schema.get("x-kubernetes-preserve-unknown-fields") or schema.get("x-kubernetes-int-or-string"):
        yield path, "amount" if schema.get("x-kubernetes-int-or-string") else "any"
    elif "properties" in schema:
        for key, inner in schema["properties"].items():
            yield from schema_keys(inner, f"{path}.{key}" if path else key)
    elif kind == "array":
        yield from schema_keys(schema.get("items", {}), f"{path}[]")
    elif kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        yield from schema_keys(schema["additionalProperties"], f"{path}.*")
    else:
        yield path, SIMPLE.get(str(kind), "map" if kind == "object" else "any")


def schema_words(schema: Mapping[str, Any], path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield (path, values) of what may take a few words only; the empty word is none that anybody needs to be told."""
    if "enum" in schema:
        yield path, [word for word in schema["enum"] if word]
    for key, inner in schema.get("properties", {}).items():
        yield from schema_words(inner, f"{path}.{key}")
