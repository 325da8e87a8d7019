"""The ClusterPolicy: everything that the operator runs, but for the drivers.

It says all it means, images too: an operator that came by OLM takes what a policy leaves out from its own bundle. Of
fields that came later it has those that the cluster's operator knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

from gpuplan import conventions
from gpuplan.catalog import Component, DistributionNodes, operator
from gpuplan.emit import agents, base, dcgm
from gpuplan.emit.device_plugin import MPS_ROOT
from gpuplan.emit.gpu_operator.config_maps import DEFAULT_PLUGIN_CONFIG, ConfigMaps
from gpuplan.emit.gpu_operator.drivers import accepts, operand_image, upgrade_policy
from gpuplan.emit.mig import ALL_DISABLED
from gpuplan.manifests.kinds import ClusterPolicy
from gpuplan.manifests.kinds.gpu_operator import (
    Cdi,
    ClusterDriver,
    ClusterPolicySpec,
    DaemonSetsSpec,
    DcgmExporter,
    DevicePlugin,
    HostPaths,
    MigManager,
    Operand,
    OperatorEnv,
    OperatorSpec,
    Toolkit,
    UpgradePolicy,
)
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import agent_tolerations, offered_by_plugin
from gpuplan.model.sharing import MigStrategy, SharingMode

TOOLKIT_FOLDER = "/usr/local/nvidia"
DRIVER_FOLDER = "/run/nvidia/driver"
DEFAULT_LAYOUTS = "default-mig-parted-config"
"""ConfigMap of the operator's own MIG layouts."""
NO_UPGRADES: UpgradePolicy = {"autoUpgrade": False, "maxParallelUpgrades": 1, "maxUnavailable": "25%"}


def cluster_policy(fleet: Fleet, cluster: Cluster, configs: ConfigMaps) -> ClusterPolicy:
    """Return the cluster's only ClusterPolicy, under the name that the operator's chart gives it: there never are two."""
    return {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": base.metadata(
            conventions.CLUSTER_POLICY,
            base.GPU_OPERATOR,
            annotations={conventions.ANNOTATION_GPU_OPERATOR: str(cluster.gpu_operator.version)},
        ),
        "spec": cluster_policy_spec(fleet, cluster, configs),
    }


def cluster_policy_spec(fleet: Fleet, cluster: Cluster, configs: ConfigMaps) -> ClusterPolicySpec:
    """Return what the operator runs on the nodes of its pools.

    Node health is no part of it: `nodeStatusExporter` exports to Prometheus what our alerts know from the cards.
    """
    return {
        "cdi": _cdi(fleet, cluster),
        "daemonsets": _daemon_sets(cluster),
        "dcgm": {"enabled": False},
        "dcgmExporter": _exporter(fleet, cluster, configs),
        "devicePlugin": _device_plugin(cluster, configs),
        "driver": _driver(fleet, cluster),
        "gfd": _operand(cluster.components["devicePlugin"]),
        "hostPaths": _host_paths(fleet, cluster),
        "mig": {"strategy": _mig_strategy(cluster)},
        "migManager": _mig_manager(cluster, configs),
        "nodeStatusExporter": {"enabled": False},
        "operator": _operator(fleet, cluster),
        "psa": {"enabled": True},
        "sandboxWorkloads": {"defaultWorkload": "container", "enabled": False},
        "toolkit": _toolkit(fleet, cluster),
    }


def _operand(component: Component, *, enabled: bool = True) -> Operand:
    return {"enabled": enabled, **operand_image(component)}


def _cdi(fleet: Fleet, cluster: Cluster) -> Cdi:
    """The NRI plugin is young, and needs a container runtime that we know nothing of."""
    made: Cdi = {"default": False, "enabled": True}
    return {**made, "nriPluginEnabled": False} if accepts(fleet, cluster, operator.NRI_PLUGIN) else made


def _daemon_sets(cluster: Cluster) -> DaemonSetsSpec:
    return {
        "priorityClassName": agents.PRIORITY_CLASS,
        "rollingUpdate": {"maxUnavailable": "1"},
        "tolerations": [base.toleration(one) for one in agent_tolerations(cluster.operator_pools)],
        "updateStrategy": "RollingUpdate",
    }


def _exporter(fleet: Fleet, cluster: Cluster, configs: ConfigMaps) -> DcgmExporter:
    """Its ServiceMonitor is ours: the operator's cannot say which pool a node belongs to."""
    pools = cluster.operator_pools
    interval = {"DCGM_EXPORTER_INTERVAL": str(fleet.monitoring.interval_seconds * 1000)}
    made: dict[str, object] = {
        **_operand(cluster.components["dcgmExporter"]),
        "config": {"name": configs.counters["metadata"]["name"]},
        "env": _env({**interval, **dcgm.holder_settings(pools)}),
        "service": {"internalTrafficPolicy": "Cluster"},
        "serviceMonitor": {"enabled": False},
    }
    if any(pool.sharing.shared for pool in pools) and accepts(fleet, cluster, operator.EXPORTER_HOST_PID):
        made["hostPID"] = True
    return cast("DcgmExporter", made)


def _env(values: Mapping[str, str]) -> list[OperatorEnv]:
    return [{"name": name, "value": value} for name, value in sorted(values.items())]


def _device_plugin(cluster: Cluster, configs: ConfigMaps) -> DevicePlugin:
    offered = any(offered_by_plugin(pool) for pool in cluster.operator_pools)
    return {
        **_operand(cluster.components["devicePlugin"], enabled=offered),
        "config": {"default": DEFAULT_PLUGIN_CONFIG, "name": configs.plugin["metadata"]["name"]},
        "mps": {"root": MPS_ROOT},
    }


def _driver(fleet: Fleet, cluster: Cluster) -> ClusterDriver:
    """Drivers are NVIDIADrivers' matter. Before 26.7 those take their upgrade policy from here."""
    pools = cluster.operator_driver_pools
    own_policies = accepts(fleet, cluster, operator.DRIVER_UPGRADE_POLICY)
    made: ClusterDriver = {
        "enabled": bool(pools),
        "manager": operand_image(cluster.components["driverManager"]),
        "rdma": {"enabled": False, "useHostMofed": False},
        "upgradePolicy": upgrade_policy(cluster, pools) if pools and not own_policies else NO_UPGRADES,
        "useNvidiaDriverCRD": bool(pools),
        "usePrecompiled": False,
    }
    return {**made, "kernelModuleType": "auto"} if accepts(fleet, cluster, operator.POLICY_KERNEL_MODULES) else made


def _host_paths(fleet: Fleet, cluster: Cluster) -> HostPaths:
    by_others = not cluster.operator_driver_pools
    folder = _distribution(fleet, cluster).driver_folder if by_others else ""
    return {"driverInstallDir": folder or DRIVER_FOLDER, "rootFS": "/"}


def _distribution(fleet: Fleet, cluster: Cluster) -> DistributionNodes:
    return fleet.catalog.distributions[cluster.distribution]


def _mig_manager(cluster: Cluster, configs: ConfigMaps) -> MigManager:
    """Nodes of the operator without a layout are whole: it switches MIG off where no label names a layout."""
    cut = any(pool.sharing.mode is SharingMode.MIG for pool in cluster.operator_pools)
    return {
        **_operand(cluster.components["migManager"], enabled=cut),
        "config": {
            "default": ALL_DISABLED,
            "name": configs.mig["metadata"]["name"] if configs.mig else DEFAULT_LAYOUTS,
        },
    }


def _mig_strategy(cluster: Cluster) -> Literal["none", "single", "mixed"]:
    """Return the strategy of all nodes; that no two are asked for is for operator/two-mig-strategies.

    It is never left out, which would let each node's file decide: the chart then makes `mig: null`, which a server-side apply
    refuses.
    """
    strategies = {pool.sharing.strategy for pool in cluster.operator_pools} - {MigStrategy.NONE}
    return min((strategy.value for strategy in strategies), default=MigStrategy.NONE.value)


def _operator(fleet: Fleet, cluster: Cluster) -> OperatorSpec:
    """`defaultRuntime` is ignored, but the server fills it in where it is left out."""
    made: OperatorSpec = {
        "defaultRuntime": "crio" if cluster.container_runtime == "cri-o" else "containerd",
        "runtimeClass": runtime_class(fleet, cluster),
    }
    return {**made, "use_ocp_driver_toolkit": True} if cluster.distribution == "openshift" else made


def _toolkit(fleet: Fleet, cluster: Cluster) -> Toolkit:
    distribution = _distribution(fleet, cluster)
    made: dict[str, object] = {
        **_operand(cluster.components["containerToolkit"], enabled=toolkit_enabled(fleet, cluster)),
        "installDir": distribution.toolkit_folder or TOOLKIT_FOLDER,
    }
    if distribution.toolkit_env:
        made["env"] = _env(distribution.toolkit_env)
    return cast("Toolkit", made)


def runtime_class(fleet: Fleet, cluster: Cluster) -> str:
    """Return the RuntimeClass that the operator makes: the nodes' own where they come with a toolkit that goes by another."""
    own = _distribution(fleet, cluster).runtime_class
    return own if own and not toolkit_enabled(fleet, cluster) else conventions.RUNTIME_CLASS


def toolkit_enabled(fleet: Fleet, cluster: Cluster) -> bool:
    """Tell whether the operator installs the container toolkit: not where all nodes come with the driver and with it."""
    provided = _distribution(fleet, cluster).toolkit_on_nodes
    return not (provided and all(pool.driver.preinstalled for pool in cluster.operator_pools))
