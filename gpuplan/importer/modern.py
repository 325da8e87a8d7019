"""Kueue's objects in the spelling of v1beta2, and without what a server adds.

Source: Kueue's conversion between v1beta1 and v1beta2 (apis/kueue/v1beta1/*_conversion.go).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gpuplan.rules.manifest.schema import DROPPED
from gpuplan.rules.written import V1BETA1

Plain = Mapping[str, Any]
GROUP = "kueue.x-k8s.io/"
NEWEST = GROUP + "v1beta2"
SERVER_METADATA = (
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "managedFields",
    "selfLink",
    "finalizers",
    "ownerReferences",
)
TOOL_ANNOTATIONS = ("kubectl.kubernetes.io/last-applied-configuration", "argocd.argoproj.io/tracking-id")
_EMPTY_SPEC = ("ResourceFlavor", "Cohort", "ClusterQueue")
"""Kinds of which no spec and an empty one are the same."""
_AS_IF_ABSENT: Mapping[str, Plain] = {
    "PriorityClass": {"globalDefault": False, "description": ""},
    "WorkloadPriorityClass": {"description": ""},
}
"""Values that an API server does not keep, beside the kinds that have no spec."""
_AS_IF_ABSENT_IN_SPEC: Mapping[str, Plain] = {
    "ResourceFlavor": {"nodeLabels": {}, "nodeTaints": [], "tolerations": [], "topologyName": ""},
    "ClusterQueue": {"cohortName": "", "resourceGroups": []},
    "Cohort": {"parentName": "", "resourceGroups": []},
}
"""The same of specs. A selector is none of these: an empty one selects everything, and none nothing."""
_OLD_VALUES = {"Borrow": "MayStopSearch", "Preempt": "MayStopSearch"}


def modern(data: Plain) -> dict[str, Any]:
    """Return an object as it would be written anew for the newest version that gpuplan renders."""
    made: dict[str, Any] = _given({key: value for key, value in data.items() if key != "status"})
    metadata = made.get("metadata")
    if isinstance(metadata, Mapping):
        made["metadata"] = _metadata(metadata)
    kind = str(made.get("kind"))
    made = _without(made, _AS_IF_ABSENT.get(kind, {}))
    version = made.get("apiVersion")
    if isinstance(version, str) and version.startswith(GROUP):
        made["apiVersion"] = NEWEST
        if kind in _EMPTY_SPEC:
            made["spec"] = made.get("spec") or {}
        change, spec = _CHANGES.get(kind, dict), made.get("spec")
        if isinstance(spec, Mapping):
            worded = _worded(spec) if version == V1BETA1 and kind == "ClusterQueue" else spec
            made["spec"] = _without(change(worded), _AS_IF_ABSENT_IN_SPEC.get(kind, {}))
    return made


def _given(value: Any) -> Any:
    """Return a value without keys that hold null, which is what no key says."""
    if isinstance(value, Mapping):
        return {key: _given(inner) for key, inner in value.items() if inner is not None}
    return [_given(inner) for inner in value] if isinstance(value, list) else value


def _worded(spec: Plain) -> dict[str, Any]:
    """Return a ClusterQueue of v1beta1 without the empty words that its conversion drops."""
    return {
        # Values of labels that a selector names may be empty.
        key: _worded(value) if isinstance(value, Mapping) and key != "namespaceSelector" else value
        for key, value in spec.items()
        if not (key in DROPPED and value == "")
    }


def _without(made: Plain, absent: Plain) -> dict[str, Any]:
    return {key: value for key, value in made.items() if key not in absent or value != absent[key]}


def _metadata(metadata: Plain) -> dict[str, Any]:
    kept = {key: value for key, value in metadata.items() if key not in SERVER_METADATA}
    annotations = kept.get("annotations")
    if isinstance(annotations, Mapping):
        kept["annotations"] = {key: value for key, value in annotations.items() if key not in TOOL_ANNOTATIONS}
    return {key: value for key, value in kept.items() if value not in ({}, None)}


def _cluster_queue(spec: Plain) -> dict[str, Any]:
    made = {("cohortName" if key == "cohort" else key): value for key, value in spec.items()}
    fungibility = made.get("flavorFungibility")
    if isinstance(fungibility, Mapping):
        made["flavorFungibility"] = {
            key: _OLD_VALUES.get(value, value) if isinstance(value, str) else value
            for key, value in fungibility.items()
        }
    checks = made.pop("admissionChecks", None)
    if isinstance(checks, list) and checks:
        named = [{"name": check} for check in checks]
        made.setdefault("admissionChecksStrategy", {"admissionChecks": named})
    if made.get("admissionChecksStrategy") in ({}, {"admissionChecks": []}):
        del made["admissionChecksStrategy"]
    return made


def _cohort(spec: Plain) -> dict[str, Any]:
    return {("parentName" if key == "parent" else key): value for key, value in spec.items()}


def _flavor(spec: Plain) -> dict[str, Any]:
    """Return a flavor whose tolerations of all taints name no key; an empty one says the same."""
    made = dict(spec)
    tolerations = made.get("tolerations")
    if isinstance(tolerations, list):
        made["tolerations"] = [_without(one, {"key": ""}) if isinstance(one, Mapping) else one for one in tolerations]
    return made


_CHANGES: Mapping[str, Callable[[Plain], dict[str, Any]]] = {
    "ClusterQueue": _cluster_queue,
    "Cohort": _cohort,
    "ResourceFlavor": _flavor,
}
