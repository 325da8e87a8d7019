"""monitoring.coreos.com/v1 of the Prometheus operator: ServiceMonitor, PodMonitor and PrometheusRule."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from gpuplan.manifests.kinds.meta import LabelSelector, NamespacedMeta, StringMap


class RelabelConfig(TypedDict):
    """One relabelling step; the regular expression is anchored at both ends."""

    sourceLabels: NotRequired[list[str]]
    separator: NotRequired[str]
    regex: NotRequired[str]
    targetLabel: NotRequired[str]
    replacement: NotRequired[str]
    action: Literal["replace", "keep", "drop", "labelmap", "labeldrop", "labelkeep"]


class TLSConfig(TypedDict):
    """How to trust an HTTPS endpoint."""

    insecureSkipVerify: NotRequired[bool]
    serverName: NotRequired[str]


class Endpoint(TypedDict):
    """A port to scrape, by its name in the Service or its number in the pod. Durations as Prometheus writes them (`15s`)."""

    port: NotRequired[str]
    targetPort: NotRequired[int]
    path: NotRequired[str]
    scheme: NotRequired[Literal["http", "https"]]
    interval: NotRequired[str]
    scrapeTimeout: NotRequired[str]
    honorLabels: NotRequired[bool]
    bearerTokenFile: NotRequired[str]
    tlsConfig: NotRequired[TLSConfig]
    relabelings: NotRequired[list[RelabelConfig]]
    metricRelabelings: NotRequired[list[RelabelConfig]]


class NamespaceSelector(TypedDict):
    """The namespaces of the Services; left out, it is the monitor's own."""

    any: NotRequired[bool]
    matchNames: NotRequired[list[str]]


class AttachMetadata(TypedDict):
    """Whether relabelling sees the labels of a target's node; Prometheus must be allowed to list and watch nodes."""

    node: bool


class ServiceMonitorSpec(TypedDict):
    """Which Services are scraped, and how."""

    attachMetadata: NotRequired[AttachMetadata]
    endpoints: list[Endpoint]
    jobLabel: NotRequired[str]
    namespaceSelector: NotRequired[NamespaceSelector]
    selector: LabelSelector


class ServiceMonitor(TypedDict):
    """monitoring.coreos.com/v1 ServiceMonitor."""

    apiVersion: Literal["monitoring.coreos.com/v1"]
    kind: Literal["ServiceMonitor"]
    metadata: NamespacedMeta
    spec: ServiceMonitorSpec


class PodEndpoint(TypedDict):
    """How a pod is scraped. Without a port every one that a container declares is a target, before relabelling."""

    path: NotRequired[str]
    scheme: NotRequired[Literal["http", "https"]]
    interval: NotRequired[str]
    scrapeTimeout: NotRequired[str]
    honorLabels: NotRequired[bool]
    relabelings: NotRequired[list[RelabelConfig]]


class PodMonitorSpec(TypedDict):
    """Which pods are scraped, and how."""

    namespaceSelector: NotRequired[NamespaceSelector]
    podMetricsEndpoints: list[PodEndpoint]
    selector: LabelSelector


class PodMonitor(TypedDict):
    """monitoring.coreos.com/v1 PodMonitor."""

    apiVersion: Literal["monitoring.coreos.com/v1"]
    kind: Literal["PodMonitor"]
    metadata: NamespacedMeta
    spec: PodMonitorSpec


AlertingRule = TypedDict(
    "AlertingRule",
    {
        "alert": str,
        "expr": str,
        "for": NotRequired[str],
        "keep_firing_for": NotRequired[str],
        "labels": NotRequired[StringMap],
        "annotations": NotRequired[StringMap],
    },
)
"""An alert. `for` is a Python keyword, hence the functional form."""


class RecordingRule(TypedDict):
    """A series computed ahead."""

    record: str
    expr: str
    labels: NotRequired[StringMap]


class RuleGroup(TypedDict):
    """Rules that are evaluated together, in order."""

    name: str
    interval: NotRequired[str]
    rules: list[AlertingRule | RecordingRule]


class PrometheusRuleSpec(TypedDict):
    """Groups, unique by name."""

    groups: list[RuleGroup]


class PrometheusRule(TypedDict):
    """monitoring.coreos.com/v1 PrometheusRule."""

    apiVersion: Literal["monitoring.coreos.com/v1"]
    kind: Literal["PrometheusRule"]
    metadata: NamespacedMeta
    spec: PrometheusRuleSpec
