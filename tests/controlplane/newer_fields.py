"""Fields that we write and the CRDs of the module cache lack: their schemas, by hand, versioned by the catalogue.

The newest GPU Operator that the module proxy serves is of September 2025 (25.3). `catalog/operator` says since which line
each field is accepted, and emitters leave it out for older ones; here stands its shape, as its pull request has it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpuplan.catalog import operator
from gpuplan.versions import required

CRD_LINE = required("25.3")
"""The release line of the CRDs in the module cache."""
POLICY = ("nvidia.com/v1", "ClusterPolicy")
DRIVER = ("nvidia.com/v1alpha1", "NVIDIADriver")

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewerField:
    """One field of a kind, its name in the catalogue, and its draft-07 schema."""

    kind: tuple[str, str]
    path: tuple[str, ...]
    name: str
    schema: Schema


def _closed(**fields: Schema) -> Schema:
    return {"type": "object", "properties": dict(sorted(fields.items())), "additionalProperties": False}


FLAG: Schema = {"type": "boolean"}
SECONDS: Schema = {"type": "integer", "minimum": 0}
TEXT: Schema = {"type": "string"}

NEWER_FIELDS = (
    NewerField(
        kind=POLICY,
        path=("spec", "cdi", "nriPluginEnabled"),
        name=operator.NRI_PLUGIN,
        schema=FLAG,
    ),
    NewerField(
        kind=POLICY,
        path=("spec", "dcgmExporter", "hostPID"),
        name=operator.EXPORTER_HOST_PID,
        schema=FLAG,
    ),
    NewerField(
        kind=DRIVER,
        path=("spec", "upgradePolicy"),
        name=operator.DRIVER_UPGRADE_POLICY,
        schema=_closed(
            autoUpgrade=FLAG,
            drain=_closed(deleteEmptyDir=FLAG, enable=FLAG, force=FLAG, podSelector=TEXT, timeoutSeconds=SECONDS),
            maxParallelUpgrades=SECONDS,
            maxUnavailable={"type": ["integer", "string"]},
            podDeletion=_closed(deleteEmptyDir=FLAG, force=FLAG, timeoutSeconds=SECONDS),
            waitForCompletion=_closed(podSelector=TEXT, timeoutSeconds=SECONDS),
        ),
    ),
)


def add(kind: tuple[str, str], schema: Schema) -> Schema:
    """Return the schema of a kind with the newer fields in it. A field that the server knows by now raises ValueError."""
    for field in NEWER_FIELDS:
        if field.kind == kind:
            *folders, last = field.path
            inner = schema
            for folder in folders:
                inner = inner["properties"][folder]
            if last in inner["properties"]:
                raise ValueError(f"the CRD has {field.name}: take it off the list")
            inner["properties"] = dict(sorted({**inner["properties"], last: field.schema}.items()))
    return schema


def without(obj: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object as the CRDs of the module cache know it: without the newer fields, which the server would drop."""
    made: dict[str, Any] = copy.deepcopy({**obj})
    for field in NEWER_FIELDS:
        if field.kind == (obj["apiVersion"], obj["kind"]):
            *folders, last = field.path
            inner = made
            for folder in folders:
                inner = inner.get(folder, {})
            inner.pop(last, None)
    return made
