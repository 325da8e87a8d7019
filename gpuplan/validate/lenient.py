"""Schemas for objects that anybody wrote: what a server accepts of a kind, and what it adds to an object by itself.

They are the schemas of `schemas/kubernetes/`, which say what gpuplan may write, made wider when they are loaded: metadata and
status as a server keeps them; for Kubernetes' own kinds the empty string where a choice is asked for, which Go takes for
"not given". A schema is loaded when its kind first comes up; pods stand once, in the file of Deployments.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import jsonschema_rs

from gpuplan.validate.schemas import file_name, folder

Schema = dict[str, Any]

UNJUDGED: Final = frozenset({"ApplicationSet", "ClusterPolicy", "DeviceConfig", "NVIDIADriver", "NodeReadinessRule"})
"""Kinds of which the schema holds but a part, or one version of several; where they matter a rule of their own knows the keys."""
QUANTITY: Final = (
    r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(([KMGTPE]i)|[numkMGTPE]|([eE][+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)))?$"
)
"""What Kubernetes' quantities look like; its own kinds have no pattern for it in their schema."""

_REFERENCE: Final = re.compile(r'"\$ref": "([\w.-]+\.json)#')
_INT32: Final = 2**31
_INT64: Final = 2**63
_TEXTS: Final[Schema] = {"type": "object", "additionalProperties": {"type": "string"}}
_KEPT_BY_SERVERS: Final = (
    *("creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers", "generation"),
    *("managedFields", "ownerReferences", "resourceVersion", "selfLink", "uid"),
)
METADATA: Final[Schema] = {
    "type": "object",
    "properties": {
        **{key: {} for key in _KEPT_BY_SERVERS},
        **dict.fromkeys(("annotations", "labels"), _TEXTS),
        **{key: {"type": "string"} for key in ("generateName", "name", "namespace")},
    },
    "additionalProperties": False,
}
"""The metadata of an object; what only servers write there is not judged."""


@dataclass(frozen=True, slots=True)
class Checker:
    """The schema of a kind, and its compiled form."""

    schema: Schema
    compiled: jsonschema_rs.Draft7Validator

    def at(self, path: tuple[str | int, ...]) -> Iterator[Schema]:
        """Yield the schemas that apply at a path of an object."""
        here = [self.schema]
        for segment in path:
            here = [inner for one in here for inner in self._inside(one, segment)]
        yield from (made for one in here for made in self.sides(one))

    def _inside(self, schema: Schema, segment: str | int) -> Iterator[Schema]:
        for one in self.sides(schema):
            if isinstance(segment, int):
                inner = one.get("items")
            else:
                inner = one.get("properties", {}).get(segment, one.get("additionalProperties"))
            if isinstance(inner, dict):
                yield inner

    def sides(self, schema: Mapping[str, Any]) -> Iterator[Schema]:
        """Yield a schema, followed to where it is defined, and its alternatives."""
        if "$ref" in schema:
            yield from self.sides(self.schema["definitions"][schema["$ref"].rpartition("/")[2]])
            return
        yield dict(schema)
        for word in ("oneOf", "anyOf", "allOf"):
            for side in schema.get(word, ()):
                yield from self.sides(side)


@functools.cache
def checker(api_version: str, kind: str) -> Checker | None:
    """Return what judges objects of a kind; None where we have no schema of it, or none that says all."""
    name = file_name(api_version, kind)
    if kind in UNJUDGED or name not in _files():
        return None
    schema = _read(name)
    said = schema["properties"]
    if said["apiVersion"].get("const") != api_version or said["kind"].get("const") != kind:
        return None  # the name of a file does not tell `Job` from `job`
    return Checker(schema, jsonschema_rs.Draft7Validator(schema))


def is_builtin(api_version: str) -> bool:
    """Tell whether an API is Kubernetes' own, whose objects Go decodes, and not that of a custom resource."""
    group = api_version.rpartition("/")[0]
    return "." not in group or group.endswith(".k8s.io")


@functools.cache
def _files() -> frozenset[str]:
    return frozenset(path.name for path in folder().glob("*.json"))


@functools.cache
def _read(name: str) -> Schema:
    """Load a schema with the definitions that it takes from others, made wider."""
    text = (folder() / name).read_text(encoding="utf-8")
    others = sorted(set(_REFERENCE.findall(text)))
    schema: Schema = json.loads(_REFERENCE.sub('"$ref": "#', text))
    builtin = is_builtin(schema["properties"]["apiVersion"]["const"])
    definitions = {key: _wider(one, builtin=builtin) for key, one in schema.get("definitions", {}).items()}
    for other in others:
        definitions = {**_read(other)["definitions"], **definitions}
    made: Schema = _wider({**schema, "definitions": {}}, builtin=builtin)
    made["properties"] = {"status": {}, **made["properties"], "metadata": METADATA}
    made["required"] = [field for field in made["required"] if field != "metadata"]  # a rule of its own speaks of names
    return {**made, "definitions": definitions}


def _wider(schema: Any, *, builtin: bool) -> Any:
    if isinstance(schema, list):
        return [_wider(one, builtin=builtin) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {key: _wider(value, builtin=builtin) for key, value in schema.items()}
    if made.get("format") == "int32":
        made = {"minimum": -_INT32, "maximum": _INT32 - 1, **made}
    if made.get("type") in ("integer", ["integer", "string"]):
        made = {"minimum": -_INT64, "maximum": _INT64 - 1, **made}
    if builtin and isinstance(made.get("enum"), list):
        made["enum"] = [*made["enum"], ""]
    if builtin and made.get("oneOf") == [{"type": "string"}, {"type": "number"}]:
        made["oneOf"] = [{"type": "string", "pattern": QUANTITY}, {"type": "number"}]
    return made
