"""Objects that nobody rendered, and that act in what is rendered: among our queues, in our namespaces, or under our name.

What a controller made for an object of another (it has an owner) is that one's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpuplan.conventions import LABEL_MANAGED_BY, LABEL_TEAM, MANAGED_BY

_TRACKING_ID: Final = "argocd.argoproj.io/tracking-id"
_HUB: Final = ("Application", "ApplicationSet", "AppProject")
"""Kinds of Argo CD's cluster, where several fleets of gpuplan may meet: their label says nothing."""
_INSTANCE: Final = ("argocd.argoproj.io/instance", "app.kubernetes.io/instance")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ours:
    """What is rendered, as far as others can act in it: names by kind, and namespaces."""

    names: Mapping[str, frozenset[str]]
    cohorts: frozenset[str]
    namespaces: frozenset[str]
    """All that objects of ours live in."""
    agents: frozenset[str]
    """Namespaces that we make for the platform's own agents, where nobody else has business."""
    application: str
    """The Argo CD Application that syncs the cluster; empty for the hub."""


Reason = Callable[[Mapping[str, Any], Ours], str]


def ours(rendered: Iterable[Mapping[str, Any]], application: str) -> Ours:
    """Return what a cluster's rendered objects are, for others to act in."""
    names: dict[str, set[str]] = {}
    cohorts: set[str] = set()
    namespaces: set[str] = set()
    agents: set[str] = set()
    for made in rendered:
        metadata, kind = made["metadata"], made["kind"]
        names.setdefault(kind, set()).add(metadata["name"])
        cohorts |= {made["spec"]["cohortName"]} if kind == "ClusterQueue" and made["spec"].get("cohortName") else set()
        namespaces |= {metadata["namespace"]} if metadata.get("namespace") else set()
        if kind == "Namespace":
            namespaces.add(metadata["name"])
            agents |= set() if LABEL_TEAM in (metadata.get("labels") or {}) else {metadata["name"]}
    return Ours(
        names={kind: frozenset(some) for kind, some in names.items()},
        cohorts=frozenset(cohorts | names.get("Cohort", set())),
        namespaces=frozenset(namespaces),
        agents=frozenset(agents),
        application=application,
    )


def why_foreign(made: Mapping[str, Any], rendered: Ours) -> str:
    """Return why an object that nobody rendered is worth a finding; empty where it is not. A sentence without a period."""
    if made["metadata"].get("ownerReferences"):
        return ""
    return next((why for reason in _reasons(made["kind"]) if (why := reason(made, rendered))), "")


def _reasons(kind: str) -> Iterator[Reason]:
    if kind not in _HUB:
        yield _by_label
        yield _by_tracking
    if kind in BY_KIND:
        yield BY_KIND[kind]


def _by_label(made: Mapping[str, Any], _rendered: Ours) -> str:
    labels = made["metadata"].get("labels") or {}
    ours_by_name = labels.get(LABEL_MANAGED_BY) == MANAGED_BY
    return f"it bears our label {LABEL_MANAGED_BY}={MANAGED_BY}" if ours_by_name else ""


def _by_tracking(made: Mapping[str, Any], rendered: Ours) -> str:
    metadata = made["metadata"]
    labels, notes = metadata.get("labels") or {}, metadata.get("annotations") or {}
    tracked = str(notes.get(_TRACKING_ID, "")).partition(":")[0]
    names = {tracked, *(labels.get(key, "") for key in _INSTANCE)}
    ours_by_sync = bool(rendered.application) and rendered.application in names
    return f"Argo CD's Application {rendered.application} has synced it" if ours_by_sync else ""


def _cluster_queue(made: Mapping[str, Any], rendered: Ours) -> str:
    spec = made.get("spec") or {}
    if spec.get("cohortName") in rendered.cohorts:
        return f"it stands in our cohort {spec['cohortName']}, whose quota it can borrow and lend"
    taken = {flavor["name"] for group in spec.get("resourceGroups") or () for flavor in group.get("flavors") or ()}
    shared = sorted(taken & rendered.names.get("ResourceFlavor", frozenset()))
    return f"it gives out quota of our flavor {shared[0]}" if shared else ""


def _cohort(made: Mapping[str, Any], rendered: Ours) -> str:
    parent = (made.get("spec") or {}).get("parentName")
    if parent in rendered.cohorts:
        return f"it hangs in our tree below cohort {parent}"
    return "our queues name it as their cohort" if made["metadata"]["name"] in rendered.cohorts else ""


def _local_queue(made: Mapping[str, Any], rendered: Ours) -> str:
    queue = (made.get("spec") or {}).get("clusterQueue")
    if queue in rendered.names.get("ClusterQueue", frozenset()):
        return f"it is another way into our ClusterQueue {queue}"
    return _in(rendered.namespaces)(made, rendered)


def _resource_quota(made: Mapping[str, Any], rendered: Ours) -> str:
    return _in(rendered.namespaces)(made, rendered)


def _agent(made: Mapping[str, Any], rendered: Ours) -> str:
    return _in(rendered.agents)(made, rendered)


def _in(namespaces: frozenset[str]) -> Reason:
    def reason(made: Mapping[str, Any], _rendered: Ours) -> str:
        namespace = made["metadata"].get("namespace")
        return f"it lives in our namespace {namespace}" if namespace in namespaces else ""

    return reason


def _role_binding(made: Mapping[str, Any], rendered: Ours) -> str:
    role = made.get("roleRef") or {}
    if role.get("kind") == "ClusterRole" and role.get("name") in rendered.names.get("ClusterRole", frozenset()):
        return f"it grants our ClusterRole {role['name']}"
    return _in(rendered.agents)(made, rendered)


def _policy_binding(made: Mapping[str, Any], rendered: Ours) -> str:
    policy = (made.get("spec") or {}).get("policyName")
    bound = policy in rendered.names.get("ValidatingAdmissionPolicy", frozenset())
    return f"it binds our policy {policy}" if bound else ""


def _application(made: Mapping[str, Any], rendered: Ours) -> str:
    project = (made.get("spec") or {}).get("project")
    return f"it is in our project {project}" if project in rendered.names.get("AppProject", frozenset()) else ""


BY_KIND: Final[Mapping[str, Reason]] = {
    "Application": _application,
    "ClusterQueue": _cluster_queue,
    "ClusterRoleBinding": _role_binding,
    "Cohort": _cohort,
    "DaemonSet": _agent,
    "Deployment": _agent,
    "LocalQueue": _local_queue,
    "ResourceQuota": _resource_quota,
    "RoleBinding": _role_binding,
    "ValidatingAdmissionPolicyBinding": _policy_binding,
}
