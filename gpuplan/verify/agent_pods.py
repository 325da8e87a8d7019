"""The agents' namespaces: which pods come from what was rendered, which from an operator, and which from neither.

Names of owners tell: a DaemonSet's pods name it, a Deployment's name a ReplicaSet that bears its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpuplan import conventions
from gpuplan.manifests.set import Manifest
from gpuplan.verify.comparing import by_name, name_of, rendered
from gpuplan.verify.observed import Object
from gpuplan.verify.scene import Scene

KINDS = ("DaemonSet", "Deployment")
READS = ("Pod", *KINDS)
OPERATORS = ("ClusterPolicy", "NVIDIADriver", "DeviceConfig")
"""Kinds that own what an operator makes of them."""
ABSENT = "nothing of it is there"
SYNC = "Let Argo CD sync it."
Owner = tuple[str, str, str]
"""Kind, namespace and name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A rendered workload in the agents' namespaces, as it is on the cluster."""

    manifest: Manifest
    live: Object | None
    pods: tuple[Object, ...]

    @property
    def name(self) -> str:
        """How people name it: `DaemonSet gpu-system/nvidia-device-plugin-h100`."""
        key = self.manifest.key
        return f"{key.kind} {key.namespace}/{key.name}"

    @property
    def seen(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """What runs, or will: the spec of its template and of each pod, each with a name."""
        if self.live is not None:
            yield f"{self.name}, its template", template_of(self.live)
        for pod in self.pods:
            yield f"Pod {'/'.join(name_of(pod))}", pod.get("spec") or {}


def agents(scene: Scene) -> Sequence[Agent]:
    """Return the rendered workloads, each with its pods."""
    pods: dict[Owner, list[Object]] = {}
    for pod in scene.seen("Pod"):
        pods.setdefault(owner(pod), []).append(pod)
    live = {kind: by_name(scene.seen(kind)) for kind in KINDS}
    return [
        Agent(
            manifest=one,
            live=live[kind].get((one.key.namespace, one.key.name)),
            pods=tuple(pods.get((kind, one.key.namespace, one.key.name), ())),
        )
        for kind in KINDS
        for one in rendered(scene, kind)
    ]


def namespaces(scene: Scene) -> tuple[str, ...]:
    """Return the namespaces of agents: those rendered that are no team's."""
    found = rendered(scene, "Namespace")
    return tuple(one.key.name for one in found if conventions.LABEL_TEAM not in _labels(one.object))


def strangers(scene: Scene, namespace: str) -> Sequence[Object]:
    """Return the pods of a namespace that come neither from what was rendered nor from an operator or its chart."""
    known = {(one.manifest.key.kind, one.manifest.key.namespace, one.manifest.key.name) for one in agents(scene)}
    known |= {(kind, *name_of(made)) for kind in KINDS for made in scene.seen(kind) if _an_operators(made, namespace)}
    inside = (pod for pod in scene.seen("Pod") if name_of(pod)[0] == namespace)
    return [pod for pod in inside if owner(pod) not in known]


def _an_operators(made: Object, namespace: str) -> bool:
    """Tell whether a workload in an operator's namespace is the operator's: it owns it, or Helm has put it there."""
    if name_of(made)[0] != namespace or namespace == conventions.SYSTEM_NAMESPACE:
        return False
    owners = (made.get("metadata") or {}).get("ownerReferences") or ()
    helm = _labels(made).get(conventions.LABEL_MANAGED_BY) == "Helm"
    return helm or any(one.get("kind") in OPERATORS for one in owners)


def owner(pod: Object) -> Owner:
    """Return whose pod it is: its controller's, or its only owner's, as the GPU Operator's trial pods have; else its own."""
    namespace, name = name_of(pod)
    references = (pod.get("metadata") or {}).get("ownerReferences") or ()
    found = next((one for one in references if one.get("controller")), next(iter(references), None))
    if found is None:
        return "Pod", namespace, name
    if found.get("kind") == "ReplicaSet":
        return "Deployment", namespace, str(found.get("name", "")).rpartition("-")[0]
    return str(found.get("kind", "")), namespace, str(found.get("name", ""))


def template_of(workload: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the spec of the pods that a workload makes."""
    template = (workload.get("spec") or {}).get("template") or {}
    return dict(template.get("spec") or {})


def containers(spec: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return all containers of a pod, those that start first and those that were added to look into it as well."""
    kinds = ("initContainers", "containers", "ephemeralContainers")
    return [one for kind in kinds for one in spec.get(kind) or ()]


def _labels(made: Mapping[str, Any]) -> Mapping[str, str]:
    return dict((made.get("metadata") or {}).get("labels") or {})
