"""One NVIDIADriver a pool whose nodes come without the driver, and how drivers are replaced there.

A change of driver takes every pod with a GPU off a node. Nodes go one at a time; a stateful pod gets the grace of its task
pool to hand over; the next node waits for the last. Before 26.7 the ClusterPolicy's upgrade policy holds for all drivers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import cast

from gpuplan import conventions
from gpuplan.catalog import Component, operator
from gpuplan.emit import agents, base
from gpuplan.manifests.kinds import NVIDIADriver
from gpuplan.manifests.kinds.gpu_operator import NvidiaDriverSpec, OperatorImage, UpgradePolicy
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.labels import lasting_labels
from gpuplan.model.pools import NodePool, agent_tolerations

DRIVER_REPOSITORY = "nvcr.io/nvidia"
DRIVER_IMAGE = "driver"
LEAST_TIMEOUT_SECONDS = 300
"""NVIDIA's default for taking pods off a node."""
MARGIN_SECONDS = 60
"""Above the longest grace: a pod that uses all of its grace is not one that hangs."""
LARGEST_PART = 4
"""At most a quarter of a pool is out of service, whoever took it out, and upgrades still go on."""


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the drivers of the operator's pools."""
    for pool in cluster.operator_driver_pools:
        paths = [cohort.task_pool.path for cohort in cluster.users_of([pool]) if cohort.task_pool.stateful]
        made = nvidia_driver(fleet, cluster, pool)
        yield base.manifest(fleet, cluster, base.GPU_OPERATOR, made, pool.path, cluster.path, *paths)


def nvidia_driver(fleet: Fleet, cluster: Cluster, pool: NodePool) -> NVIDIADriver:
    """Return the driver of a pool. Its selector is what lasts of the pool's labels, which select no other pool's nodes.

    A label that a change of sharing changes would take the driver off all nodes at once, before its selector follows: the
    operator deletes the DaemonSet of a driver that no node asks for any more.
    """
    spec: dict[str, object] = {
        "driverType": "gpu",
        "image": DRIVER_IMAGE,
        "manager": operand_image(cluster.components["driverManager"]),
        "nodeSelector": lasting_labels(cluster, pool),
        "priorityClassName": agents.PRIORITY_CLASS,
        "rdma": {"enabled": False, "useHostMofed": False},
        "repository": DRIVER_REPOSITORY,
        "tolerations": [base.toleration(one) for one in agent_tolerations([pool])],
        "usePrecompiled": pool.driver.precompiled,
        "version": driver_version(fleet, cluster, pool),
    }
    if accepts(fleet, cluster, operator.DRIVER_KERNEL_MODULES):
        spec["kernelModuleType"] = pool.driver.kernel_modules
    if accepts(fleet, cluster, operator.DRIVER_UPGRADE_POLICY):
        spec["upgradePolicy"] = upgrade_policy(cluster, [pool])
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "NVIDIADriver",
        "metadata": base.metadata(conventions.nvidia_driver_name(pool.name), base.GPU_OPERATOR),
        "spec": cast("NvidiaDriverSpec", dict(sorted(spec.items()))),
    }


def accepts(fleet: Fleet, cluster: Cluster, field: str) -> bool:
    """Tell whether the cluster's operator knows a field."""
    return fleet.catalog.operator.accepts(cluster.gpu_operator.version, field)


def driver_version(fleet: Fleet, cluster: Cluster, pool: NodePool) -> str:
    """Return what the operator installs: the branch where images are precompiled, else a release of it.

    That is the cluster's release set's, where the pool is on its branch, else the newest that we know an image of. A branch
    of which we know none is refused by driver/no-image.
    """
    branch = pool.driver.branch
    if pool.driver.precompiled:
        return branch
    if str(cluster.release.driver.major) == branch:
        return str(cluster.release.driver)
    known = fleet.catalog.drivers.branches.get(branch)
    return str(known.newest) if known and known.newest else branch


def operand_image(component: Component) -> OperatorImage:
    """Return an image in the operator's three parts."""
    repository, _, image = component.repository.rpartition("/")
    return {"repository": repository, "image": image, "version": component.tag}


def upgrade_policy(cluster: Cluster, pools: Iterable[NodePool]) -> UpgradePolicy:
    """Return how drivers of the pools are replaced: one node at a time, with the longest grace of what runs there.

    Unavailable nodes count whoever cordoned them, so 1 would let one broken node stop all upgrades (NVIDIA/gpu-operator
    #2820); a share of a small pool rounds to that as well. Pods with an emptyDir, as most with shared memory, leave like
    others: kept back, they would leave the node cordoned for good.
    """
    selected = tuple(pools)
    timeout = max(LEAST_TIMEOUT_SECONDS, cluster.longest_drain_seconds(selected) + MARGIN_SECONDS)
    nodes = sum(pool.nodes for pool in selected)  # 0 where nobody has counted them
    return {
        "autoUpgrade": True,
        "drain": {"deleteEmptyDir": True, "enable": True, "force": False, "timeoutSeconds": timeout},
        "maxParallelUpgrades": 1,
        "maxUnavailable": min(nodes or 2, max(2, math.ceil(nodes / LARGEST_PART))),
        "podDeletion": {"deleteEmptyDir": True, "force": False, "timeoutSeconds": timeout},
        "waitForCompletion": {"timeoutSeconds": 0},
    }
