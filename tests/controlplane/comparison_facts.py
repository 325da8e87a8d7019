"""`gpuplan/compare/data/fields.json`: what decides whether two values of a field are the same, from a real API server.

Keys of lists, quantities and defaults come from the server's OpenAPI. Whether the order of a list has a meaning is known to
no schema: the server keeps the order of every list. `LISTS` says it, by the meaning that the API's documentation gives.
"""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gpuplan.manifests import kinds
from tests.controlplane.client import Client
from tests.controlplane.handwritten import HAND_WRITTEN

FILE = Path("gpuplan/compare/data/fields.json")
FORMAT_VERSION = 1
ALSO = (
    ("apps/v1", "StatefulSet"),
    ("batch/v1", "CronJob"),
    ("batch/v1", "Job"),
    ("kueue.x-k8s.io/v1beta2", "AdmissionCheck"),
    ("networking.k8s.io/v1", "NetworkPolicy"),
    ("v1", "LimitRange"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "Pod"),
    ("v1", "Secret"),
)
"""Kinds that gpuplan does not write and that trees of others hold."""

FREE = {"order": "free"}
RBAC_RULES = {**FREE, "keys": [["apiGroups?", "resources?", "resourceNames?", "nonResourceURLs?"]]}
LISTS: Mapping[str, Mapping[str, Any]] = {
    # Each is a reason of its own: any of a set, all of a set, or independent of the others.
    "Role.rules": RBAC_RULES,
    "ClusterRole.rules": RBAC_RULES,
    "subjects": {**FREE, "keys": [["kind", "namespace?", "name"]]},
    "matchExpressions": {**FREE, "keys": [["key"], ["key", "operator"]]},
    "matchFields": {**FREE, "keys": [["key"], ["key", "operator"]]},
    "env": {"order": "expanded", "keys": [["name"]]},
    "containers": {"order": "kept"},
    "initContainers": {"order": "kept"},
    "resourceGroups.flavors": {"order": "kept"},
    "resourceGroups.flavors.resources": {"order": "kept"},
    "Topology.spec.levels": {"order": "kept", "keys": [["nodeLabel"]]},
    "ValidatingAdmissionPolicySpec.variables": {"order": "kept"},
    "PrometheusRule.spec.groups.rules": {
        "order": "kept",
        "keys": [["alert|record"], ["alert|record", "labels"], ["alert|record", "labels", "expr"]],
    },
    "ServiceMonitor.spec.endpoints": {**FREE, "keys": [["port|targetPort"], ["port|targetPort", "path"]]},
    "podMetricsEndpoints": {**FREE, "keys": [["port|targetPort"], ["port|targetPort", "path"]]},
    "AppProject.spec.destinations": {**FREE, "keys": [["name?", "server?", "namespace?"]]},
    "ignoreDifferences": {**FREE, "keys": [["group?", "kind?", "namespace?", "name?"]]},
    "NodeFeatureRule.spec.rules.matchAny.matchFeatures": {**FREE, "keys": [["feature"]]},
    "NodeFeatureRule.spec.rules.matchFeatures": {**FREE, "keys": [["feature"]]},
    **dict.fromkeys(
        (
            "PolicyRule.apiGroups",
            "PolicyRule.nonResourceURLs",
            "PolicyRule.resourceNames",
            "PolicyRule.resources",
            "PolicyRule.verbs",
            "NamedRuleWithOperations.apiGroups",
            "NamedRuleWithOperations.apiVersions",
            "NamedRuleWithOperations.operations",
            "NamedRuleWithOperations.resourceNames",
            "NamedRuleWithOperations.resources",
            "resourceRules",
            "excludeResourceRules",
            "auditAnnotations",
            "matchExpressions.values",
            "LabelSelectorRequirement.values",
            "NodeSelectorRequirement.values",
            "ScopedResourceSelectorRequirement.values",
            "nodeSelectorTerms",
            "requiredDuringSchedulingIgnoredDuringExecution",
            "preferredDuringSchedulingIgnoredDuringExecution",
            "PodAffinityTerm.namespaces",
            "PodAffinityTerm.matchLabelKeys",
            "PodAffinityTerm.mismatchLabelKeys",
            "TopologySpreadConstraint.matchLabelKeys",
            "tolerations",
            "nodeTaints",
            "taints",
            "imagePullSecrets",
            "Capabilities.add",
            "Capabilities.drop",
            "supplementalGroups",
            "sysctls",
            "accessModes",
            "ConfigMapVolumeSource.items",
            "SecretVolumeSource.items",
            "DownwardAPIVolumeSource.items",
            "ConfigMapProjection.items",
            "SecretProjection.items",
            "DownwardAPIProjection.items",
            "NamespaceSpec.finalizers",
            "scopes",
            "externalIPs",
            "loadBalancerSourceRanges",
            "ServiceSpec.clusterIPs",
            "clusterRoleSelectors",
            "DeviceClassSpec.selectors",
            "ExactDeviceRequest.selectors",
            "DeviceSubRequest.selectors",
            "targetLabels",
            "podTargetLabels",
            "matchNames",
            "PrometheusRule.spec.groups",
            "AppProject.spec.clusterResourceBlacklist",
            "AppProject.spec.clusterResourceWhitelist",
            "AppProject.spec.namespaceResourceBlacklist",
            "AppProject.spec.namespaceResourceWhitelist",
            "AppProject.spec.roles",
            "AppProject.spec.roles.groups",
            "AppProject.spec.roles.policies",
            "AppProject.spec.sourceNamespaces",
            "AppProject.spec.sourceRepos",
            "AppProject.spec.syncWindows",
            "AppProject.spec.syncWindows.applications",
            "AppProject.spec.syncWindows.clusters",
            "AppProject.spec.syncWindows.namespaces",
            "orphanedResources.ignore",
            "ignoreDifferences.jqPathExpressions",
            "ignoreDifferences.jsonPointers",
            "ignoreDifferences.managedFieldsManagers",
            "syncPolicy.syncOptions",
            "Application.spec.info",
            "NodeFeatureRule.spec.rules.matchAny",
            "matchExpressions.*.value",
            "matchName.value",
            "NetworkPolicySpec.ingress",
            "NetworkPolicySpec.egress",
            "NetworkPolicySpec.policyTypes",
            "NetworkPolicyIngressRule.from",
            "NetworkPolicyIngressRule.ports",
            "NetworkPolicyEgressRule.to",
            "NetworkPolicyEgressRule.ports",
        ),
        FREE,
    ),
}
"""Facts of lists by the end of their path, from a kind or a named type on; the longest end that fits holds.

Lists that are maps by their schema, and sets, have no order unless it is said here; all others keep theirs.
"""

DOCUMENTS = ("ConfigMap.data.*", "helm.values")
"""Texts that may be documents, by the end of their path."""
METADATA: Mapping[str, Any] = {
    "fields": {
        "annotations": {"default": {}},
        "finalizers": FREE,
        "labels": {"default": {}},
        "ownerReferences": {**FREE, "keys": [["uid"]]},
    }
}
"""ObjectMeta, as far as people write it. Empty maps of labels are not kept by the server."""

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
        """Entries of `LISTS` and `DOCUMENTS` that some field fits."""

    def kind(self, schema: Schema, kind: str) -> Node:
        """Return the node of a kind."""
        fields = {key: value for key, value in schema["properties"].items() if key not in ("metadata", "status")}
        made = self.node({**schema, "properties": fields}, kind)
        return {"fields": dict(sorted({**made.get("fields", {}), "metadata": {"is": "Metadata"}}.items()))}

    def node(self, schema: Schema, path: str) -> Node:
        """Return what there is to know of one field."""
        made: Node = {}
        if len(schema.get("allOf", ())) == 1 and "$ref" in schema["allOf"][0]:
            made, schema = self.default(schema), schema["allOf"][0]
        if "$ref" in schema:
            return {**self.reference(schema["$ref"].rsplit("/", 1)[1]), **made}
        made = self.default(schema) | self.scalar(schema)
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

    def default(self, schema: Schema) -> Node:
        """Return the default; the empty text of a Go string that is not given is none."""
        return {"default": schema["default"]} if schema.get("default", "") != "" else {}

    def scalar(self, schema: Schema) -> Node:
        """Return whether a value is a quantity, or a number that may be a text."""
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
        node = self.types[short]
        return {"is": short} if node.keys() & {"fields", "items", "values"} else node


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
    if unused := {*LISTS, *DOCUMENTS} - used:
        raise ValueError(f"no field fits {', '.join(sorted(unused))}")
    return {"formatVersion": FORMAT_VERSION, "kinds": known, "types": _reached(types, known.values())}


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
