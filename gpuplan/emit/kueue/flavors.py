"""Topologies and ResourceFlavors: the hardware as Kueue sees it.

A flavor never carries `nodeTaints`: they only filter jobs, and whoever has a queue may use its cards. It carries the
tolerations of its pools' taints, which Kueue adds to the pods.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.emit.base import FLAVORS, manifest, metadata, toleration
from gpuplan.manifests.kinds import ResourceFlavor, Topology
from gpuplan.manifests.kinds.kueue import ResourceFlavorSpec
from gpuplan.manifests.set import Manifest
from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import CardTier


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield a Topology for each tier and revision that has levels, and every flavor of the cluster, where queues can use them."""
    if not cluster.own_quota:
        return
    topologies = {flavor.topology: flavor.tier for flavor in cluster.flavors if flavor.levels}
    for name, tier in topologies.items():
        yield manifest(fleet, cluster, FLAVORS, _topology(name, tier), tier.path)
    for flavor in cluster.flavors:
        paths = [pool.path for pool in flavor.pools]
        yield manifest(fleet, cluster, FLAVORS, _flavor(flavor), flavor.tier.path, *paths)


def _topology(name: str, tier: CardTier) -> Topology:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Topology",
        "metadata": metadata(name, FLAVORS),
        "spec": {"levels": [{"nodeLabel": level} for level in tier.levels]},
    }


def _flavor(flavor: Flavor) -> ResourceFlavor:
    spec: ResourceFlavorSpec = {"nodeLabels": dict(flavor.node_labels)}
    if flavor.tolerations:
        spec["tolerations"] = [toleration(one) for one in flavor.tolerations]
    if flavor.levels:
        spec["topologyName"] = flavor.topology
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": metadata(flavor.name, FLAVORS, labels={conventions.LABEL_TIER: flavor.tier.name}),
        "spec": spec,
    }
