"""Defaults that a real API server fills into native objects and that its OpenAPI does not name: asked by applying probes.

Each probe is an object as bare as the server takes it. What it holds after a dry run and did not before is a default,
unless the server makes it up from other fields or for each object (`NOT_FIXED`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.controlplane.client import Client

Object = Mapping[str, Any]
Path = tuple[str | int, ...]

NOT_FIXED = frozenset(
    (
        "clusterIP",
        "clusterIPs",
        "completions",  # of Jobs: by parallelism
        "imagePullPolicy",  # by the image's tag
        "ipFamilies",  # by the cluster
        "ipFamilyPolicy",
        "metadata",
        "policyTypes",  # of NetworkPolicies: by the rules
        "selector",  # of Jobs: by their uid
        "status",
        "targetPort",  # the port
    )
)
"""Fields that the server fills from other fields, or anew for each object."""

HTTP = {"httpGet": {"port": 80}}
CONTAINER = {
    "name": "a",
    "image": "a",
    "ports": [{"containerPort": 80}],
    "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
    "lifecycle": {"preStop": HTTP},
    "securityContext": {},
    "resources": {},
    "livenessProbe": HTTP,
    "readinessProbe": {"grpc": {"port": 80}},
    "startupProbe": {"exec": {"command": ["a"]}},
}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
SOURCES = {
    "configMap": {"name": "a"},
    "secret": {"secretName": "a"},
    "downwardAPI": {"items": [{"path": "a", "fieldRef": {"fieldPath": "metadata.name"}}]},
    "projected": {"sources": [{"serviceAccountToken": {"path": "a"}}]},
    "hostPath": {"path": "/a"},
    "emptyDir": {},
    "ephemeral": {"volumeClaimTemplate": {"spec": CLAIM}},
}
POD = {
    "containers": [CONTAINER],
    "initContainers": [{"name": "b", "image": "a"}],
    "volumes": [{"name": name.lower(), name: source} for name, source in SOURCES.items()],
    "tolerations": [{"key": "a"}],
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "DoNotSchedule"}],
    "affinity": {},
}
LABELS = {"a": "b"}
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": POD}
ROLLED_OUT = {"selector": {"matchLabels": LABELS}, "template": TEMPLATE}
JOB = {"template": {"spec": {**POD, "restartPolicy": "Never"}}}
POLICY = {
    "validations": [{"expression": "true"}],
    "matchConstraints": {
        "resourceRules": [{"apiGroups": ["a"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["a"]}]
    },
}
DEVICES = {"requests": [{"name": "a", "exactly": {"deviceClassName": "a", "tolerations": [{"key": "a"}]}}]}


def _probe(api_version: str, kind: str, *, namespaced: bool = True, **fields: Any) -> Object:
    metadata = {"name": "probe", **({"namespace": "default"} if namespaced else {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


PROBES = (
    _probe("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", namespaced=False, spec=POLICY),
    _probe(
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicyBinding",
        namespaced=False,
        spec={
            "policyName": "a",
            "validationActions": ["Deny"],
            "matchResources": POLICY["matchConstraints"],
        },
    ),
    _probe("apps/v1", "DaemonSet", spec=ROLLED_OUT),
    _probe("apps/v1", "DaemonSet", spec={**ROLLED_OUT, "updateStrategy": {"rollingUpdate": {}}}),
    _probe("apps/v1", "Deployment", spec=ROLLED_OUT),
    _probe("apps/v1", "Deployment", spec={**ROLLED_OUT, "strategy": {"rollingUpdate": {}}}),
    _probe("apps/v1", "StatefulSet", spec={**ROLLED_OUT, "serviceName": "a"}),
    _probe("batch/v1", "CronJob", spec={"schedule": "1 1 1 1 1", "jobTemplate": {"spec": JOB}}),
    _probe("batch/v1", "Job", spec=JOB),
    _probe("networking.k8s.io/v1", "NetworkPolicy", spec={"podSelector": {}, "ingress": [{"ports": [{"port": 80}]}]}),
    _probe("node.k8s.io/v1", "RuntimeClass", namespaced=False, handler="a", scheduling={}),
    _probe("policy/v1", "PodDisruptionBudget", spec={"selector": {"matchLabels": LABELS}, "minAvailable": 1}),
    _probe("resource.k8s.io/v1", "ResourceClaimTemplate", spec={"spec": {"devices": DEVICES}}),
    _probe("scheduling.k8s.io/v1", "PriorityClass", namespaced=False, value=1),
    _probe("v1", "PersistentVolumeClaim", spec=CLAIM),
    _probe("v1", "Secret"),
    _probe("v1", "Service", spec={"selector": LABELS, "ports": [{"port": 80}]}),
    _probe("v1", "ServiceAccount"),
)


def defaults(client: Client) -> Iterator[tuple[str, Path, object]]:
    """Yield (kind, path, value) of each default that the server fills in; an item of a list is the number 0."""
    for probe in PROBES:
        answer = client.apply(probe, dry_run=True)
        for path, value in _added((), probe, answer):
            yield probe["kind"], path, value


def _added(path: Path, sent: object, got: object) -> Iterator[tuple[Path, object]]:
    """Yield what came to a value; a map that came is empty, and what it holds came to it."""
    if isinstance(sent, Mapping) and isinstance(got, Mapping):
        for key in sorted(got.keys() - NOT_FIXED):
            if key not in sent:
                yield (*path, key), {} if isinstance(got[key], Mapping) else got[key]
            yield from _added((*path, key), sent.get(key, {}), got[key])
    elif isinstance(sent, list) and isinstance(got, list):
        for before, after in zip(sent, got, strict=True):
            yield from _added((*path, 0), before, after)
