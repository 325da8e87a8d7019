"""The NVIDIA GPU Operator: what it is told of its pools, and what it is installed with (docs/decisions/0008).

Facts: NVIDIA/gpu-operator 25.3 to 26.7 (CRDs, chart, operands), and its documentation.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit import base
from gpuplan.emit.gpu_operator import drivers
from gpuplan.emit.gpu_operator.cluster_policy import cluster_policy, cluster_policy_spec, runtime_class
from gpuplan.emit.gpu_operator.config_maps import ConfigMaps, config_maps
from gpuplan.emit.gpu_operator.helm import values
from gpuplan.emit.gpu_operator.monitor import service_monitor
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.sharing import SharingMode

__all__ = ["chart_values", "emit", "makes_runtime_class"]


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield what a cluster with the operator needs besides its installation.

    Where gpuplan renders the installation, the ClusterPolicy is part of it: the chart always makes one.
    """
    pools = cluster.operator_pools
    if not cluster.has_operator:
        return
    configs = config_maps(fleet, cluster)
    yield from _config_maps(fleet, cluster, configs)
    if not cluster.gpu_operator.managed:
        policy = cluster_policy(fleet, cluster, configs)
        yield base.manifest(fleet, cluster, base.GPU_OPERATOR, policy, cluster.path, *(pool.path for pool in pools))
    yield from drivers.emit(fleet, cluster)
    monitor = service_monitor(fleet.monitoring, cluster)
    yield base.manifest(fleet, cluster, base.MONITORING, monitor, fleet.monitoring.path, cluster.path)


def _config_maps(fleet: Fleet, cluster: Cluster, configs: ConfigMaps) -> Iterator[Manifest]:
    pools = cluster.operator_pools
    cut = [pool.path for pool in pools if pool.sharing.mode is SharingMode.MIG]
    yield base.manifest(
        fleet, cluster, base.GPU_OPERATOR, configs.plugin, *([pool.path for pool in pools] or [cluster.path])
    )
    if configs.mig:
        yield base.manifest(fleet, cluster, base.GPU_OPERATOR, configs.mig, *cut)
    yield base.manifest(fleet, cluster, base.GPU_OPERATOR, configs.counters, fleet.monitoring.path, cluster.path)


def makes_runtime_class(fleet: Fleet, cluster: Cluster, name: str) -> bool:
    """Tell whether a cluster's operator makes a RuntimeClass, and writes it anew whenever somebody else's hand was on it."""
    return cluster.has_operator and runtime_class(fleet, cluster) == name


def chart_values(fleet: Fleet, cluster: Cluster) -> dict[str, object]:
    """Return the values with which the operator's chart is installed in a cluster that has it."""
    return values(cluster, cluster_policy_spec(fleet, cluster, config_maps(fleet, cluster)))
