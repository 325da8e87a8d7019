"""References between the objects of one cluster: what is named must be rendered too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gpuplan import conventions
from gpuplan.diagnostics import Diagnostic
from gpuplan.manifests.set import Manifest, ManifestSet
from gpuplan.validate.findings import REFERENCE

Object = Mapping[str, Any]
Target = tuple[str, str, str]
"""(kind, namespace, name)."""

ADOPTED = ("adopted",)
"""Where the spec has objects that stay as they were. What they refer to may be in the cluster already (`rules/adopted`)."""
SYSTEM_ROLES = "system:"
"""Prefix of the cluster roles that the cluster has itself."""
SYSTEM_PRIORITY_CLASSES = ("system-node-critical", "system-cluster-critical")
"""Priority classes that every cluster has."""


def dangling(manifests: ManifestSet) -> Iterator[Diagnostic]:
    """Yield a finding for each reference to an object that the set does not hold."""
    present = {(made.cluster, (made.key.kind, made.key.namespace, made.key.name)) for made in manifests}
    present.update(_made_by_operators(manifests))
    for made in manifests:
        for kind, namespace, name in references(made) if made.origin.path[:1] != ADOPTED else ():
            if (made.cluster, (kind, namespace, name)) not in present:
                place = f"{namespace}/{name}" if namespace else name
                yield REFERENCE.found(f"{made.key} names {kind} {place}, which is not rendered", at=made.origin.span)


def _made_by_operators(manifests: ManifestSet) -> Iterator[tuple[str | None, Target]]:
    """Yield (cluster, object) of what GPU Operators make themselves: the RuntimeClass that their policy names.

    The policy is an object of the cluster, or values of the operator's chart in the cluster's Application.
    """
    installed = {
        conventions.gpu_operator_application_name(made.cluster): made.cluster for made in manifests if made.cluster
    }
    for made in manifests:
        obj: Object = made.object
        if made.key.kind == "ClusterPolicy":
            yield made.cluster, ("RuntimeClass", "", obj["spec"]["operator"]["runtimeClass"])
        if made.key.kind == "Application" and made.key.name in installed:
            values = obj["spec"]["source"]["helm"]["valuesObject"]
            yield installed[made.key.name], ("RuntimeClass", "", values["operator"]["runtimeClass"])


def references(made: Manifest) -> Iterator[Target]:
    """Yield what an object refers to."""
    finder = FINDERS.get(made.key.kind)
    if finder is not None:
        yield from finder(made.object, made.key.namespace)


def _cluster_queue(queue: Object, _: str) -> Iterator[Target]:
    spec = queue["spec"]
    if "cohortName" in spec:
        yield "Cohort", "", spec["cohortName"]
    yield from _flavors(spec)


def _cohort(cohort: Object, _: str) -> Iterator[Target]:
    spec = cohort["spec"]
    if "parentName" in spec:
        yield "Cohort", "", spec["parentName"]
    yield from _flavors(spec)


def _flavors(spec: Object) -> Iterator[Target]:
    for group in spec.get("resourceGroups", ()):
        for flavor in group["flavors"]:
            yield "ResourceFlavor", "", flavor["name"]


def _flavor(flavor: Object, _: str) -> Iterator[Target]:
    if "topologyName" in flavor["spec"]:
        yield "Topology", "", flavor["spec"]["topologyName"]


def _local_queue(queue: Object, _: str) -> Iterator[Target]:
    yield "ClusterQueue", "", queue["spec"]["clusterQueue"]


def _claim_template(template: Object, _: str) -> Iterator[Target]:
    for request in template["spec"]["spec"]["devices"]["requests"]:
        yield "DeviceClass", "", request["exactly"]["deviceClassName"]


def _daemon_set(daemon_set: Object, namespace: str) -> Iterator[Target]:
    pod = daemon_set["spec"]["template"]["spec"]
    if "serviceAccountName" in pod:
        yield "ServiceAccount", namespace, pod["serviceAccountName"]
    if "runtimeClassName" in pod:
        yield "RuntimeClass", "", pod["runtimeClassName"]
    if pod.get("priorityClassName", SYSTEM_PRIORITY_CLASSES[0]) not in SYSTEM_PRIORITY_CLASSES:
        yield "PriorityClass", "", pod["priorityClassName"]
    for volume in pod.get("volumes", ()):
        if "configMap" in volume:
            yield "ConfigMap", namespace, volume["configMap"]["name"]


def _binding(binding: Object, namespace: str) -> Iterator[Target]:
    """Accounts elsewhere than in the agents' own namespace, such as Prometheus', are others' to make."""
    role = binding["roleRef"]
    if not role["name"].startswith(SYSTEM_ROLES):
        yield role["kind"], namespace if role["kind"] == "Role" else "", role["name"]
    for subject in binding.get("subjects", ()):
        if subject["kind"] == "ServiceAccount" and subject["namespace"] == conventions.SYSTEM_NAMESPACE:
            yield "ServiceAccount", subject["namespace"], subject["name"]


def _policy_binding(binding: Object, _: str) -> Iterator[Target]:
    yield "ValidatingAdmissionPolicy", "", binding["spec"]["policyName"]


FINDERS: Mapping[str, Callable[[Object, str], Iterator[Target]]] = {
    "ClusterQueue": _cluster_queue,
    "Cohort": _cohort,
    "ClusterRoleBinding": _binding,
    "DaemonSet": _daemon_set,
    "Deployment": _daemon_set,
    "LocalQueue": _local_queue,
    "ResourceClaimTemplate": _claim_template,
    "ResourceFlavor": _flavor,
    "RoleBinding": _binding,
    "ValidatingAdmissionPolicyBinding": _policy_binding,
}
"""What to look at in each kind that refers to others."""
