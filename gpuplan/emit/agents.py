"""What NVIDIA's node agents share: who they are, where they run, what they may do, and what the server fills in.

One DaemonSet a pool and agent (docs/decisions/0005): the pool's own labels select its nodes; its own taints are
tolerated, and the one of nodes whose GPUs are not healthy, nothing more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.emit import base
from gpuplan.emit.base import Area
from gpuplan.manifests.kinds import ConfigMap, DaemonSet, RoleBinding, ServiceAccount
from gpuplan.manifests.kinds.pod import (
    Affinity,
    Container,
    EnvVar,
    NodeSelector,
    NodeSelectorRequirement,
    PodSpec,
    SecurityContext,
    VolumeMount,
)
from gpuplan.manifests.kinds.volume import Volume
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, agent_tolerations, node_labels, offered_by_plugin
from gpuplan.model.sharing import SharingMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One kind of agent: its name, and how the MIG manager knows its pods.

    `app` is the value of the pod label `app` that the MIG manager waits for, and `deploy` the end of the node label
    `nvidia.com/gpu.deploy.…` by which it pauses the agent; empty for agents that it leaves alone (mig-parted,
    pkg/mig/reconfigure). The manager's own is for a person, who keeps it off a node by `false` until that is empty.
    `component` is the release's component with its image; `uses_api` tells whether it talks to the API server.
    """

    name: str
    component: str
    app: str = ""
    deploy: str = ""
    uses_api: bool = False


DEVICE_PLUGIN = Agent(
    name=conventions.DEVICE_PLUGIN,
    component="devicePlugin",
    app="nvidia-device-plugin-daemonset",
    deploy="device-plugin",
)
FEATURE_DISCOVERY = Agent(
    name=conventions.FEATURE_DISCOVERY,
    component="devicePlugin",
    app="gpu-feature-discovery",
    deploy="gpu-feature-discovery",
    uses_api=True,
)
MPS_DAEMON = Agent(name=conventions.MPS_DAEMON, component="devicePlugin")
MIG_MANAGER = Agent(name=conventions.MIG_MANAGER, component="migManager", deploy="mig-manager", uses_api=True)
DCGM_EXPORTER = Agent(
    name=conventions.DCGM_EXPORTER, component="dcgmExporter", app="nvidia-dcgm-exporter", deploy="dcgm-exporter"
)
AGENTS = (DEVICE_PLUGIN, FEATURE_DISCOVERY, MPS_DAEMON, MIG_MANAGER, DCGM_EXPORTER)

PAUSED = ("false", "paused-for-mig-change")
"""Values of a deploy label that keep an agent off a node: by a person's will, and while the MIG manager cuts it."""
CONFIG_FOLDER = "/config"
CONFIG_FILE = "config.yaml"
HASH_DIGITS = 8
PRIORITY_CLASS = "system-node-critical"
TERMINATION_MESSAGE = "/dev/termination-log"
"""Where a container may leave its last words: the API server's default."""
HostPathKind = Literal["", "Directory", "DirectoryOrCreate"]


NO_CAPABILITIES: SecurityContext = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
SYS_ADMIN: SecurityContext = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"add": ["SYS_ADMIN"], "drop": ["ALL"]},
    "runAsUser": 0,
}
PRIVILEGED: SecurityContext = {"privileged": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPod:
    """What differs between the pods of the agents."""

    containers: tuple[Container, ...]
    volumes: tuple[Volume, ...]
    init_containers: tuple[Container, ...] = ()
    node_labels: Mapping[str, str] | None = None
    """Labels that the nodes need besides the pool's."""
    host_pid: bool = False
    host_ipc: bool = False


def managed_pools(cluster: Cluster) -> tuple[NodePool, ...]:
    """Return the pools with NVIDIA cards whose agents are ours."""
    return cluster.pools_on("manual", Vendor.NVIDIA)


def plugin_pools(cluster: Cluster) -> tuple[NodePool, ...]:
    """Return those of the managed pools whose cards our device plugin offers, rather than HAMi or a DRA driver."""
    return tuple(pool for pool in managed_pools(cluster) if offered_by_plugin(pool))


def present(cluster: Cluster) -> tuple[Agent, ...]:
    """Return the agents that the cluster's pools need: those of shared and cut cards only where there are such."""
    modes = {pool.sharing.mode for pool in managed_pools(cluster)}
    served = {MPS_DAEMON: SharingMode.MPS, MIG_MANAGER: SharingMode.MIG}
    return tuple(agent for agent in AGENTS if modes and (agent not in served or served[agent] in modes))


def nvidia_pools(cluster: Cluster) -> tuple[NodePool, ...]:
    """Return the pools with NVIDIA cards."""
    return tuple(pool for pool in cluster.pools if pool.card.vendor is Vendor.NVIDIA)


def image(cluster: Cluster, agent: Agent) -> str:
    """Return the image of an agent in the cluster's release."""
    return cluster.components[agent.component].image


def must_be_privileged_to_see_cards(cluster: Cluster) -> bool:
    """Tell whether the runtime obeys NVIDIA_VISIBLE_DEVICES in privileged containers only, to which SYS_ADMIN counts.

    That is how the nodes must be set up where the plugin names cards by mounts, or anybody could still name them all.
    """
    return cluster.device_list_strategy == "volume-mounts"


def env(values: Mapping[str, str]) -> list[EnvVar]:
    """Return environment variables with fixed values."""
    return [{"name": name, "value": value} for name, value in values.items()]


def env_of_pod(name: str, field: str) -> EnvVar:
    """Return a variable that holds a field of the pod, such as `spec.nodeName`."""
    return {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": field}}}


def gpu_env(pool: NodePool) -> dict[str, str]:
    """Return what makes the NVIDIA runtime show every card, and on a MIG node every instance, to an agent."""
    shown = {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}
    return {**shown, "NVIDIA_MIG_MONITOR_DEVICES": "all"} if pool.sharing.mode is SharingMode.MIG else shown


def config_map(
    name: str, area: Area, data: Mapping[str, str], namespace: str = conventions.SYSTEM_NAMESPACE
) -> ConfigMap:
    """Return an immutable ConfigMap whose name ends in a hash of its data, so that a change rolls the pods."""
    digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:HASH_DIGITS]
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": base.namespaced(f"{name}-{digest}", namespace, area),
        "immutable": True,
        "data": dict(data),
    }


def config_volume(name: str, made: ConfigMap) -> Volume:
    """Return a volume with the files of a ConfigMap."""
    return {"name": name, "configMap": {"name": made["metadata"]["name"], "defaultMode": 0o644}}


def config_mount(name: str, folder: str = CONFIG_FOLDER) -> VolumeMount:
    """Return the read-only mount of a configuration."""
    return {"name": name, "mountPath": folder, "readOnly": True}


def host_volume(name: str, path: str, kind: HostPathKind = "Directory") -> Volume:
    """Return a folder of the node; `kind` says what must be there, an empty one checks nothing."""
    return {"name": name, "hostPath": {"path": path, "type": kind}}


def service_account(fleet: Fleet, cluster: Cluster, agent: Agent, area: Area) -> Manifest:
    """Return the agent's identity; it gets a token only where it talks to the API server."""
    made: ServiceAccount = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": base.namespaced(agent.name, conventions.SYSTEM_NAMESPACE, area),
        "automountServiceAccountToken": agent.uses_api,
    }
    return base.manifest(fleet, cluster, area, made, cluster.path)


def role_binding(agent: Agent, area: Area) -> RoleBinding:
    """Return the binding of an agent to the Role of its name, in the agents' own namespace."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": base.namespaced(agent.name, conventions.SYSTEM_NAMESPACE, area),
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": agent.name},
        "subjects": [{"kind": "ServiceAccount", "name": agent.name, "namespace": conventions.SYSTEM_NAMESPACE}],
    }


def daemon_set(cluster: Cluster, pool: NodePool, agent: Agent, area: Area, pod: AgentPod) -> DaemonSet:
    """Return the agent's DaemonSet of a pool, with every default that the API server would fill in."""
    name = conventions.daemon_set_name(agent.name, pool.name)
    ours = {conventions.LABEL_APP_NAME: agent.name, conventions.LABEL_POOL: pool.name}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": base.namespaced(name, conventions.SYSTEM_NAMESPACE, area, labels=ours),
        "spec": {
            "revisionHistoryLimit": 10,
            "selector": {"matchLabels": ours},
            "template": {
                "metadata": {"labels": {"app": agent.app, **ours} if agent.app else ours},
                "spec": _pod_spec(cluster, pool, agent, pod),
            },
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
        },
    }


def _pod_spec(cluster: Cluster, pool: NodePool, agent: Agent, pod: AgentPod) -> PodSpec:
    made: PodSpec = {
        "containers": list(pod.containers),
        "dnsPolicy": "ClusterFirst",
        "nodeSelector": {**node_labels(pool), **(pod.node_labels or {})},
        "priorityClassName": PRIORITY_CLASS,
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "serviceAccount": agent.name,
        "serviceAccountName": agent.name,
        "terminationGracePeriodSeconds": 30,
        "volumes": list(pod.volumes),
    }
    if pod.init_containers:
        made["initContainers"] = list(pod.init_containers)
    if pod.host_pid:
        made["hostPID"] = True
    if pod.host_ipc:
        made["hostIPC"] = True
    if agent.deploy and pool.sharing.mode is SharingMode.MIG:
        made["affinity"] = _away_from_paused(agent)
    if needs_runtime_class(cluster):
        made["runtimeClassName"] = conventions.RUNTIME_CLASS
    made["tolerations"] = [base.toleration(one) for one in agent_tolerations([pool])]
    return cast("PodSpec", dict(sorted(made.items())))


def needs_runtime_class(cluster: Cluster) -> bool:
    """Tell whether pods must name the nvidia runtime to see a card.

    Not where it is the default runtime, nor on OpenShift, where CRI-O gives every pod the driver by a hook.
    """
    return not cluster.nvidia_default_runtime and cluster.distribution != "openshift"


def _away_from_paused(agent: Agent) -> Affinity:
    """Keep the agent off nodes where the MIG manager has paused it; a node without the label is not paused."""
    running: NodeSelectorRequirement = {
        "key": f"{conventions.LABEL_DEPLOY}.{agent.deploy}",
        "operator": "NotIn",
        "values": list(PAUSED),
    }
    required: NodeSelector = {"nodeSelectorTerms": [{"matchExpressions": [running]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
