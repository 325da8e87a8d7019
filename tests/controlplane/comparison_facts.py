"""`gpuplan/compare/data/fields.json`: what decides whether two values of a field are the same, from a real API server.

Keys of lists, quantities and defaults come from the server's OpenAPI. Whether the order of a list has a meaning is known to
no schema: `comparison_tables` says it.
"""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gpuplan.manifests import kinds
from gpuplan.validate.schemas import file_name, folder
from tests.controlplane import server_defaults
from tests.controlplane.client import Client
from tests.controlplane.comparison_tables import ALSO, DEFAULTS, DOCUMENTS, FREE, LISTS, METADATA
from tests.controlplane.handwritten import HAND_WRITTEN

FILE = Path("gpuplan/compare/data/fields.json")
FORMAT_VERSION = 1
Node = dict[str, Any]
Schema = Mapping[str, Any]


def comparable_kinds() -> Iterator[tuple[str, str]]:
    """Yield (apiVersion, kind) of every kind that gpuplan writes, and of `ALSO`."""
    for kind in typing.get_args(kinds.KubeObject):
        fields = typing.get_type_hints(kind)
        yield typing.get_args(fields["apiVersion"])[0], typing.get_args(fields["kind"])[0]
    yield from ALSO


class Reader:
    """Reads nodes off the schemas of one OpenAPI document; named types are read once into `types`."""

    def __init__(
        self, components: Mapping[str, Schema], types: dict[str, Node], names: dict[str, str], used: set[str]
    ) -> None:
        self.components = components
        self.types = types
        self.names = names
        """The whole name of each type, by its short one."""
        self.used = used
        """Entries of `LISTS`, `DOCUMENTS` and `DEFAULTS` that some field fits."""

    def kind(self, schema: Schema, kind: str) -> Node:
        """Return the node of a kind."""
        fields = {key: value for key, value in schema["properties"].items() if key not in ("metadata", "status")}
        made = self.node({**schema, "properties": fields}, kind)
        return {"fields": dict(sorted({**made.get("fields", {}), "metadata": {"is": "Metadata"}}.items()))}

    def node(self, schema: Schema, path: str) -> Node:
        """Return what there is to know of one field."""
        made: Node = {}
        if len(schema.get("allOf", ())) == 1 and "$ref" in schema["allOf"][0]:
            made, schema = self.default(schema, path), schema["allOf"][0]
        if "$ref" in schema:
            return {**self.reference(schema["$ref"].rsplit("/", 1)[1]), **made}
        made = self.default(schema, path) | self.scalar(schema)
        if end := _longest(path, DOCUMENTS):
            self.used.add(end)
            made["document"] = True
        if schema.get("type") == "array":
            made |= self.list(schema, path)
        fields = {key: self.node(value, f"{path}.{key}") for key, value in sorted(schema.get("properties", {}).items())}
        if fields := {key: node for key, node in fields.items() if node}:
            made["fields"] = fields
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and (values := self.node(extra, f"{path}.*")):
            made["values"] = values
        return made

    def default(self, schema: Schema, path: str) -> Node:
        """Return the default; the empty text of a Go string that is not given is none."""
        if end := _longest(path, DEFAULTS):
            self.used.add(end)
            return {"default": DEFAULTS[end]}
        return {"default": schema["default"]} if schema.get("default", "") != "" else {}

    def scalar(self, schema: Schema) -> Node:
        """Return whether a value is a quantity, or a number that may be a text."""
        if schema.get("type") == ["integer", "string"]:  # in draft-07, as the schemas that are written by hand
            return {"intOrString": True}
        if schema.get("format") == "int-or-string" or schema.get("x-kubernetes-int-or-string"):
            return {"quantity": True} if "KMGTPE" in schema.get("pattern", "") else {"intOrString": True}
        return {}

    def list(self, schema: Schema, path: str) -> Node:
        """Return keys, order and items of a list."""
        sort = schema.get("x-kubernetes-list-type", "atomic")
        made: Node = {} if sort == "atomic" else {**FREE}
        if sort == "map":
            made["keys"] = [schema["x-kubernetes-list-map-keys"]]
        if end := _longest(path, LISTS):
            self.used.add(end)
            made |= LISTS[end]
        items = {key: value for key, value in self.node(schema["items"], path).items() if key != "default"}
        if items:
            made["items"] = items
        return {key: value for key, value in made.items() if (key, value) != ("order", "kept")}

    def reference(self, name: str) -> Node:
        """Read a named type once and refer to it; one without facts is no node."""
        short = name.rsplit(".", 1)[-1]
        if name.endswith(".api.resource.Quantity"):
            return {"quantity": True}
        if short == "ObjectMeta":
            return {"is": "Metadata"}
        if self.names.setdefault(short, name) != name:
            raise ValueError(f"two types are called {short}: {name} and {self.names[short]}")
        if short not in self.types:
            self.types[short] = {}
            self.types[short] = self.node(self.components[name], short)
        return {"is": short}


def _longest(path: str, ends: Iterable[str]) -> str:
    """Return the longest of the ends that a path has; empty for none."""
    return max((end for end in ends if path == end or path.endswith(f".{end}")), key=len, default="")


def facts(client: Client) -> Node:
    """Return the content of the file. Raises ValueError for an entry of the tables that fits no field."""
    documents: dict[str, Mapping[str, Schema]] = {}
    names: dict[str, str] = {}
    types: dict[str, Node] = {"Metadata": {**METADATA}, "Object": {"fields": {"metadata": {"is": "Metadata"}}}}
    used: set[str] = set()
    known: dict[str, str] = {}
    for api_version, kind in sorted(set(comparable_kinds()) - HAND_WRITTEN.keys()):
        path = f"/openapi/v3/apis/{api_version}" if "/" in api_version else f"/openapi/v3/api/{api_version}"
        if path not in documents:
            documents[path] = client.request("GET", path)["components"]["schemas"]
        group, _, version = api_version.rpartition("/")
        wanted = {"group": group, "kind": kind, "version": version}
        (schema,) = [
            schema for schema in documents[path].values() if wanted in schema.get("x-kubernetes-group-version-kind", ())
        ]
        types[kind] = Reader(documents[path], types, names, used).kind(schema, kind)
        known[f"{api_version}/{kind}"] = kind
    for api_version, kind in HAND_WRITTEN:
        schema = json.loads((folder() / file_name(api_version, kind)).read_text(encoding="utf-8"))
        # After the others: what its types are called is what core types are called, and they are the same.
        types[kind] = Reader(schema.get("definitions", {}), types, {}, used).kind(schema, kind)
        known[f"{api_version}/{kind}"] = kind
    for kind, place, value in server_defaults.defaults(client):
        _set_default(types, {"is": kind}, place, value)
    if unused := {*LISTS, *DOCUMENTS, *DEFAULTS} - used:
        raise ValueError(f"no field fits {', '.join(sorted(unused))}")
    pruned = _pruned(types)
    return {
        "formatVersion": FORMAT_VERSION,
        "kinds": dict(sorted(known.items())),
        "types": _reached(pruned, known.values()),
    }


def _set_default(types: Mapping[str, Node], node: Node, path: server_defaults.Path, value: object) -> None:
    """Note the default of a field. Raises ValueError where the schema, or another probe, has another one."""
    for step in path:
        node = types[node["is"]] if "is" in node else node
        node = node.setdefault("fields", {}).setdefault(step, {}) if isinstance(step, str) else node["items"]
    if node.setdefault("default", value) != value:
        raise ValueError(f"{path} has the default {node['default']!r} and also {value!r}")


def _pruned(types: Mapping[str, Node]) -> dict[str, Node]:
    """Return the types without fields of which there is nothing to say; a type that is no more than a value is put in place."""
    while True:
        made = {name: _without(node, types) for name, node in types.items()}
        if made == types:
            return made
        types = made


def _without(node: Node, types: Mapping[str, Node]) -> Node:
    if "is" in node:
        shared = types[node["is"]]
        return (
            node
            if shared.keys() & {"fields", "items", "values"}
            else {**shared, **{key: value for key, value in node.items() if key != "is"}}
        )
    made = dict(node)
    for part in ("items", "values"):
        if part in made:
            made[part] = _without(made[part], types)
    if "fields" in made:
        fields = {key: _without(value, types) for key, value in sorted(made["fields"].items())}
        made["fields"] = {key: value for key, value in fields.items() if value}
    for part in ("items", "values", "fields"):
        if not made.get(part, True):
            del made[part]
    return made


def _reached(types: Mapping[str, Node], roots: Iterable[str]) -> Node:
    """Return the types that kinds lead to."""
    found: Node = {}
    waiting = ["Object", *roots]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = types[name]
            waiting += re.findall(r'"is": "(\w+)"', json.dumps(types[name]))
    return dict(sorted(found.items()))


def text(found: Node) -> str:
    """Return the file's text: a kind or a type a line."""
    parts = []
    for key, value in found.items():
        if isinstance(value, dict):
            lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(node)}" for name, node in value.items())
            parts.append(f" {json.dumps(key)}: {{\n{lines}\n }}")
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
