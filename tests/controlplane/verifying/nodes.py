"""What nodes say of themselves on a good cluster: feature discovery's and the MIG manager's labels, and the kubelet's words."""

from __future__ import annotations

from collections.abc import Mapping

from gpuplan import conventions
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import MigStrategy, SharingMode
from tests.controlplane.client import Object

DRIVERS = {"580": "580.173.02", "595": "595.91.07"}
"""A version of each branch that the pools run."""
KUBELET = "v1.36.2"
RUNTIME = "containerd://2.2.1"


def discovered(pool: NodePool) -> Mapping[str, str]:
    """Return the labels that feature discovery sets on a node of a pool (NVIDIA/k8s-device-plugin v0.20.0, internal/lm)."""
    version = DRIVERS[pool.driver.branch]
    major, minor, revision = version.split(".")
    replicas = pool.sharing.replicas if pool.sharing.shared else 1
    labels = {
        "nvidia.com/cuda.driver-version.full": version,
        "nvidia.com/cuda.driver-version.major": major,
        "nvidia.com/cuda.driver-version.minor": minor,
        "nvidia.com/cuda.driver-version.revision": revision,
        "nvidia.com/gpu.family": pool.card.architecture,
        "nvidia.com/gpu.sharing-strategy": "time-slicing" if pool.sharing.mode is SharingMode.TIME_SLICING else "none",
        conventions.LABEL_CARD_COUNT: str(pool.cards_per_node),
        conventions.LABEL_PRODUCT: pool.card.product_name,
        "nvidia.com/mig.capable": str(pool.mig_class is not None).lower(),
        "nvidia.com/gpu.replicas": "0" if pool.sharing.mode is SharingMode.MIG else str(replicas),
    }
    if pool.sharing.mode is SharingMode.MIG:
        labels[conventions.LABEL_MIG_STRATEGY] = pool.sharing.strategy.value
        labels["nvidia.com/mig.config.state"] = "success"
    assert pool.sharing.strategy is not MigStrategy.SINGLE, "its labels are of the instances"
    return labels


def said_by_kubelet() -> Object:
    """Return the part of a node's status that says what runs on it."""
    return {
        "nodeInfo": {
            "architecture": "amd64",
            "bootID": "",
            "containerRuntimeVersion": RUNTIME,
            "kernelVersion": "6.8.0-79-generic",
            "kubeProxyVersion": KUBELET,
            "kubeletVersion": KUBELET,
            "machineID": "",
            "operatingSystem": "linux",
            "osImage": "Ubuntu 24.04.3 LTS",
            "systemUUID": "",
        }
    }
