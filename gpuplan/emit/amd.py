"""AMD's cards where AMD's GPU Operator runs their agents: one DeviceConfig a pool, and the profiles by which cards are cut.

Facts: ROCm/gpu-operator 1.5. Others install the operator itself, with cert-manager, Node Feature Discovery and Kernel
Module Management. The selector of a DeviceConfig is what lasts of the pool's own labels, so that no two take one node, and
no node loses its driver when its cards are cut anew. The device config manager partitions the cards of a node as its label
says, while a person keeps everything else away by the taint `amd-dcm=up:NoExecute`: its own pod tolerates that, and nothing
of ours may, so that the plugin counts the cards anew.
AMD's DRA driver stays off: on one node with the plugin it would hand out a card twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.emit import base
from gpuplan.manifests.kinds import ConfigMap, DeviceConfig
from gpuplan.manifests.kinds.amd import ConfigManager, DevicePlugin, Driver, MetricsExporter
from gpuplan.manifests.kinds.pod import Toleration
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.labels import lasting_labels
from gpuplan.model.pools import (
    NodePool,
    agent_tolerations,
    partition_profile,
    produced_resources,
)
from gpuplan.model.sharing import SharingMode

CONFIG_MANAGER, PLUGIN, EXPORTER = "device-config-manager", "device-plugin", "metrics-exporter"
"""The operator's agents, as their DaemonSets and Services are called after the name of their DeviceConfig."""
CONFIG_FILE = "config.json"
SHORTEST_DRAIN_SECONDS = 300
"""Time that a node gets to empty itself before its driver changes: the operator's own default."""


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the DeviceConfig of each pool that AMD's operator serves, and the partition profiles that they name."""
    pools = operator_pools(cluster)
    partitioned = [pool for pool in pools if pool.sharing.mode is SharingMode.PARTITION]
    if partitioned:
        paths = [pool.path for pool in partitioned]
        yield base.manifest(fleet, cluster, base.DEVICE_PLUGIN, _profiles(cluster, partitioned), *paths)
    for pool in pools:
        made = _device_config(fleet, cluster, pool)
        yield base.manifest(fleet, cluster, base.DEVICE_PLUGIN, made, pool.path, cluster.path)


def operator_pools(cluster: Cluster) -> tuple[NodePool, ...]:
    """Return the pools with AMD cards whose agents AMD's operator runs."""
    return cluster.pools_on("operator", Vendor.AMD)


def agent_name(pool: NodePool, agent: str) -> str:
    """Return the name of an agent's DaemonSet, and of its Service where it has one."""
    return f"{conventions.device_config_name(pool.name)}-{agent}"


def namespace(cluster: Cluster) -> str:
    """Return the namespace of AMD's operator and its agents."""
    on_openshift = cluster.distribution == "openshift"
    return conventions.AMD_NAMESPACE_ON_OPENSHIFT if on_openshift else conventions.AMD_NAMESPACE


def _device_config(fleet: Fleet, cluster: Cluster, pool: NodePool) -> DeviceConfig:
    tolerated = [base.toleration(one) for one in agent_tolerations([pool])]
    return {
        "apiVersion": "amd.com/v1alpha1",
        "kind": "DeviceConfig",
        "metadata": base.namespaced(
            conventions.device_config_name(pool.name),
            namespace(cluster),
            base.DEVICE_PLUGIN,
        ),
        "spec": {
            "driver": _driver(fleet, cluster, pool, tolerated),
            "devicePlugin": _device_plugin(pool, tolerated),
            "draDriver": {"enable": False},
            "metricsExporter": _metrics_exporter(fleet, pool, tolerated),
            "configManager": _config_manager(pool, tolerated),
            "testRunner": {"enable": False},
            "selector": lasting_labels(cluster, pool),
        },
    }


def _driver(fleet: Fleet, cluster: Cluster, pool: NodePool, tolerated: list[Toleration]) -> Driver:
    """Install the driver unless the nodes come with it, one node at a time."""
    if pool.driver.preinstalled:
        return {"enable": False}
    return {
        "enable": True,
        "version": fleet.catalog.vendors.of(pool.card).driver,
        "upgradePolicy": {
            "enable": True,
            "maxParallelUpgrades": 1,
            "maxUnavailableNodes": "25%",
            "nodeDrainPolicy": {"force": False, "timeoutSeconds": drain_seconds(cluster, pool)},
            "rebootRequired": True,
        },
        "tolerations": tolerated,
    }


def drain_seconds(cluster: Cluster, pool: NodePool) -> int:
    """Return how long a node may take to empty itself: as long as the slowest stateful pod that may run there."""
    return max(SHORTEST_DRAIN_SECONDS, cluster.longest_drain_seconds([pool]))


def _device_plugin(pool: NodePool, tolerated: list[Toleration]) -> DevicePlugin:
    """Name resources as the queues count them."""
    return {
        "enableNodeLabeller": True,
        "devicePluginArguments": {"resource_naming_strategy": naming_strategy(pool)},
        "devicePluginTolerations": tolerated,
        "nodeLabellerTolerations": tolerated,
    }


def naming_strategy(pool: NodePool) -> str:
    """Return how AMD's plugin names what the pool offers: every device as a card, or each after its partition."""
    renamed = any(made.resource != pool.card.resource for made in produced_resources(pool))
    return "mixed" if renamed else "single"


def _metrics_exporter(fleet: Fleet, pool: NodePool, tolerated: list[Toleration]) -> MetricsExporter:
    port = fleet.catalog.vendors.of(pool.card).exporter.port
    return {"enable": True, "port": port, "serviceType": "ClusterIP", "tolerations": tolerated}


def _config_manager(pool: NodePool, tolerated: list[Toleration]) -> ConfigManager:
    if pool.sharing.mode is not SharingMode.PARTITION:
        return {"enable": False}
    return {"enable": True, "config": {"name": conventions.AMD_PARTITIONS}, "configManagerTolerations": tolerated}


def _profiles(cluster: Cluster, pools: Iterable[NodePool]) -> ConfigMap:
    """Return every profile that a node of the cluster may name. The manager follows changes by itself: no hash."""
    profiles = {partition_profile(pool): _profile(pool) for pool in pools}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": base.namespaced(conventions.AMD_PARTITIONS, namespace(cluster), base.DEVICE_PLUGIN),
        "data": {CONFIG_FILE: json.dumps({"gpu-config-profiles": profiles}, indent=2, sort_keys=True) + "\n"},
    }


def _profile(pool: NodePool) -> dict[str, object]:
    """All cards of a node alike: the manager refuses a profile whose numbers are not those of the node."""
    compute, _, memory = pool.sharing.config.partition("-")
    return {
        "skippedGPUs": {"ids": []},
        "profiles": [{"computePartition": compute, "memoryPartition": memory, "numGPUsAssigned": pool.cards_per_node}],
    }
