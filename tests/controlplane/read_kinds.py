"""Kinds that gpuplan reads and does not write, for `gpuplan lint`: which they are, and their schemas.

They are made like those of the kinds that gpuplan writes, with two savings: what a Deployment has as well, the whole of a pod
above all, is referred to in its file, and within a custom resource what occurs again and again stands once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

Schema = dict[str, Any]

SHARED_FILE = "deployment-apps-v1.json"
POD_TEMPLATE = f"{SHARED_FILE}#/definitions/PodTemplateSpec"
SMALLEST_SHARED = 300
"""Characters from which on a part that occurs twice is worth a definition."""

KUEUE_V1BETA1 = (
    "AdmissionCheck",
    "ClusterQueue",
    "Cohort",
    "LocalQueue",
    "MultiKueueCluster",
    "MultiKueueConfig",
    "ProvisioningRequestConfig",
    "ResourceFlavor",
    "Topology",
    "WorkloadPriorityClass",
)
KINDS: Mapping[str, tuple[str, ...]] = {
    "apps/v1": ("ReplicaSet", "StatefulSet"),
    "autoscaling/v2": ("HorizontalPodAutoscaler",),
    "batch/v1": ("CronJob", "Job"),
    "jobset.x-k8s.io/v1alpha2": ("JobSet",),
    "karpenter.sh/v1": ("NodeClaim", "NodePool"),
    "kubeflow.org/v2beta1": ("MPIJob",),
    "kueue.x-k8s.io/v1beta1": KUEUE_V1BETA1,
    "kueue.x-k8s.io/v1beta2": (
        "AdmissionCheck",
        "MultiKueueCluster",
        "MultiKueueConfig",
        "ProvisioningRequestConfig",
    ),
    "leaderworkerset.x-k8s.io/v1": ("LeaderWorkerSet",),
    "monitoring.coreos.com/v1": ("Prometheus",),
    "resource.k8s.io/v1": ("ResourceClaim",),
    "v1": ("LimitRange", "Node", "PersistentVolumeClaim", "Pod", "Secret"),
}
"""By apiVersion. A Workload is left out: Kueue makes it, and its schema repeats that of a pod for each version."""


def kinds() -> Iterator[tuple[str, str]]:
    """Yield (apiVersion, kind) of each."""
    for api_version, names in KINDS.items():
        yield from ((api_version, name) for name in names)


def saved(schema: Schema) -> Schema:
    """Return a schema with pod templates as references to that of a Deployment, and what repeats as definitions."""
    made: Schema = _pods_shared(schema)
    counts = Counter(_text(part) for part in _parts(made))
    names: dict[str, str] = {}
    for text, count in counts.items():
        if count > 1 and len(text) >= SMALLEST_SHARED:
            names[text] = f"part{len(names) + 1}"
    if not names:
        return made
    definitions = {name: _named({**json.loads(text)}, names, top=True) for text, name in names.items()}
    root: Schema = _named(made, names, top=True)
    root["definitions"] = {**root.get("definitions", {}), **_used(root, definitions)}
    return root


def _text(part: Schema) -> str:
    return json.dumps(part, sort_keys=True, ensure_ascii=False)


def _parts(schema: Any) -> Iterator[Schema]:
    """Yield every schema of an object or a list inside a schema."""
    if isinstance(schema, dict):
        if schema.get("type") in ("object", "array"):
            yield schema
        for value in schema.values():
            yield from _parts(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _parts(value)


def _pods_shared(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_pods_shared(value) for value in schema]
    if not isinstance(schema, dict):
        return schema
    if _is_pod_template(schema):
        return {"$ref": POD_TEMPLATE}
    return {key: _pods_shared(value) for key, value in schema.items()}


def _is_pod_template(schema: Schema) -> bool:
    fields = schema.get("properties")
    if not isinstance(fields, dict) or set(fields) != {"metadata", "spec"}:
        return False
    spec = fields["spec"]
    return "containers" in spec.get("properties", ()) and "restartPolicy" in spec.get("properties", ())


def _named(part: Any, names: Mapping[str, str], *, top: bool = False) -> Any:
    """Replace what has a name by a reference to it, from the outside in."""
    if isinstance(part, list):
        return [_named(value, names) for value in part]
    if not isinstance(part, dict):
        return part
    if not top and part.get("type") in ("object", "array") and (name := names.get(_text(part))):
        return {"$ref": f"#/definitions/{name}"}
    return {key: _named(value, names) for key, value in part.items()}


def _used(root: Schema, definitions: Mapping[str, Schema]) -> dict[str, Schema]:
    """Return the definitions that are referred to from the root, by way of others too."""
    used: dict[str, Schema] = {}
    todo = [root]
    while todo:
        text = json.dumps(todo.pop())
        for name, schema in definitions.items():
            if name not in used and f'"#/definitions/{name}"' in text:
                used[name] = schema
                todo.append(schema)
    return dict(sorted(used.items()))
