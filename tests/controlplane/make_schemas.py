"""Make `schemas/kubernetes/` from a real API server: `python -m tests.controlplane.make_schemas [--check]`.

One closed draft-07 schema for each kind that gpuplan writes, and for those that it reads (`read_kinds`), from the server's own
OpenAPI with the CRDs loaded. Prose, status and server-side metadata are left out: the files say what we may write, in names
and types only; `gpuplan lint` adds what a server adds.

The same server gives the facts by which objects are compared: `comparison_facts`.

Kinds whose CRD no Go module brings have a schema written by hand, which stands in the folder like the others.
"""

from __future__ import annotations

import json
import sys
import tempfile
import typing
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from gpuplan.manifests import kinds
from gpuplan.validate.schemas import file_name
from tests.controlplane import comparison_facts, newer_fields, read_kinds
from tests.controlplane.comparison_facts import FILE as FACTS
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.handwritten import HAND_WRITTEN

FOLDER = Path("schemas/kubernetes")
CRDS = (
    *("kueue", "prometheus", "prometheus-servers", "nfd", "argocd", "gpu-operator"),
    *("jobset", "leaderworkerset", "mpijob", "karpenter"),
)
DRAFT = "http://json-schema.org/draft-07/schema#"
METADATA = ("annotations", "labels", "name", "namespace")
KEPT = (
    "type",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "required",
    "uniqueItems",
)
"""Keywords that restrict values and mean the same in OpenAPI 3.0 and draft-07."""

BOUNDED = "int32"
"""The format of whole numbers that a server bounds; it is kept as an annotation, which validators pass over."""
GO_FLAG = "(?i)"
"""A flag of Go's regular expressions that JSON Schema's do not have: small letters stand for large ones, too."""

Schema = dict[str, Any]

NARROWED: dict[tuple[str, str], dict[tuple[str, ...], tuple[str, ...]]] = {
    ("argoproj.io/v1alpha1", "ApplicationSet"): {
        ("spec", "generators"): ("list",),
        ("spec", "generators", "list"): ("elements",),
    }
}
"""Places of a kind, through lists, and the fields that are kept there. The whole schema of an ApplicationSet has 1.4 MB, since
each generator repeats that of an Application, and those that combine others repeat them all; gpuplan writes one kind of them.
"""


def written_kinds() -> Iterator[tuple[str, str]]:
    """Yield (apiVersion, kind) of every kind that gpuplan writes."""
    for kind in typing.get_args(kinds.KubeObject):
        fields = typing.get_type_hints(kind)
        yield typing.get_args(fields["apiVersion"])[0], typing.get_args(fields["kind"])[0]


def hand_written_files() -> set[str]:
    """Return the names of the schemas that no server makes."""
    return {file_name(api_version, kind) for api_version, kind in HAND_WRITTEN}


class Converter:
    """Turns schemas of one OpenAPI document into one self-contained draft-07 schema."""

    def __init__(self, components: Mapping[str, Schema], shared: Collection[str] = ()) -> None:
        self.components = components
        self.definitions: dict[str, Schema] = {}
        self.shared = shared
        """Names of definitions that stand in `read_kinds.SHARED_FILE`."""

    def root(self, name: str, api_version: str, kind: str) -> Schema:
        """Convert the schema of a kind."""
        schema = self.components[name]
        ours = {key: value for key, value in schema["properties"].items() if key not in ("metadata", "status")}
        made = self.convert({**schema, "properties": ours})
        made["properties"] |= {
            "apiVersion": {"const": api_version},
            "kind": {"const": kind},
            "metadata": self.metadata(),
        }
        made["required"] = sorted({"apiVersion", "kind", "metadata", *made.get("required", ())} - {"status"})
        return {"$schema": DRAFT, **made, "definitions": dict(sorted(self.definitions.items()))}

    def metadata(self) -> Schema:
        """Return the part of ObjectMeta that gpuplan may write."""
        strings: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
        text: Schema = {"type": "string", "minLength": 1}
        fields = {key: strings if key in ("annotations", "labels") else text for key in METADATA}
        return {"type": "object", "properties": fields, "required": ["name"], "additionalProperties": False}

    def convert(self, schema: Schema) -> Schema:
        """Convert one schema, with what it refers to as definitions."""
        if len(schema.get("allOf", ())) == 1 and "$ref" in schema["allOf"][0]:
            schema = schema["allOf"][0]
        if "$ref" in schema:
            return self.reference(schema["$ref"].rsplit("/", 1)[1])
        if schema.get("x-kubernetes-int-or-string"):
            return {"type": ["integer", "string"], **{key: schema[key] for key in ("pattern",) if key in schema}}
        made = _kept(schema)
        for word in ("oneOf", "anyOf", "allOf"):
            if word in schema:
                made[word] = [self.convert(side) for side in schema[word]]
        if "items" in schema:
            made["items"] = self.convert(schema["items"])
        if schema.get("type") == "object":
            made |= self.fields(schema)
        if schema.get("nullable") and isinstance(made.get("type"), str):
            made["type"] = [made["type"], "null"]
        return made

    def fields(self, schema: Schema) -> Schema:
        """Convert the fields of an object, and close it unless the API keeps unknown ones."""
        made: Schema = {}
        if "properties" in schema:
            made["properties"] = {key: self.convert(value) for key, value in sorted(schema["properties"].items())}
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict):
            made["additionalProperties"] = self.convert(extra)
        elif "properties" in schema and not schema.get("x-kubernetes-preserve-unknown-fields"):
            made["additionalProperties"] = False
        return made

    def reference(self, name: str) -> Schema:
        """Convert a named schema once and refer to it."""
        short = name.rsplit(".", 1)[-1]
        if short in self.shared:
            return {"$ref": f"{read_kinds.SHARED_FILE}#/definitions/{short}"}
        if short not in self.definitions:
            self.definitions[short] = {}
            self.definitions[short] = self.convert(self.components[name])
        return {"$ref": f"#/definitions/{short}"}


def _kept(schema: Schema) -> Schema:
    """Return the words of a schema that stay as they are."""
    made = {key: schema[key] for key in KEPT if key in schema}
    if schema.get("format") == BOUNDED:
        made["format"] = BOUNDED
    if GO_FLAG in made.get("pattern", ""):
        made["pattern"] = made["pattern"].replace(GO_FLAG, "").replace("a-z", "A-Za-z")
    return made


class Server:
    """The OpenAPI documents of a server, each asked for once."""

    def __init__(self, plane: ControlPlane) -> None:
        self._plane = plane
        self._documents: dict[str, Mapping[str, Schema]] = {}

    def schema(self, api_version: str, kind: str, shared: Collection[str] = ()) -> Schema:
        """Return the converted schema of a kind."""
        path = f"/openapi/v3/apis/{api_version}" if "/" in api_version else f"/openapi/v3/api/{api_version}"
        if path not in self._documents:
            self._documents[path] = self._plane.client.request("GET", path)["components"]["schemas"]
        group, _, version = api_version.rpartition("/")
        wanted = {"group": group, "kind": kind, "version": version}
        (name,) = [
            name
            for name, schema in self._documents[path].items()
            if wanted in schema.get("x-kubernetes-group-version-kind", ())
        ]
        return Converter(self._documents[path], shared).root(name, api_version, kind)


def schemas(plane: ControlPlane) -> Iterator[tuple[str, str]]:
    """Yield the file name and text of each kind's schema."""
    server = Server(plane)
    shared: Collection[str] = ()
    for api_version, kind in sorted(set(written_kinds()) - HAND_WRITTEN.keys()):
        schema = newer_fields.add((api_version, kind), server.schema(api_version, kind))
        for place, kept in NARROWED.get((api_version, kind), {}).items():
            narrow(schema, place, kept)
        if file_name(api_version, kind) == read_kinds.SHARED_FILE:
            shared = schema["definitions"].keys()
        yield file_name(api_version, kind), _text(schema)
    for api_version, kind in read_kinds.kinds():
        yield file_name(api_version, kind), _text(read_kinds.saved(server.schema(api_version, kind, shared)))


def _text(schema: Schema) -> str:
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def narrow(schema: Schema, place: tuple[str, ...], kept: tuple[str, ...]) -> None:
    """Drop all properties at a place but those that are kept."""
    for key in place:
        schema = schema["properties"][key]
        schema = schema.get("items", schema)
    schema["properties"] = {key: schema["properties"][key] for key in kept}


def main(*, check_only: bool) -> int:
    """Write the schemas, or tell whether they are fresh; returns the exit code."""
    with (
        tempfile.TemporaryDirectory(prefix="gpuplan-schemas-") as folder,
        ControlPlane(Path(folder) / "plane") as plane,
    ):
        plane.load_crds(*CRDS)
        wanted = dict(schemas(plane))
        facts = comparison_facts.text(comparison_facts.facts(plane.client))
    return max(write(wanted, check_only=check_only), write_facts(facts, check_only=check_only))


def write_facts(wanted: str, *, check_only: bool) -> int:
    """Bring the facts of `gpuplan.compare` to the wanted text, or tell whether they differ."""
    stale = not FACTS.is_file() or FACTS.read_text(encoding="utf-8") != wanted
    if stale and check_only:
        sys.stderr.write(f"{FACTS} is stale; run `make schemas`.\n")
    elif stale:
        FACTS.write_text(wanted, encoding="utf-8")
    return 1 if stale and check_only else 0


def write(wanted: Mapping[str, str], *, check_only: bool) -> int:
    """Bring the folder to the wanted files, or tell which differ."""
    present = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
    present = {name: text for name, text in present.items() if name not in hand_written_files()}
    stale = sorted(name for name in {*wanted, *present} if wanted.get(name) != present.get(name))
    for name in stale:
        if check_only:
            sys.stderr.write(f"{FOLDER / name} is stale; run `make schemas`.\n")
        elif name in wanted:
            FOLDER.mkdir(parents=True, exist_ok=True)
            (FOLDER / name).write_text(wanted[name], encoding="utf-8")
        else:
            (FOLDER / name).unlink()
    return 1 if stale and check_only else 0


if __name__ == "__main__":
    sys.exit(main(check_only="--check" in sys.argv[1:]))
