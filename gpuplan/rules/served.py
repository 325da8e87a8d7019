"""Which pools the NVIDIA GPU Operator serves, and which drivers it installs, as rules ask."""

from __future__ import annotations

from gpuplan.catalog import Vendor
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool


def by_operator(cluster: Cluster) -> tuple[NodePool, ...]:
    """Return the pools that a cluster's NVIDIA GPU Operator serves."""
    return cluster.pools_on("operator", Vendor.NVIDIA)


def installed_by_operator(cluster: Cluster) -> tuple[NodePool, ...]:
    """Return the pools whose driver it installs."""
    return tuple(pool for pool in by_operator(cluster) if not pool.driver.preinstalled)
