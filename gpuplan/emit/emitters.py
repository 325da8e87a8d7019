"""Every emitter, in the order of the waves, and the one place that runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

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
from gpuplan.emit.monitoring.alerts import Group
from gpuplan.manifests.set import Manifest, ManifestSet, TextFile
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.scope import only

Emitter = Callable[[Fleet, Cluster], Iterator[Manifest]]
RuleEmitter = Callable[[Fleet, Cluster, tuple[Group, ...]], Iterator[Manifest]]
"""An emitter of what is made of a cluster's rule groups."""
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
    node_health.emit,
    reclaim.emit,
)
RULE_EMITTERS: tuple[RuleEmitter, ...] = (publish.emit, dashboards.emit)
SNIPPETS: tuple[Snippets, ...] = (
    provisioner.texts,
    dra.texts,
    hami.texts,
    kueue.texts,
    reclaim.texts,
    settings.texts,
    alertmanager.texts,
)


def emit(fleet: Fleet, progress: Callable[[str, int, int], None]) -> ManifestSet:
    """Compile every cluster of the fleet with its rules, and what Argo CD needs to sync them.

    `progress` is told the name of each cluster as it is begun, its number from 1, and how many there are.
    """
    made: list[Manifest] = []
    written: list[TextFile] = []
    for number, cluster in enumerate(fleet.clusters, start=1):
        progress(cluster.name, number, len(fleet.clusters))
        own = of_cluster(fleet, cluster)
        made.extend(own.manifests)
        written.extend(own.texts)
    return ManifestSet.of((*made, *argocd.emit(fleet, made)), written)


@dataclass(frozen=True, slots=True, kw_only=True)
class Emitted:
    """All that a cluster gets: its objects, its files that are no objects, and the rule groups that both were made of."""

    manifests: tuple[Manifest, ...]
    texts: tuple[TextFile, ...]
    groups: tuple[Group, ...]


def of_cluster(fleet: Fleet, cluster: Cluster) -> Emitted:
    """Compile one cluster of the fleet, of which the emitters see nothing but what concerns this cluster."""
    narrowed = only(fleet, cluster)
    (here,) = narrowed.clusters
    groups = tuple(publish.groups(narrowed, here))
    return Emitted(
        manifests=tuple(manifests(narrowed, here, groups)),
        texts=tuple(texts(narrowed, here, groups)),
        groups=groups,
    )


def manifests(fleet: Fleet, cluster: Cluster, groups: tuple[Group, ...]) -> Iterator[Manifest]:
    """Yield the objects of a cluster."""
    for emitter in EMITTERS:
        yield from emitter(fleet, cluster)
    for rule_emitter in RULE_EMITTERS:
        yield from rule_emitter(fleet, cluster, groups)


def texts(fleet: Fleet, cluster: Cluster, groups: tuple[Group, ...]) -> Iterator[TextFile]:
    """Yield the files of a cluster that are no objects."""
    for snippets in SNIPPETS:
        yield from snippets(fleet, cluster)
    yield from publish.texts(fleet, cluster, groups)
