"""Fleets on the GPU Operator, and what it is told of them, for the tests of its emitter."""

from __future__ import annotations

from typing import Any

from gpuplan.emit import argocd, emitters, gpu_operator, tenancy
from gpuplan.manifests.set import Manifest, ManifestSet
from gpuplan.pipeline import silent
from tests.unit.emit.fleets import Place, one

ON = "stack: operator, gpuOperator: external"
THREE = """
  whole: {tier: big, nodes: 16, taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]},
  cut: {sharing: {mig: {profiles: {1g.5gb: 5, 2g.10gb: 1}}}},
  sliced: {tier: desk, sharing: {timeSlicing: {replicas: 4}}, taints: [{key: acme.io/desk, effect: NoExecute}]}
"""


def policy(made: Place) -> Any:
    """Return the spec of the cluster's ClusterPolicy."""
    return one(made.objects(gpu_operator.emit), "ClusterPolicy")["spec"]


def drivers(made: Place) -> dict[str, Any]:
    objects = made.objects(gpu_operator.emit)
    return {one["metadata"]["name"]: one["spec"] for one in objects if one["kind"] == "NVIDIADriver"}


def hub(made: Place) -> list[Manifest]:
    """Return what Argo CD's own cluster gets."""
    manifests = [each for emit in (tenancy.emit, gpu_operator.emit) for each in emit(made.fleet, made.cluster)]
    return list(argocd.emit(made.fleet, manifests))


def rendered(made: Place) -> ManifestSet:
    """Return all that the fleet's clusters and Argo CD's get."""
    return emitters.emit(made.fleet, silent)


def data(made: Place, prefix: str) -> Any:
    return one(made.objects(gpu_operator.emit), "ConfigMap", prefix)["data"]
