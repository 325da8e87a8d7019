"""The device plugin, GPU Feature Discovery and the MPS daemon: one DaemonSet a pool each, all with the pool's one config.

Facts: NVIDIA/k8s-device-plugin v0.20.0. The plugin reads its file leniently: a key that it does not know vanishes
without a word, so nothing is written here that it does not read. Environment beats file, so whatever the file says is
never said by a variable too.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.emit import agents, base
from gpuplan.emit.agents import DEVICE_PLUGIN, FEATURE_DISCOVERY, MPS_DAEMON, AgentPod
from gpuplan.manifests.kinds import ConfigMap, Role
from gpuplan.manifests.kinds.pod import Container, SecurityContext, VolumeMount
from gpuplan.manifests.kinds.volume import Volume
from gpuplan.manifests.set import Manifest
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, offered_by_plugin
from gpuplan.model.sharing import SharingMode

MPS_ROOT = "/run/nvidia/mps"
ENVVAR = "envvar"
"""The plugin's own way of naming a pod's cards to the runtime; it needs no word in the file."""
_CONFIG = f"{agents.CONFIG_FOLDER}/{agents.CONFIG_FILE}"
_PLUGIN_FOLDER = "/var/lib/kubelet/device-plugins"


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the agents that offer and describe the cards of each pool, and what they share.

    Where HAMi or a DRA driver offers the cards, only GPU Feature Discovery runs: two that offer one card give it away twice.
    """
    pools = agents.managed_pools(cluster)
    if not pools:
        return
    shared = any(pool.sharing.mode is SharingMode.MPS for pool in pools)
    offered = (DEVICE_PLUGIN,) if agents.plugin_pools(cluster) else ()
    for agent in (*offered, FEATURE_DISCOVERY, *((MPS_DAEMON,) if shared else ())):
        yield agents.service_account(fleet, cluster, agent, base.DEVICE_PLUGIN)
    for made in (_feature_role(), agents.role_binding(FEATURE_DISCOVERY, base.DEVICE_PLUGIN)):
        yield base.manifest(fleet, cluster, base.DEVICE_PLUGIN, made, cluster.path)
    for pool in pools:
        yield from _pool(fleet, cluster, pool)


def _pool(fleet: Fleet, cluster: Cluster, pool: NodePool) -> Iterator[Manifest]:
    name = conventions.daemon_set_name(DEVICE_PLUGIN.name, pool.name)
    config = agents.config_map(
        name, base.DEVICE_PLUGIN, {agents.CONFIG_FILE: yaml_text(plugin_config(pool, cluster.device_list_strategy))}
    )
    pods = {DEVICE_PLUGIN: _plugin_pod(cluster, pool, config)} if offered_by_plugin(pool) else {}
    pods[FEATURE_DISCOVERY] = _feature_discovery_pod(cluster, pool, config)
    if pool.sharing.mode is SharingMode.MPS:
        pods[MPS_DAEMON] = _mps_pod(cluster, pool, config)
    yield base.manifest(fleet, cluster, base.DEVICE_PLUGIN, config, pool.path)
    for agent, pod in pods.items():
        made = agents.daemon_set(cluster, pool, agent, base.DEVICE_PLUGIN, pod)
        yield base.manifest(fleet, cluster, base.DEVICE_PLUGIN, made, pool.path, cluster.path)


def plugin_config(pool: NodePool, device_list_strategy: str = ENVVAR) -> dict[str, object]:
    """Return the config that the plugin, GPU Feature Discovery and the MPS daemon of a pool read.

    Whole cards have no `sharing` section, since the plugin refuses fewer than 2 replicas. A request for several shares is
    refused rather than served with shares of one card.
    """
    flags: dict[str, object] = {
        "migStrategy": pool.sharing.strategy.value,
        "failOnInitError": True,
        "useNodeFeatureAPI": True,
        "gfd": {"noTimestamp": True},
    }
    if device_list_strategy != ENVVAR:
        flags["plugin"] = {"deviceListStrategy": device_list_strategy}
    if pool.sharing.mode is SharingMode.MPS:
        flags["mpsRoot"] = MPS_ROOT
    config: dict[str, object] = {"version": "v1", "flags": flags}
    if pool.sharing.shared:
        config["sharing"] = {
            pool.sharing.mode.value: {
                "renameByDefault": pool.sharing.renamed,
                "failRequestsGreaterThanOne": True,
                "resources": [{"name": conventions.RESOURCE_GPU, "replicas": pool.sharing.replicas}],
            }
        }
    return config


def _plugin_pod(cluster: Cluster, pool: NodePool, config: ConfigMap) -> AgentPod:
    """The plugin needs no capability, but where the runtime shows MIG's monitor, or any card, to SYS_ADMIN only (DP#229)."""
    mps = pool.sharing.mode is SharingMode.MPS
    container: Container = {
        "name": DEVICE_PLUGIN.name,
        "image": agents.image(cluster, DEVICE_PLUGIN),
        "imagePullPolicy": "IfNotPresent",
        "command": ["nvidia-device-plugin"],
        "env": agents.env({"CONFIG_FILE": _CONFIG, **agents.gpu_env(pool)}),
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}},
        "securityContext": _plugin_rights(cluster, pool),
        "volumeMounts": [
            agents.config_mount("config"),
            {"name": "device-plugins", "mountPath": _PLUGIN_FOLDER},
            *(_mps_mounts() if mps else ()),
        ],
        "terminationMessagePath": agents.TERMINATION_MESSAGE,
        "terminationMessagePolicy": "File",
    }
    volumes = (
        agents.config_volume("config", config),
        agents.host_volume("device-plugins", _PLUGIN_FOLDER),
        *(_mps_volumes() if mps else ()),
    )
    return AgentPod(containers=(container,), volumes=volumes)


def _plugin_rights(cluster: Cluster, pool: NodePool) -> SecurityContext:
    admin = pool.sharing.mode is SharingMode.MIG or agents.must_be_privileged_to_see_cards(cluster)
    return agents.SYS_ADMIN if admin else agents.NO_CAPABILITIES


def _feature_discovery_pod(cluster: Cluster, pool: NodePool, config: ConfigMap) -> AgentPod:
    """It reads the whole PCI configuration of each card (to know a vGPU), which the kernel allows to SYS_ADMIN only.

    Labels go out by the NodeFeature API: its file in NFD's folder would need a writable folder of the node, which SELinux
    forbids, and is deleted when the pod ends, so that all nvidia.com labels would flap in each MIG change and rollout.
    """
    container: Container = {
        "name": FEATURE_DISCOVERY.name,
        "image": agents.image(cluster, FEATURE_DISCOVERY),
        "imagePullPolicy": "IfNotPresent",
        "command": ["gpu-feature-discovery"],
        "env": [
            *agents.env({"CONFIG_FILE": _CONFIG, **agents.gpu_env(pool)}),
            agents.env_of_pod("NAMESPACE", "metadata.namespace"),
            agents.env_of_pod("NODE_NAME", "spec.nodeName"),
            agents.env_of_pod("POD_NAME", "metadata.name"),
        ],
        "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}},
        "securityContext": agents.SYS_ADMIN,
        "volumeMounts": [agents.config_mount("config"), {"name": "sys", "mountPath": "/sys", "readOnly": True}],
        "terminationMessagePath": agents.TERMINATION_MESSAGE,
        "terminationMessagePolicy": "File",
    }
    volumes = (agents.config_volume("config", config), agents.host_volume("sys", "/sys"))
    return AgentPod(containers=(container,), volumes=volumes)


def _mps_pod(cluster: Cluster, pool: NodePool, config: ConfigMap) -> AgentPod:
    """The MPS control daemon sets the cards to exclusive mode and finds itself by its PID on the node: privileged."""
    image = agents.image(cluster, MPS_DAEMON)
    mount_memory: Container = {
        "name": "mount-shm",
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["mps-control-daemon", "mount-shm"],
        "resources": {},
        "securityContext": agents.PRIVILEGED,
        "volumeMounts": [{"name": "mps-root", "mountPath": "/mps", "mountPropagation": "Bidirectional"}],
        "terminationMessagePath": agents.TERMINATION_MESSAGE,
        "terminationMessagePolicy": "File",
    }
    daemon: Container = {
        "name": MPS_DAEMON.name,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["mps-control-daemon"],
        "env": agents.env({"CONFIG_FILE": _CONFIG, **agents.gpu_env(pool)}),
        "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}},
        "securityContext": agents.PRIVILEGED,
        "volumeMounts": [agents.config_mount("config"), *_mps_mounts()],
        "terminationMessagePath": agents.TERMINATION_MESSAGE,
        "terminationMessagePolicy": "File",
    }
    return AgentPod(
        containers=(daemon,),
        init_containers=(mount_memory,),
        volumes=(agents.config_volume("config", config), *_mps_volumes()),
        node_labels={conventions.LABEL_MPS_CAPABLE: "true"},
        host_pid=True,
    )


def _mps_mounts() -> tuple[VolumeMount, ...]:
    return ({"name": "mps-root", "mountPath": "/mps"}, {"name": "mps-shm", "mountPath": "/dev/shm"})  # noqa: S108 - MPS's


def _mps_volumes() -> tuple[Volume, ...]:
    return (
        agents.host_volume("mps-root", MPS_ROOT, "DirectoryOrCreate"),
        agents.host_volume("mps-shm", f"{MPS_ROOT}/shm", ""),
    )


def _feature_role() -> Role:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": base.namespaced(FEATURE_DISCOVERY.name, conventions.SYSTEM_NAMESPACE, base.DEVICE_PLUGIN),
        "rules": [
            {
                "apiGroups": ["nfd.k8s-sigs.io"],
                "resources": ["nodefeatures"],
                "verbs": ["get", "list", "watch", "create", "update"],
            },
            {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]},
        ],
    }
