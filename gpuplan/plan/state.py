"""One side of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gpuplan.manifests.set import Manifest, ManifestSet, ObjectKey
from gpuplan.model.fleet import Cluster, Fleet

Plain = str | int | float | bool | None | list["Plain"] | dict[str, "Plain"]
"""Values as JSON knows them."""


class Ref(NamedTuple):
    """An object of a side: its cluster, None for the one that Argo CD runs in, and its identity there."""

    cluster: str | None
    key: ObjectKey


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a plan compares: all that Argo CD would sync, and the spec that it was made from, where that is known."""

    name: str
    """What people call it: a git ref, `work tree`, a folder."""
    manifests: ManifestSet
    fleet: Fleet | None
    """None where the side is a rendered tree without its spec."""
    written: Mapping[str, Plain] = field(default_factory=dict)
    """The spec as written, defaults filled in; empty without one."""
    again: ManifestSet | None = None
    """What this gpuplan makes of the side's spec, where its `manifests` were made by another version: what differs between the
    two is no change of the spec."""

    @property
    def objects(self) -> dict[Ref, Manifest]:
        """Return its objects by their identity, in the order of the set."""
        return {Ref(manifest.cluster, manifest.key): manifest for manifest in self.manifests}

    @property
    def clusters(self) -> tuple[str, ...]:
        """Return the names of its clusters, also of those whose objects were left out since both sides have the same."""
        return tuple(cluster.name for cluster in self.fleet.clusters) if self.fleet else self.manifests.clusters

    def cluster(self, name: str) -> Cluster | None:
        """Return a cluster of its fleet; None where there is none, or no fleet."""
        clusters = self.fleet.clusters if self.fleet else ()
        return next((cluster for cluster in clusters if cluster.name == name), None)
