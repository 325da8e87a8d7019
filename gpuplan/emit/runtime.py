"""What NVIDIA's node agents need before they can start: the RuntimeClass, and leave to run where a platform asks for it.

The quota without which GKE admits no critical pods is made with the namespace (`emit/tenancy`).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.emit import agents, base, gpu_operator
from gpuplan.manifests.kinds import RoleBinding, RuntimeClass
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the RuntimeClass `nvidia`, unless the GPU Operator makes it, and what OpenShift wants for privileged pods."""
    if not agents.managed_pools(cluster):
        return
    by_operator = gpu_operator.makes_runtime_class(fleet, cluster, conventions.RUNTIME_CLASS)
    if agents.needs_runtime_class(cluster) and not by_operator:
        yield base.manifest(fleet, cluster, base.RUNTIME, _runtime_class(), cluster.path)
    if cluster.distribution == "openshift":
        yield base.manifest(fleet, cluster, base.RUNTIME, _privileged_use(cluster), cluster.path)


def _runtime_class() -> RuntimeClass:
    return {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": base.metadata(conventions.RUNTIME_CLASS, base.RUNTIME),
        "handler": "nvidia",
    }


def _privileged_use(cluster: Cluster) -> RoleBinding:
    """OpenShift lets a pod mount folders of the node, or be privileged, only if its service account may."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": base.namespaced(conventions.PRIVILEGED_AGENTS, conventions.SYSTEM_NAMESPACE, base.RUNTIME),
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "system:openshift:scc:privileged",
        },
        "subjects": [
            {"kind": "ServiceAccount", "name": agent.name, "namespace": conventions.SYSTEM_NAMESPACE}
            for agent in agents.present(cluster)
        ],
    }
