"""Snippets for what makes the nodes: the labels and taints that a pool's nodes must be born with.

They lie in `rendered/provisioner/`, which no Argo CD application reads: who owns the node group puts them there. Each
is one object in the shape that its tool takes, with the hints that Cluster Autoscaler needs to start a pool from zero
nodes where it cannot see labels and taints by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from gpuplan import conventions
from gpuplan.emit import base
from gpuplan.manifests.set import TextFile
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.labels import all_labels
from gpuplan.model.pools import (
    NodePool,
    SelectedBy,
    Taint,
    allocatable,
    node_labels,
)

Snippet = dict[str, object]

CLOUD_EFFECTS = {"NoSchedule": "NO_SCHEDULE", "PreferNoSchedule": "PREFER_NO_SCHEDULE", "NoExecute": "NO_EXECUTE"}
"""Kubernetes' taint effects as the APIs of EKS and GKE spell them."""
_AUTOSCALER = "capacity.cluster-autoscaler.kubernetes.io"
_AUTOSCALER_TAG = "k8s.io/cluster-autoscaler/node-template"


def texts(fleet: Fleet, cluster: Cluster) -> Iterator[TextFile]:
    """Yield a snippet for each pool whose nodes need labels that neither their provider nor NFD sets."""
    for pool in cluster.pools:
        snippet = _snippet(cluster, pool)
        if snippet:
            yield TextFile(
                path=conventions.PROVISIONER_FILE.format(cluster=cluster.name, pool=pool.name),
                text=yaml_text(snippet),
                origin=base.origin(fleet, pool.path),
            )


def _snippet(cluster: Cluster, pool: NodePool) -> Snippet:
    if pool.selection.by is SelectedBy.PROVISIONER:
        return SNIPPETS[pool.selection.provisioner](cluster, pool)
    if pool.selection.by is SelectedBy.LABELS:
        return _missing_labels(cluster, pool)
    return {}


def _missing_labels(cluster: Cluster, pool: NodePool) -> Snippet:
    """Labels that the agents read, on a pool whose nodes others label."""
    present = node_labels(pool)
    missing = {key: value for key, value in all_labels(cluster, pool).items() if present.get(key) != value}
    return {"nodeLabels": missing} if missing else {}


def _karpenter(cluster: Cluster, pool: NodePool) -> Snippet:
    """A part of a NodePool. Karpenter replaces the nodes of a pool whose labels or taints change."""
    template: Snippet = {"metadata": {"labels": all_labels(cluster, pool)}}
    if pool.taints:
        template["spec"] = {"taints": [_taint(taint) for taint in pool.taints]}
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": pool.name},
        "spec": {"template": template},
    }


def _capi(cluster: Cluster, pool: NodePool) -> Snippet:
    """A part of a MachineDeployment.

    Labels outside Cluster API's own domains reach the nodes only with `--additional-sync-machine-labels`, taints only with
    the gate MachineTaintPropagation.
    """
    hints = {f"{_AUTOSCALER}/labels": ",".join(f"{key}={value}" for key, value in all_labels(cluster, pool).items())}
    produced = allocatable(pool)
    if len(produced) == 1 and pool.cards_per_node:  # the autoscaler can be told of one
        hints[f"{_AUTOSCALER}/gpu-count"] = str(produced[0].per_node)
        hints[f"{_AUTOSCALER}/gpu-type"] = produced[0].resource
    template: Snippet = {"metadata": {"labels": all_labels(cluster, pool)}}
    if pool.taints:
        hints[f"{_AUTOSCALER}/taints"] = ",".join(map(_taint_text, pool.taints))
        template["spec"] = {"taints": [{**_taint(taint), "propagation": "Always"} for taint in pool.taints]}
    return {
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "MachineDeployment",
        "metadata": {"name": pool.name, "annotations": dict(sorted(hints.items()))},
        "spec": {"template": template},
    }


def _eks(cluster: Cluster, pool: NodePool) -> Snippet:
    """What `aws eks update-nodegroup-config` takes, and the tags of the node group's Auto Scaling group.

    EKS does not copy a node group's labels and taints to the group that Cluster Autoscaler reads.
    """
    tags = {f"{_AUTOSCALER_TAG}/label/{key}": value for key, value in all_labels(cluster, pool).items()}
    tags |= {f"{_AUTOSCALER_TAG}/taint/{taint.key}": f"{taint.value}:{taint.effect}" for taint in pool.taints}
    tags |= {
        f"{_AUTOSCALER_TAG}/resources/{made.resource}": str(made.per_node)
        for made in allocatable(pool)
        if made.per_node
    }
    update: Snippet = {"labels": {"addOrUpdateLabels": all_labels(cluster, pool)}}
    if pool.taints:
        update["taints"] = {"addOrUpdateTaints": [_cloud_taint(taint) for taint in pool.taints]}
    return {"nodegroupConfig": update, "autoScalingGroupTags": dict(sorted(tags.items()))}


def _gke(cluster: Cluster, pool: NodePool) -> Snippet:
    """The `config` of a node pool of the GKE API; its autoscaler reads labels and taints from there."""
    config: Snippet = {"labels": all_labels(cluster, pool)}
    if pool.taints:
        config["taints"] = [_cloud_taint(taint) for taint in pool.taints]
    return {"name": pool.name, "config": config}


def _talos(cluster: Cluster, pool: NodePool) -> Snippet:
    """A patch of the machine configuration."""
    machine: Snippet = {"nodeLabels": all_labels(cluster, pool)}
    if pool.taints:
        machine["nodeTaints"] = {
            taint.key: f"{taint.value}:{taint.effect}" if taint.value else taint.effect for taint in pool.taints
        }
    return {"machine": machine}


def _kubelet(cluster: Cluster, pool: NodePool) -> Snippet:
    """What the kubelet registers a node with: RKE2's and K3s' config.yaml, else kubeadm's JoinConfiguration.

    It counts for new nodes only; a node that is there already keeps the labels and taints that it has.
    """
    labels = [f"{key}={value}" for key, value in all_labels(cluster, pool).items()]
    if cluster.distribution in ("rke2", "k3s"):
        taints = [_taint_text(taint) for taint in pool.taints]
        return {"node-label": labels, **({"node-taint": taints} if taints else {})}
    registration: Snippet = {"kubeletExtraArgs": [{"name": "node-labels", "value": ",".join(labels)}]}
    if pool.taints:
        registration["taints"] = [_taint(taint) for taint in pool.taints]
    return {"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "JoinConfiguration", "nodeRegistration": registration}


def _taint(taint: Taint) -> dict[str, str]:
    value = {"value": taint.value} if taint.value else {}
    return {"key": taint.key, **value, "effect": taint.effect}


def _cloud_taint(taint: Taint) -> dict[str, str]:
    return {**_taint(taint), "effect": CLOUD_EFFECTS[taint.effect]}


def _taint_text(taint: Taint) -> str:
    """Return a taint as kubectl and Cluster Autoscaler write it, `key=value:effect`."""
    return f"{taint.key}={taint.value}:{taint.effect}"


SNIPPETS: Mapping[str, Callable[[Cluster, NodePool], Snippet]] = {
    "capi": _capi,
    "eks": _eks,
    "gke": _gke,
    "karpenter": _karpenter,
    "kubelet": _kubelet,
    "talos": _talos,
}
"""What each provisioner of the spec takes."""
