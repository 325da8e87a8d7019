"""How the cards of MIG pools are cut: mig-parted's file, and the MIG manager that applies it node by node.

Facts: NVIDIA/mig-parted v0.14 to v0.15. The manager cuts a node as its label `nvidia.com/mig.config` says. Meanwhile
it pauses the other agents and waits until their pods are gone; it neither cordons nor drains, so a change of layout
waits for a drained node.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.emit import agents, base
from gpuplan.emit.agents import MIG_MANAGER, AgentPod
from gpuplan.manifests.kinds import ClusterRole, ClusterRoleBinding, ConfigMap, Role
from gpuplan.manifests.kinds.pod import Container
from gpuplan.manifests.set import Manifest
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import Sharing, SharingMode, mig_config_name, mig_cuts

ALL_DISABLED = "all-disabled"
"""Name of the layout with MIG off on every card: the way back, by hand, from any other."""

_CLIENTS_FILE = "clients.yaml"
_HOST_CLIENTS = (
    "nvsm.service",
    "nvsm-mqtt.service",
    "nvsm-core.service",
    "nvsm-api-gateway.service",
    "nvsm-notifier.service",
    "nv_peer_mem.service",
    "nvidia-dcgm.service",
    "dcgm-exporter.service",
)
"""Services of a node that hold a card open. The manager stops those that run; others it passes over."""


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the layouts and the MIG managers of the cluster's MIG pools."""
    pools = [pool for pool in agents.managed_pools(cluster) if pool.sharing.mode is SharingMode.MIG]
    if not pools:
        return
    yield agents.service_account(fleet, cluster, MIG_MANAGER, base.MIG)
    for made in (_cluster_role(), _cluster_role_binding(), _role(), agents.role_binding(MIG_MANAGER, base.MIG)):
        yield base.manifest(fleet, cluster, base.MIG, made, cluster.path)
    for pool in pools:
        yield from _pool(fleet, cluster, pool)


def _pool(fleet: Fleet, cluster: Cluster, pool: NodePool) -> Iterator[Manifest]:
    config = agents.config_map(
        conventions.daemon_set_name(MIG_MANAGER.name, pool.name),
        base.MIG,
        {
            agents.CONFIG_FILE: yaml_text(mig_parted_config(pool.sharing)),
            _CLIENTS_FILE: yaml_text({"version": "v1", "systemd-services": list(_HOST_CLIENTS)}),
        },
    )
    made = agents.daemon_set(cluster, pool, MIG_MANAGER, base.MIG, _pod(cluster, pool, config))
    yield base.manifest(fleet, cluster, base.MIG, config, pool.path)
    yield base.manifest(fleet, cluster, base.MIG, made, pool.path, cluster.path)


def mig_parted_config(sharing: Sharing) -> dict[str, object]:
    """Return mig-parted's file: the pool's layout, and MIG off.

    Every card index stands in exactly one entry, whole cards in one that switches MIG off: mig-parted leaves a card that
    no entry names as it finds it.
    """
    off = {"devices": "all", "mig-enabled": False}
    return {"version": "v1", "mig-configs": {ALL_DISABLED: [off], mig_config_name(sharing): list(_entries(sharing))}}


def _entries(sharing: Sharing) -> Iterator[dict[str, object]]:
    for profiles, indexes in mig_cuts(sharing).items():
        devices = {"devices": "all" if indexes is None else list(indexes)}
        yield (
            {**devices, "mig-enabled": True, "mig-devices": dict(profiles)}
            if profiles
            else {**devices, "mig-enabled": False}
        )


def _pod(cluster: Cluster, pool: NodePool, config: ConfigMap) -> AgentPod:
    """As NVIDIA runs it where the driver is the node's own: it stops the node's GPU services through its D-Bus.

    Talos has no systemd, so there is nothing to stop. It never reboots a node by itself: that is for a person to plan.
    """
    stop_services = "false" if cluster.distribution == "talos" else "true"
    settings = {
        "CONFIG_FILE": f"{agents.CONFIG_FOLDER}/{agents.CONFIG_FILE}",
        "DEFAULT_GPU_CLIENTS_NAMESPACE": conventions.SYSTEM_NAMESPACE,
        "GPU_CLIENTS_FILE": f"{agents.CONFIG_FOLDER}/{_CLIENTS_FILE}",
        "HOST_ROOT_MOUNT": "/host",
        "NVIDIA_MIG_CONFIG_DEVICES": "all",
        "WITH_REBOOT": "false",
        "WITH_SHUTDOWN_HOST_GPU_CLIENTS": stop_services,
    }
    container: Container = {
        "name": MIG_MANAGER.name,
        "image": agents.image(cluster, MIG_MANAGER),
        "imagePullPolicy": "IfNotPresent",
        "env": [*agents.env({**settings, **agents.gpu_env(pool)}), agents.env_of_pod("NODE_NAME", "spec.nodeName")],
        "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}},
        "securityContext": agents.PRIVILEGED,
        "volumeMounts": [
            agents.config_mount("config"),
            {"name": "host", "mountPath": "/host", "mountPropagation": "HostToContainer"},
            {"name": "sys", "mountPath": "/sys"},
        ],
        "terminationMessagePath": agents.TERMINATION_MESSAGE,
        "terminationMessagePolicy": "File",
    }
    volumes = (
        agents.config_volume("config", config),
        agents.host_volume("host", "/"),
        agents.host_volume("sys", "/sys"),
    )
    return AgentPod(containers=(container,), volumes=volumes, host_pid=True, host_ipc=True)


def _cluster_role() -> ClusterRole:
    """It watches the label of its node and patches the state; rights cannot be narrowed to the node it runs on."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": base.metadata(conventions.MIG_MANAGER_ROLE, base.MIG),
        "rules": [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch", "patch"]}],
    }


def _cluster_role_binding() -> ClusterRoleBinding:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": base.metadata(conventions.MIG_MANAGER_ROLE, base.MIG),
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": conventions.MIG_MANAGER_ROLE,
        },
        "subjects": [{"kind": "ServiceAccount", "name": MIG_MANAGER.name, "namespace": conventions.SYSTEM_NAMESPACE}],
    }


def _role() -> Role:
    """It waits until the pods of the paused agents are gone, and deletes those of the operator's validators."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": base.namespaced(MIG_MANAGER.name, conventions.SYSTEM_NAMESPACE, base.MIG),
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch", "delete"]}],
    }
