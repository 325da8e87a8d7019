"""CRDs made of the schemas that are written by hand, so that a real server judges kinds whose CRD no module ships.

Such a server knows the fields and types that we know of, and none of the project's defaults, webhooks or rules in CEL.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from gpuplan.manifests import kinds
from gpuplan.manifests.kinds.meta import NamespacedMeta
from gpuplan.validate.schemas import file_name, folder

NAME = "hand-written"
"""How `ControlPlane.load_crds` knows these CRDs."""
HAND_WRITTEN: Mapping[tuple[str, str], str] = {
    (
        "amd.com/v1alpha1",
        "DeviceConfig",
    ): "the module proxy does not serve ROCm/gpu-operator; fields of its release 1.5, read 2026-11-30",
    (
        "readiness.node.x-k8s.io/v1alpha1",
        "NodeReadinessRule",
    ): "the module proxy does not serve sigs.k8s.io/node-readiness-controller; fields of its CRD of 2026-11, read 2026-11-30",
}
"""Kinds with a schema written by hand, and why."""

Schema = dict[str, Any]


def crd_documents() -> Sequence[bytes]:
    """Return the CRDs as documents that the server reads (JSON is YAML)."""
    return [json.dumps(_crd(api_version, kind)).encode() for api_version, kind in HAND_WRITTEN]


def _crd(api_version: str, kind: str) -> Schema:
    group, _, version = api_version.rpartition("/")
    schema = json.loads((folder() / file_name(api_version, kind)).read_text(encoding="utf-8"))
    plural = f"{kind.lower()}s"
    metadata = typing.get_type_hints(getattr(kinds, kind))["metadata"]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()},
            "scope": "Namespaced" if metadata is NamespacedMeta else "Cluster",
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": _root(schema)},
                }
            ],
        },
    }


def _root(schema: Schema) -> Schema:
    spec = _structural(schema["properties"]["spec"], schema.get("definitions", {}))
    plain: Schema = {"type": "string"}
    properties = {"apiVersion": plain, "kind": plain, "metadata": {"type": "object"}, "spec": spec}
    return {"type": "object", "properties": properties, "required": ["spec"]}


def _structural(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """Turn a draft-07 schema into what a CRD may hold: no references, no closed objects, no lists of types."""
    if "$ref" in schema:
        return _structural(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if schema.get("type") == ["integer", "string"]:
        return {"x-kubernetes-int-or-string": True}
    made = {key: value for key, value in schema.items() if key not in ("additionalProperties", "properties", "items")}
    if "properties" in schema:
        made["properties"] = {key: _structural(part, definitions) for key, part in schema["properties"].items()}
    if isinstance(schema.get("additionalProperties"), dict):
        made["additionalProperties"] = _structural(schema["additionalProperties"], definitions)
    if "items" in schema:
        made["items"] = _structural(schema["items"], definitions)
    return made
