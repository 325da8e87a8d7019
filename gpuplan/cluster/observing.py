"""What a checklist looks at: lists of kinds and dry runs, as plain data. Nothing is changed, and Secrets are never asked for.

Of pods the values of environment variables are left out, since people keep passwords there, and so is each object's memory
of who wrote what.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpuplan.cluster import snapshot
from gpuplan.cluster.kube import Attempt, Fault, Kube, Object
from gpuplan.cluster.listing import Listed, listed, lists

_RBAC: Final = "rbac.authorization.k8s.io"
_ADMISSION: Final = "admissionregistration.k8s.io"
_MORE: Final = (
    Listed("", "pods", ("v1",), "Pod"),
    Listed("", "services", ("v1",), "Service"),
    Listed("", "serviceaccounts", ("v1",), "ServiceAccount"),
    Listed("apps", "deployments", ("v1",), "Deployment"),
    Listed("apps", "statefulsets", ("v1",), "StatefulSet"),
    Listed("batch", "cronjobs", ("v1",), "CronJob"),
    Listed("batch", "jobs", ("v1",), "Job"),
    Listed("policy", "poddisruptionbudgets", ("v1",), "PodDisruptionBudget"),
    Listed(_RBAC, "roles", ("v1",), "Role"),
    Listed(_RBAC, "rolebindings", ("v1",), "RoleBinding"),
    Listed(_RBAC, "clusterroles", ("v1",), "ClusterRole"),
    Listed(_RBAC, "clusterrolebindings", ("v1",), "ClusterRoleBinding"),
    Listed(_ADMISSION, "validatingadmissionpolicies", ("v1",), "ValidatingAdmissionPolicy"),
    Listed(_ADMISSION, "validatingadmissionpolicybindings", ("v1",), "ValidatingAdmissionPolicyBinding"),
    Listed(_ADMISSION, "validatingwebhookconfigurations", ("v1",), "ValidatingWebhookConfiguration"),
    Listed(_ADMISSION, "mutatingwebhookconfigurations", ("v1",), "MutatingWebhookConfiguration"),
    Listed("resource.k8s.io", "deviceclasses", ("v1",), "DeviceClass"),
    Listed("resource.k8s.io", "resourceslices", ("v1",), "ResourceSlice"),
    Listed(snapshot.KUEUE, "workloads", ("v1beta2", "v1beta1"), "Workload"),
    Listed("readiness.node.x-k8s.io", "nodereadinessrules", ("v1alpha1",), "NodeReadinessRule"),
)
LISTED: Final[Mapping[str, Listed]] = {one.kind: one for one in (*snapshot.KINDS, *_MORE)}
"""Every kind that can be looked at, by its name."""
WHO_ASKS: Final = "SelfSubjectReview"
"""The kind of the answer that says as whom one asks; every user may ask for it, and nothing is kept."""
_REVIEW: Final = "authentication.k8s.io/v1"
_FORGOTTEN: Final = ("managedFields",)
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_CONTAINERS: Final = ("containers", "initContainers", "ephemeralContainers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What was seen: objects by kind (none of a kind that is not served), kinds that were refused with why, dry runs by name."""

    kubernetes: str
    objects: Mapping[str, tuple[Object, ...]]
    refused: Mapping[str, str]
    tried: Mapping[str, Attempt]


def observe(kube: Kube, kinds: Iterable[str], probes: Mapping[str, Object]) -> Sight | Fault:
    """List kinds of `LISTED` (of `WHO_ASKS`: ask), and try to create each probe. A Fault where the server is not reached."""
    seen = lists(
        kube, sorted(set(kinds)), lambda kind: _who_asks(kube) if kind == WHO_ASKS else listed(kube, LISTED[kind])
    )
    if isinstance(seen, Fault):
        return seen
    objects = {kind: tuple(map(trimmed, found)) for kind, found in seen.objects.items()}
    return Sight(kubernetes=seen.kubernetes, objects=objects, refused=seen.refused, tried=_tried(kube, probes))


def _who_asks(kube: Kube) -> list[Object] | Fault:
    asked = {"apiVersion": _REVIEW, "kind": WHO_ASKS}
    answer = kube.create(f"/apis/{_REVIEW}/selfsubjectreviews", asked)
    return answer if isinstance(answer, Fault) else [answer]


def _tried(kube: Kube, probes: Mapping[str, Object]) -> Mapping[str, Attempt]:
    if not probes:
        return {}
    served = kube.served()
    if isinstance(served, Fault):
        return {name: Attempt(status=0, message=served.summary) for name in probes}
    found: dict[str, Attempt] = {}
    for name, made in probes.items():
        place = served.of(made["apiVersion"], made["kind"])
        if place is None:
            found[name] = Attempt(status=404, message=f"the server serves no {made['kind']} of {made['apiVersion']}")
        else:
            found[name] = kube.attempt(place.collection(made["metadata"].get("namespace", "")), made)
    return found


def trimmed(made: Object) -> Object:
    """Return an object without what nobody needs, or nobody should keep."""
    metadata = {key: value for key, value in (made.get("metadata") or {}).items() if key not in _FORGOTTEN}
    if isinstance(metadata.get("annotations"), Mapping):
        metadata["annotations"] = {key: v for key, v in metadata["annotations"].items() if key != _LAST_APPLIED}
    return {
        **{key: _without_values(value) if key == "spec" else value for key, value in made.items()},
        "metadata": metadata,
    }


def _without_values(spec: Any) -> Any:
    """Return the spec of a pod, or of what makes pods, without the values of its environment variables."""
    if not isinstance(spec, Mapping):
        return spec
    kept = dict(spec)
    for key in ("template", "jobTemplate"):
        inner = kept.get(key)
        if isinstance(inner, Mapping) and "spec" in inner:
            kept[key] = {**inner, "spec": _without_values(inner["spec"])}
    for key in _CONTAINERS:
        if isinstance(kept.get(key), list):
            kept[key] = [_quiet(one) for one in kept[key]]
    return kept


def _quiet(container: Any) -> Any:
    if not isinstance(container, Mapping) or not isinstance(container.get("env"), list):
        return container
    return {**container, "env": [{k: v for k, v in one.items() if k != "value"} for one in container["env"]]}
