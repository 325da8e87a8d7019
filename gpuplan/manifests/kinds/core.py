"""core/v1: Namespace, ConfigMap, ServiceAccount, Service, ResourceQuota."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from gpuplan.manifests.kinds.meta import LocalObjectReference, NamespacedMeta, ObjectMeta, StringMap


class Namespace(TypedDict):
    """core/v1 Namespace."""

    apiVersion: Literal["v1"]
    kind: Literal["Namespace"]
    metadata: ObjectMeta


class ConfigMap(TypedDict):
    """core/v1 ConfigMap."""

    apiVersion: Literal["v1"]
    kind: Literal["ConfigMap"]
    metadata: NamespacedMeta
    immutable: NotRequired[Literal[True]]
    data: StringMap


class ServiceAccount(TypedDict):
    """core/v1 ServiceAccount."""

    apiVersion: Literal["v1"]
    kind: Literal["ServiceAccount"]
    metadata: NamespacedMeta
    automountServiceAccountToken: NotRequired[bool]
    imagePullSecrets: NotRequired[list[LocalObjectReference]]


class ServicePort(TypedDict):
    """A port of a Service."""

    name: str
    port: int
    protocol: Literal["TCP", "UDP"]
    targetPort: int | str


class ServiceSpec(TypedDict):
    """A Service without external exposure. `clusterIP` is `None` for a headless one, else left to the server.

    `ipFamilies` is left to the server too: whether it is IPv4 or IPv6 depends on the cluster's network.
    """

    clusterIP: NotRequired[Literal["None"]]
    internalTrafficPolicy: Literal["Cluster", "Local"]
    ipFamilyPolicy: Literal["SingleStack"]
    ports: list[ServicePort]
    selector: StringMap
    sessionAffinity: Literal["None", "ClientIP"]
    type: Literal["ClusterIP"]


class Service(TypedDict):
    """core/v1 Service."""

    apiVersion: Literal["v1"]
    kind: Literal["Service"]
    metadata: NamespacedMeta
    spec: ServiceSpec


class ScopedSelectorRequirement(TypedDict):
    """One scope of a ResourceQuota, such as the priority classes it counts."""

    scopeName: Literal["PriorityClass", "BestEffort", "NotBestEffort", "Terminating", "NotTerminating"]
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    values: NotRequired[list[str]]


class ScopeSelector(TypedDict):
    """The scopes of a ResourceQuota."""

    matchExpressions: list[ScopedSelectorRequirement]


class ResourceQuotaSpec(TypedDict):
    """Hard limits as canonical quantities, by resource name (`requests.nvidia.com/gpu`)."""

    hard: StringMap
    scopeSelector: NotRequired[ScopeSelector]


class ResourceQuota(TypedDict):
    """core/v1 ResourceQuota."""

    apiVersion: Literal["v1"]
    kind: Literal["ResourceQuota"]
    metadata: NamespacedMeta
    spec: ResourceQuotaSpec
