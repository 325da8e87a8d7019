"""What the API's documentation says of fields and no schema knows: whether the order of a list has a meaning.

The server keeps the order of every list, so it cannot be asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    "NodeReadinessRule.spec.conditions": {**FREE, "keys": [["type"]]},
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
            "configManagerTolerations",
            "devicePluginTolerations",
            "nodeLabellerTolerations",
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
DEFAULTS = {"Toleration.operator": "Equal", "ResourceFlavor.spec.tolerations.operator": "Equal"}
"""Values that their readers take where there is none, and that the server does not fill in."""
METADATA: Mapping[str, Any] = {
    "fields": {
        "annotations": {"default": {}},
        "finalizers": FREE,
        "labels": {"default": {}},
        "ownerReferences": {**FREE, "keys": [["uid"]]},
    }
}
"""ObjectMeta, as far as people write it. Empty maps of labels are not kept by the server."""
