"""A TypedDict for each kind of object that gpuplan writes, so that an emitter reads like the YAML it makes.

The kinds stand here; their parts (`Container`, `Toleration`, `PolicyRule`) are imported from the module of the API
group. `meta` says which keys are required and why.
"""

from __future__ import annotations

from gpuplan.manifests.kinds.admission import ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding
from gpuplan.manifests.kinds.amd import DeviceConfig
from gpuplan.manifests.kinds.argocd import Application, ApplicationSet, AppProject
from gpuplan.manifests.kinds.core import ConfigMap, Namespace, ResourceQuota, Service, ServiceAccount
from gpuplan.manifests.kinds.dra import DeviceClass, ResourceClaimTemplate
from gpuplan.manifests.kinds.gpu_operator import ClusterPolicy, NVIDIADriver
from gpuplan.manifests.kinds.kueue import (
    ClusterQueue,
    Cohort,
    LocalQueue,
    ResourceFlavor,
    Topology,
    WorkloadPriorityClass,
)
from gpuplan.manifests.kinds.monitoring import PodMonitor, PrometheusRule, ServiceMonitor
from gpuplan.manifests.kinds.nfd import NodeFeatureRule
from gpuplan.manifests.kinds.policy import PodDisruptionBudget
from gpuplan.manifests.kinds.rbac import ClusterRole, ClusterRoleBinding, Role, RoleBinding
from gpuplan.manifests.kinds.readiness import NodeReadinessRule
from gpuplan.manifests.kinds.workload import DaemonSet, Deployment, PriorityClass, RuntimeClass

KubeObject = (
    AppProject
    | Application
    | ApplicationSet
    | ClusterPolicy
    | ClusterQueue
    | ClusterRole
    | ClusterRoleBinding
    | Cohort
    | ConfigMap
    | DaemonSet
    | Deployment
    | DeviceClass
    | DeviceConfig
    | LocalQueue
    | NVIDIADriver
    | Namespace
    | NodeFeatureRule
    | NodeReadinessRule
    | PodDisruptionBudget
    | PodMonitor
    | PriorityClass
    | PrometheusRule
    | ResourceClaimTemplate
    | ResourceFlavor
    | ResourceQuota
    | Role
    | RoleBinding
    | RuntimeClass
    | Service
    | ServiceAccount
    | ServiceMonitor
    | Topology
    | ValidatingAdmissionPolicy
    | ValidatingAdmissionPolicyBinding
    | WorkloadPriorityClass
)
"""Any object that gpuplan writes."""

__all__ = [
    "AppProject",
    "Application",
    "ApplicationSet",
    "ClusterPolicy",
    "ClusterQueue",
    "ClusterRole",
    "ClusterRoleBinding",
    "Cohort",
    "ConfigMap",
    "DaemonSet",
    "Deployment",
    "DeviceClass",
    "DeviceConfig",
    "KubeObject",
    "LocalQueue",
    "NVIDIADriver",
    "Namespace",
    "NodeFeatureRule",
    "NodeReadinessRule",
    "PodDisruptionBudget",
    "PodMonitor",
    "PriorityClass",
    "PrometheusRule",
    "ResourceClaimTemplate",
    "ResourceFlavor",
    "ResourceQuota",
    "Role",
    "RoleBinding",
    "RuntimeClass",
    "Service",
    "ServiceAccount",
    "ServiceMonitor",
    "Topology",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "WorkloadPriorityClass",
]
