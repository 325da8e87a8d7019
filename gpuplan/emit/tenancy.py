"""Namespaces, and who may do what in those of the teams.

The rights of a team are one ClusterRole that RoleBindings give in its namespaces: a reviewer reads one object, and it
grants nothing outside the namespaces that bind it. It holds what running work needs here and no more:
- the workload kinds that some task pool of the cluster runs; others would end in the guard rails anyway;
- pods, logs and events to look at, and pods to delete where they hang;
- no Secrets: whoever starts a pod can mount them, nobody has to list them;
- no `exec`: it changes running work without a trace in the queue. Bind a Role of your own where people debug that way;
- queues and workloads to read, never to write: a forged Workload would carry any priority. Where idle work is suspended,
  Workloads to delete as well: Kueue makes them anew, and so a team gets its work back.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.emit import amd
from gpuplan.emit.base import NAMESPACES, TENANCY, manifest, metadata, namespaced
from gpuplan.emit.workloads import WORKLOADS
from gpuplan.manifests.kinds import ClusterRole, Namespace, ResourceQuota, RoleBinding
from gpuplan.manifests.kinds.meta import StringMap
from gpuplan.manifests.kinds.rbac import PolicyRule, Subject
from gpuplan.manifests.set import Manifest
from gpuplan.model.claims import claimable
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.queues import Team
from gpuplan.model.reclaim import ReclaimMode

READ = ["get", "list", "watch"]
MANAGE = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
UNLIMITED_PODS = "1G"
"""A ResourceQuota's `pods` that no cluster reaches: the quota is there to exist, not to limit."""


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the namespaces of the platform and the teams, and the teams' rights."""
    for name in _agent_namespaces(cluster):
        yield manifest(fleet, cluster, NAMESPACES, _agent_namespace(name), cluster.path)
        if cluster.distribution == "gke":
            yield manifest(fleet, cluster, TENANCY, _critical_pods_quota(name), cluster.path)
    for team in cluster.teams:
        for name in team.namespaces:
            made = _team_namespace(name, team, fleet.governance.pod_security)
            yield manifest(fleet, cluster, NAMESPACES, made, team.path, fleet.governance.path)
    yield from _rights(fleet, cluster)


def _rights(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the role of team members, and where it is bound; nothing where no team names a group."""
    teams = [team for team in cluster.teams if team.groups]
    if teams:
        paths = [cohort.task_pool.path for cohort in cluster.cohorts]
        yield manifest(fleet, cluster, TENANCY, _team_role(fleet, cluster), cluster.path, *paths)
    for team in teams:
        for namespace in team.namespaces:
            yield manifest(fleet, cluster, TENANCY, _team_binding(namespace, team), team.path)


def _pod_security(enforce: str, audit: str) -> StringMap:
    return {
        f"{conventions.POD_SECURITY}/enforce": enforce,
        f"{conventions.POD_SECURITY}/audit": audit,
        f"{conventions.POD_SECURITY}/warn": audit,
    }


def _agent_namespaces(cluster: Cluster) -> tuple[str, ...]:
    """Return the namespaces of node agents: ours, and those of the GPU Operator and of AMD's where they are there."""
    nvidia = (cluster.gpu_operator.namespace,) if cluster.has_operator else ()
    others = (amd.namespace(cluster),) if amd.operator_pools(cluster) else ()
    return (conventions.SYSTEM_NAMESPACE, *nvidia, *others)


def _agent_namespace(name: str) -> Namespace:
    """Return a namespace of node agents: device access needs host paths, which only `privileged` allows."""
    labels = _pod_security("privileged", "privileged")
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": metadata(name, NAMESPACES, labels=labels),
    }


def _team_namespace(name: str, team: Team, level: str) -> Namespace:
    labels = {**_pod_security(level, "restricted"), conventions.LABEL_TEAM: team.name}
    if team.cost_center:
        labels[conventions.LABEL_COST_CENTER] = team.cost_center
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": metadata(name, NAMESPACES, labels=labels),
    }


def _critical_pods_quota(namespace: str) -> ResourceQuota:
    """Return what GKE wants before it admits critical pods outside kube-system (NVIDIA/gpu-operator#660)."""
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": namespaced(conventions.CRITICAL_PODS_QUOTA, namespace, TENANCY),
        "spec": {
            "hard": {"pods": UNLIMITED_PODS},
            "scopeSelector": {
                "matchExpressions": [
                    {
                        "operator": "In",
                        "scopeName": "PriorityClass",
                        "values": ["system-node-critical", "system-cluster-critical"],
                    }
                ]
            },
        },
    }


def _team_role(fleet: Fleet, cluster: Cluster) -> ClusterRole:
    frameworks, claims = cluster.frameworks, claimable(cluster)
    suspends = fleet.governance.reclaim.mode is ReclaimMode.SUSPEND
    run = [
        _rule(kind.group, [kind.resource, *kind.companions], MANAGE)
        for kind in WORKLOADS
        if kind.framework in frameworks
    ]
    look = [] if "pod" in frameworks else [_rule("", ["pods"], ["delete", *READ])]
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": metadata(conventions.TEAM_ROLE, TENANCY),
        "rules": [
            *run,
            *look,
            _rule("", ["configmaps", "persistentvolumeclaims", "services"], MANAGE),
            _rule("", ["events", "limitranges", "pods/log", "resourcequotas"], READ),
            _rule("kueue.x-k8s.io", ["localqueues"] if suspends else ["localqueues", "workloads"], READ),
            *([_rule("kueue.x-k8s.io", ["workloads"], ["delete", *READ])] if suspends else []),
            *([_rule("resource.k8s.io", ["resourceclaims", "resourceclaimtemplates"], READ)] if claims else []),
        ],
    }


def _rule(group: str, resources: list[str], verbs: list[str]) -> PolicyRule:
    return {"apiGroups": [group], "resources": resources, "verbs": verbs}


def _team_binding(namespace: str, team: Team) -> RoleBinding:
    subjects: list[Subject] = [
        {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group} for group in team.groups
    ]
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": namespaced(conventions.TEAM_ROLE, namespace, TENANCY),
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": conventions.TEAM_ROLE,
        },
        "subjects": subjects,
    }
