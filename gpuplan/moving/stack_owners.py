"""Who owns the cards and the driver of a node, read off what is rendered: selectors against the labels of the pool's nodes.

The GPU Operator's own DaemonSets are not rendered. It makes them for every node with an NVIDIA card but those whose label
keeps it off, and a driver for those that an NVIDIADriver selects (NVIDIA GPU Operator, controllers/state_manager).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.manifests.selecting import meets
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.fleet import Cluster
from gpuplan.model.labels import all_labels
from gpuplan.model.pools import NodePool

Object = Mapping[str, Any]
Labels = Mapping[str, str]
OPERATOR = "the GPU Operator"
"""What the operator is called among owners."""
HOST = "the node"
"""Owner of a driver that the nodes come with."""


def plugin_owners(labels: Labels, cluster: Cluster, *sets: ManifestSet) -> set[str]:
    """Return who would run a device plugin on a node with these labels, of all that any of the sets brings to its cluster."""
    found = {
        str(made["metadata"]["name"])
        for made in _objects(cluster, "DaemonSet", sets)
        if made["metadata"]["labels"].get(conventions.LABEL_APP_NAME) == conventions.DEVICE_PLUGIN
        and selects(made["spec"]["template"]["spec"], labels)
    }
    off = "false" in (labels.get(conventions.LABEL_OPERANDS), labels.get(conventions.LABEL_DEPLOY_PLUGIN))
    return found | ({OPERATOR} if not off and _operator_there(cluster, sets) else set())


def driver_owners(labels: Labels, cluster: Cluster, pools: Iterable[NodePool], *sets: ManifestSet) -> set[str]:
    """Return who would have put a driver on a node; `pools` are the node's pool as the sets' fleets have it.

    On a stack where nobody's agents are, a node is between two drivers unless it comes with one.
    """
    host = any(pool.driver.preinstalled or pool.stack == "manual" for pool in pools)
    kept_off = labels.get(conventions.LABEL_OPERANDS) == "false" or not _operator_there(cluster, sets)
    drivers = {
        f"{OPERATOR}: {made['metadata']['name']}"
        for made in _objects(cluster, "NVIDIADriver", sets)
        if not kept_off and made["spec"]["nodeSelector"].items() <= labels.items()
    }
    return drivers | ({HOST} if host else set())


def twice_owned(before: Cluster, after: Cluster, old: ManifestSet, new: ManifestSet) -> Iterator[str]:
    """Yield, in words, each pool whose nodes could have two owners at some moment between two states of a cluster.

    Objects and labels come and go in any order meanwhile: all objects of both sides are held against the labels of each.
    """
    pools = {pool.name: pool for pool in after.pools}
    for was in before.pools:
        now = pools.get(was.name)
        if now is None or was.card.vendor is not Vendor.NVIDIA:
            continue
        for labels in (all_labels(before, was), all_labels(after, now)):
            for what, owners in (
                ("device plugins", plugin_owners(labels, after, old, new)),
                ("drivers", driver_owners(labels, after, (was, now), old, new)),
            ):
                if len(owners) > 1:
                    yield f"nodes of pool `{was.name}` could have two {what}: {' and '.join(sorted(owners))}"


def _objects(cluster: Cluster, kind: str, sets: Iterable[ManifestSet]) -> Iterator[Any]:
    return (made.object for one in sets for made in one if made.cluster == cluster.name and made.key.kind == kind)


def _operator_there(cluster: Cluster, sets: Iterable[ManifestSet]) -> bool:
    """Tell whether any of the sets brings the operator: its Application, or the policy that it goes by."""
    name = conventions.gpu_operator_application_name(cluster.name)
    return any(
        (made.cluster is None and (made.key.kind, made.key.name) == ("Application", name))
        or (made.cluster == cluster.name and made.key.kind == "ClusterPolicy")
        for one in sets
        for made in one
    )


def selects(pod: Object, labels: Labels) -> bool:
    """Tell whether a pod's node selector and its required node affinity take a node with these labels."""
    if not pod.get("nodeSelector", {}).items() <= labels.items():
        return False
    affinity = pod.get("affinity", {}).get("nodeAffinity", {})
    terms = affinity.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms")
    return terms is None or any(all(_meets(one, labels) for one in term.get("matchExpressions", ())) for term in terms)


def _meets(requirement: Object, labels: Labels) -> bool:
    """Gt and Lt count as met: nothing of ours writes them, and a node that may match does."""
    return requirement["operator"] in {"Gt", "Lt"} or meets((requirement,), labels)
