"""The published JSON Schema (draft-07) of the spec, and look-ups in it for `explain` and for suggestions.

Draft-07 because older editors know nothing newer. No prose: names speak for themselves and the reference is generated.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from gpuplan.spec.fleet import FleetSpec

JsonSchema: TypeAlias = dict[str, Any]
DRAFT = "http://json-schema.org/draft-07/schema#"


@functools.cache
def fleet_schema() -> JsonSchema:
    """Return the schema of one document of `fleet/`: every section, none of them required."""
    schema: JsonSchema = _draft07(FleetSpec.model_json_schema(by_alias=True))
    schema.pop("required", None)
    return {"$schema": DRAFT, "title": "gpuplan fleet", **schema}


def _draft07(part: Any) -> Any:
    """Rewrite what pydantic says for 2020-12 into draft-07, close maps by their key pattern, and drop prose."""
    if isinstance(part, list):
        return [_draft07(item) for item in part]
    if not isinstance(part, dict):
        return part.replace("#/$defs/", "#/definitions/") if isinstance(part, str) else part
    made = {("definitions" if key == "$defs" else key): _draft07(value) for key, value in part.items()}
    if isinstance(made.get("title"), str):
        del made["title"]
    if isinstance(made.get("description"), str):
        del made["description"]
    patterns = made.get("patternProperties")
    if isinstance(patterns, dict) and "propertyNames" in made and len(patterns) == 1:
        pattern, value = next(iter(patterns.items()))
        del made["patternProperties"]
        made["additionalProperties"] = value
        made["propertyNames"] = {**made["propertyNames"], "pattern": pattern}
    return made


def resolve(schema: JsonSchema) -> JsonSchema:
    """Follow `$ref` and drop the alternative `null`, so that what remains says what people write."""
    root = fleet_schema()
    while True:
        if "$ref" in schema:
            schema = {
                **root["definitions"][schema["$ref"].rsplit("/", 1)[1]],
                **{key: value for key, value in schema.items() if key != "$ref"},
            }
            continue
        rest = [choice for choice in schema.get("anyOf", ()) if choice.get("type") != "null"]
        if len(rest) != 1 or "anyOf" not in schema:
            return schema
        schema = {**{key: value for key, value in schema.items() if key != "anyOf"}, **rest[0]}


def alternatives(schema: JsonSchema) -> Iterator[JsonSchema]:
    """Yield the schema, or each side of a choice, resolved."""
    schema = resolve(schema)
    choices = [
        choice for choice in (*schema.get("oneOf", ()), *schema.get("anyOf", ())) if choice.get("type") != "null"
    ]
    if not choices:
        yield schema
    for choice in choices:
        yield from alternatives(choice)


def child(schema: JsonSchema, segment: str | int) -> JsonSchema | None:
    """Return the schema below one key or index, or None where the spec has no such place."""
    for side in alternatives(schema):
        if isinstance(segment, int) or segment == "*":
            if "items" in side:
                return resolve(side["items"])
            if segment != "*":
                continue
        properties: Mapping[str, JsonSchema] = side.get("properties", {})
        if segment in properties:
            return resolve(properties[str(segment)])
        if isinstance(side.get("additionalProperties"), dict):
            return resolve(side["additionalProperties"])
    return None


def keys(schema: JsonSchema) -> tuple[str, ...]:
    """Return the fixed keys that a place takes, on all sides of a choice."""
    return tuple(key for side in alternatives(schema) for key in side.get("properties", {}))


def words(schema: JsonSchema) -> tuple[str, ...]:
    """Return the words that a place takes, on all sides of a choice."""
    return tuple(
        word for side in alternatives(schema) for word in side.get("enum", [side["const"]] if "const" in side else [])
    )


@functools.cache
def homes() -> Mapping[str, tuple[str, ...]]:
    """Return, by fixed key, the places that take it, as `explain` writes them; `defaults` repeat other sections."""
    found: dict[str, dict[str, None]] = {}
    for key, place in _places(fleet_schema(), ()):
        if place and place[0] != "defaults":
            found.setdefault(key, {})[".".join(place)] = None
    return {key: tuple(places) for key, places in found.items()}


def _places(schema: JsonSchema, path: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for side in alternatives(schema):
        for key, below in side.get("properties", {}).items():
            yield key, path
            yield from _places(below, (*path, key))
        for below in (side.get("additionalProperties"), side.get("items")):
            if isinstance(below, dict):
                yield from _places(below, (*path, "*"))


def at(path: tuple[str | int, ...]) -> JsonSchema:
    """Return the schema of the deepest part of a path that the spec has; tags of pydantic's unions are passed over."""
    here = fleet_schema()
    for segment in path:
        here = child(here, segment) or here
    return here


def schema_text() -> str:
    """Return the published schema as a file holds it."""
    return json.dumps(fleet_schema(), indent=2, ensure_ascii=False) + "\n"
