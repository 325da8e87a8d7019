"""Compiling one cluster on its own, and what the clusters share.

A cluster's files depend on its own narrowed fleet (`model.scope`) and nothing else. What is shared depends on all clusters, but
of what was compiled for them only on their footprints: which kinds of objects they get, where, and which alerts they can raise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from gpuplan.diagnostics import Origin, Span
from gpuplan.emit import argocd
from gpuplan.emit.emitters import of_cluster
from gpuplan.emit.monitoring.alerts import Alert, Group
from gpuplan.emit.texts import Texts
from gpuplan.manifests.set import Manifest, ManifestSet, ObjectKey, TextFile
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.scope import only

Progress = Callable[[str, int, int], None]
"""Told the name of each cluster when it is compiled, its number from 1, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """What of a compiled cluster shapes the files that clusters share."""

    keys: tuple[ObjectKey, ...]
    """Its objects, sorted; of those in a namespace, one of each kind stands for all."""
    groups: tuple[Group, ...]
    """Its rule groups with alerts, of which only the words are left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """What one cluster gets."""

    cluster: str
    manifests: tuple[Manifest, ...]
    texts: tuple[TextFile, ...]
    footprint: Footprint


def compiled(fleet: Fleet, cluster: Cluster, texts: Texts) -> Compiled:
    """Compile a cluster of the fleet."""
    made = of_cluster(fleet, cluster)
    return Compiled(
        cluster=cluster.name,
        manifests=made.manifests,
        texts=(*made.texts, *texts.of_clusters(only(fleet, cluster))),
        footprint=footprint(made.manifests, made.groups),
    )


def footprint(manifests: Iterable[Manifest], groups: Iterable[Group]) -> Footprint:
    """Return the footprint of a cluster's objects and rules."""
    keys = {(key._replace(name="") if key.namespace else key): key for key in (made.key for made in manifests)}
    return Footprint(
        keys=tuple(sorted(keys)),
        groups=tuple(
            Group(name=group.name, alerts=tuple(map(_words, group.alerts))) for group in groups if group.alerts
        ),
    )


def _words(alert: Alert) -> Alert:
    return replace(alert, cases=())


def shared(fleet: Fleet, footprints: Mapping[str, Footprint], texts: Texts) -> ManifestSet:
    """Compile what clusters share: Argo CD's objects, and texts of the whole fleet.

    `footprints` are those of all its clusters. Where some are left out, what comes out lacks their part, and that alone: two
    fleets that differ in no other cluster share the same if they do without the others' footprints.
    """
    known = {cluster.name: footprints.get(cluster.name, NOTHING) for cluster in fleet.clusters}
    made = [_standing_for(key, name) for name, one in known.items() for key in one.keys]
    groups = {name: one.groups for name, one in known.items()}
    return ManifestSet.of(argocd.emit(fleet, made), texts.of_fleet(fleet, groups))


NOTHING = Footprint(keys=(), groups=())
_NOWHERE = Origin((), Span("", 1, 1, 1, 1))


def _standing_for(key: ObjectKey, cluster: str) -> Manifest:
    """Return an object of which nothing but its identity is known: all that Argo CD's projects look at."""
    metadata = {"name": key.name, "namespace": key.namespace} if key.namespace else {"name": key.name}
    body = {"apiVersion": key.api_version, "kind": key.kind, "metadata": metadata}
    return Manifest(object=body, cluster=cluster, area="", origin=_NOWHERE)


def joined(parts: Iterable[Compiled], hub: ManifestSet | None) -> ManifestSet:
    """Return what clusters get, and what they share, as one set."""
    parts = tuple(parts)
    return ManifestSet.of(
        (*(hub or ()), *(made for one in parts for made in one.manifests)),
        (*(hub.texts if hub else ()), *(text for one in parts for text in one.texts)),
    )
