"""Every emitter, in the order of the waves, and the one function that runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpuplan.emit import (
    amd,
    argocd,
    dashboards,
    dcgm,
    device_plugin,
    disruption,
    dra,
    exporters,
    gpu_operator,
    guardrails,
    hami,
    kueue,
    mig,
    node_health,
    node_labels,
    priority,
    provisioner,
    reclaim,
    runtime,
    tenancy,
)
from gpuplan.emit.monitoring import alertmanager, kueue_monitor, publish, scrapes, settings
from gpuplan.manifests.set import Manifest, ManifestSet, TextFile
from gpuplan.model.fleet import Cluster, Fleet

Emitter = Callable[[Fleet, Cluster], Iterator[Manifest]]
Snippets = Callable[[Fleet, Cluster], Iterator[TextFile]]

EMITTERS: tuple[Emitter, ...] = (
    tenancy.emit,
    priority.emit,
    node_labels.emit,
    runtime.emit,
    device_plugin.emit,
    gpu_operator.emit,
    amd.emit,
    mig.emit,
    dcgm.emit,
    dra.emit,
    kueue.emit,
    disruption.emit,
    guardrails.emit,
    exporters.emit,
    kueue_monitor.emit,
    scrapes.emit,
    publish.emit,
    dashboards.emit,
    node_health.emit,
    reclaim.emit,
)
SNIPPETS: tuple[Snippets, ...] = (
    provisioner.texts,
    dra.texts,
    hami.texts,
    kueue.texts,
    reclaim.texts,
    settings.texts,
    publish.texts,
    alertmanager.texts,
)


def emit(fleet: Fleet, progress: Callable[[str, int, int], None]) -> ManifestSet:
    """Compile every cluster of the fleet, and what Argo CD needs to sync them.

    `progress` is told the name of each cluster as it is begun, its number from 1, and how many there are.
    """
    manifests: list[Manifest] = []
    texts: list[TextFile] = []
    for number, cluster in enumerate(fleet.clusters, start=1):
        progress(cluster.name, number, len(fleet.clusters))
        manifests.extend(made for emitter in EMITTERS for made in emitter(fleet, cluster))
        texts.extend(made for snippets in SNIPPETS for made in snippets(fleet, cluster))
    return ManifestSet.of((*manifests, *argocd.emit(fleet, manifests)), texts)
