"""How Argo CD treats an object of a cluster, by its kind: the only place that decides it (docs/argocd.md).

Where a removal would hurt, a person confirms it, whether Argo CD prunes one object or deletes the whole Application. Argo CD
brings a sync to no end until that is done, so the rest is removed without asking: what a person would have to make again by
hand is asked for, what the next sync puts back is not.
"""

from __future__ import annotations

CONFIRMED = frozenset(
    {
        "ClusterPolicy",
        "ClusterQueue",
        "Cohort",
        "DeviceConfig",
        "NVIDIADriver",
        "Namespace",
        "PriorityClass",
        "ResourceFlavor",
        "Topology",
        "WorkloadPriorityClass",
    }
)
"""Kinds whose removal takes work or data along (Namespace), takes drivers off nodes (ClusterPolicy, DeviceConfig,
NVIDIADriver), or changes what waiting work is admitted to, against whom and when (the others)."""

FREELY_REMOVED = {
    "LocalQueue": "Kueue lets its admitted work run on, and what waits goes on when the queue is back",
    "PodDisruptionBudget": "left behind, it would hold up drains",
    "NodeFeatureRule": "left behind, it would go on labelling nodes; running pods do not mind labels that go",
    "NodeReadinessRule": "left behind, it would go on tainting nodes",
    "ValidatingAdmissionPolicy": "left behind, it would refuse work that the spec allows",
    "ValidatingAdmissionPolicyBinding": "left behind, it would refuse work that the spec allows",
    "DaemonSet": "two device plugins on a node would offer each card twice; running pods keep their cards",
    "Deployment": "the reclaimer, which may stop at any moment",
    "RuntimeClass": "running pods keep their runtime; where a pool moves to the operator, that makes its own",
    "DeviceClass": "claims that have devices keep them",
    "ResourceClaimTemplate": "claims that were made from it stay",
    "ResourceQuota": "it only lets critical pods in",
    "ConfigMap": "agents hold what they have read, and its next version has another name",
    "ClusterRole": "nothing runs by it that outlives its agent",
    "ClusterRoleBinding": "nothing runs by it that outlives its agent",
    "Role": "nothing runs by it that outlives its agent",
    "RoleBinding": "a right that the spec no longer gives must go",
    "Service": "Prometheus finds its targets again",
    "ServiceAccount": "nothing runs by it that outlives its agent",
    "PodMonitor": "what is not watched for a while has a gap, and nothing else",
    "ServiceMonitor": "what is not watched for a while has a gap, and nothing else",
    "PrometheusRule": "what is not watched for a while has a gap, and nothing else",
}
"""Every other kind that a cluster gets, and why nobody is asked before it goes."""

FOREIGN_GROUPS = frozenset(
    {"amd.com", "kueue.x-k8s.io", "monitoring.coreos.com", "nfd.k8s-sigs.io", "nvidia.com", "readiness.node.x-k8s.io"}
)
"""API groups whose CRDs other installations bring, maybe later than this: Argo CD tries such objects without a dry run."""

MADE_ANEW = frozenset({"NodeReadinessRule"})
"""Kinds that are never changed, but deleted and created: their controller refuses a change."""

_REPLACEABLE = "PriorityClass"
"""The kind that is made anew where the spec asks for it: Kubernetes refuses to change its value."""


def sync_options(group: str, kind: str, *, replace_priority_classes: bool) -> str:
    """Return the sync options of an object of a cluster, as its annotation has them; empty where it needs none.

    `group` is the API group, empty for Kubernetes' core.

    >>> sync_options("", "Namespace", replace_priority_classes=False)
    'Prune=confirm,Delete=confirm'
    """
    options = []
    if group in FOREIGN_GROUPS:
        options.append("SkipDryRunOnMissingResource=true")
    if kind in CONFIRMED:
        options += ["Prune=confirm", "Delete=confirm"]
    if kind in MADE_ANEW or (kind == _REPLACEABLE and replace_priority_classes):
        options += ["Force=true", "Replace=true"]
    return ",".join(options)
