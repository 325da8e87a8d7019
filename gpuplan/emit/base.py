"""What all emitters share: areas with their sync waves, metadata, and parts that several kinds of object have.

An emitter is a total function from the resolved fleet to manifests: what could fail has failed in `resolve` or `rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

from gpuplan import conventions
from gpuplan.diagnostics import KeyPath, Origin
from gpuplan.emit.sync_options import sync_options
from gpuplan.manifests.kinds import KubeObject
from gpuplan.manifests.kinds.meta import LabelSelector, NamespacedMeta, ObjectMeta
from gpuplan.manifests.kinds.pod import Toleration
from gpuplan.manifests.set import Manifest, TextFile
from gpuplan.manifests.write import yaml_text
from gpuplan.model import pools
from gpuplan.model.fleet import Cluster, Fleet


class Area(NamedTuple):
    """A folder of one cluster and the Argo CD sync wave of everything in it (docs/decisions/0006)."""

    folder: str
    wave: int


NAMESPACES = Area("00-namespaces", -10)
PRIORITY = Area("10-priority", -8)
TENANCY = Area("15-tenancy", -8)
NODES = Area("20-nodes", -4)
RUNTIME = Area("25-runtime", -3)
# Node agents come last: Argo CD waits for every pod of a DaemonSet, and one broken GPU node must hold back nothing else.
DEVICE_PLUGIN = Area("30-device-plugin", 10)
GPU_OPERATOR = Area("32-gpu-operator", 10)
MIG = Area("35-mig", 10)
DCGM = Area("40-dcgm-exporter", 10)
CLAIMS = Area("45-claims", -1)
FLAVORS = Area("50-flavors", 0)
QUEUES = Area("55-queues", 2)
LOCAL_QUEUES = Area("60-local-queues", 4)
# Argo CD waits for budgets, too, and whether one can be kept to depends on the teams' pods.
DISRUPTION = Area("65-disruption", 10)
GUARD_RAILS = Area("70-guard-rails", 6)
GUARD_RAIL_BINDINGS = Area("75-guard-rail-bindings", 7)
MONITORING = Area("80-monitoring", 8)
# Last of all: a cluster without the controller that defines the kind still gets everything else.
NODE_HEALTH = Area("85-node-health", 11)
RECLAIM = Area("90-reclaim", 12)
"""After all that others wait for: a cluster that cannot get the reclaimer's image has everything else."""


def metadata(
    name: str,
    area: Area,
    *,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
) -> ObjectMeta:
    """Return the metadata of a cluster-scoped object: our labels, and its wave."""
    return {
        "name": name,
        "labels": {**(labels or {}), conventions.LABEL_MANAGED_BY: conventions.MANAGED_BY},
        "annotations": {**(annotations or {}), conventions.ANNOTATION_SYNC_WAVE: str(area.wave)},
    }


def namespaced(
    name: str,
    namespace: str,
    area: Area,
    *,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
) -> NamespacedMeta:
    """Return the metadata of a namespaced object."""
    made = metadata(name, area, labels=labels, annotations=annotations)
    return {"name": name, "namespace": namespace, "labels": made["labels"], "annotations": made["annotations"]}


def origin(fleet: Fleet, path: KeyPath) -> Origin:
    """Return where in the spec an object comes from."""
    return Origin(path, fleet.places.key(path))


def manifest(fleet: Fleet, cluster: Cluster, area: Area, made: KubeObject, *paths: KeyPath) -> Manifest:
    """Place an object of a cluster, with the sync options of its kind.

    The paths name the spec entries that shaped it, the main one first; at least one.
    """
    first, *rest = (origin(fleet, path) for path in paths)
    body = _with_sync_options(fleet, cast("Mapping[str, Any]", made))
    return Manifest(object=body, cluster=cluster.name, area=area.folder, origin=first, also=tuple(rest))


def _with_sync_options(fleet: Fleet, made: Mapping[str, Any]) -> Mapping[str, object]:
    group = made["apiVersion"].rpartition("/")[0]
    options = sync_options(group, made["kind"], replace_priority_classes=fleet.delivery.replace_priority_classes)
    if not options:
        return made
    metadata = made["metadata"]
    annotations = {**metadata["annotations"], conventions.ANNOTATION_SYNC_OPTIONS: options}
    return {**made, "metadata": {**metadata, "annotations": annotations}}


def chart_values(
    fleet: Fleet, cluster: Cluster, chart: str, values: Mapping[str, object], served: Iterable[pools.NodePool]
) -> TextFile:
    """Return the Helm values of a chart that others install, for the pools that it is to serve; at least one."""
    first, *rest = (origin(fleet, pool.path) for pool in served)
    path = f"provisioner/{cluster.name}/{chart}/values.yaml"
    return TextFile(path=path, text=yaml_text(values), origin=first, also=tuple(rest))


def in_namespaces(names: Iterable[str]) -> LabelSelector:
    """Select namespaces by their names, which the server sets as a label on each."""
    return {"matchExpressions": [{"key": conventions.LABEL_NAMESPACE_NAME, "operator": "In", "values": sorted(names)}]}


def toleration(of: pools.Toleration) -> Toleration:
    """Return a toleration as pods and flavors write it."""
    made: Toleration = {"key": of.key, "operator": of.operator}
    if of.value:
        made["value"] = of.value
    return {**made, "effect": of.effect}


def prometheus_label(key: str) -> str:
    """Return a label key as Prometheus and kube-state-metrics spell it: `_` for all but letters, digits and `_`."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", key)
