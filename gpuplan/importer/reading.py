"""Where an import takes its inventories from: files, or a cluster that runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gpuplan.cluster.snapshot import Snapshot
from gpuplan.diagnostics import Diagnostics, Span, ordered
from gpuplan.importer.account import OUTSIDE_KINDS
from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.grouping import inventories
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.places import OnePlace
from gpuplan.inventory.reading.embedded import configs_in
from gpuplan.inventory.reading.patched import unpatched
from gpuplan.inventory.reading.read import Read, read_paths
from gpuplan.inventory.reading.texts import PassedOver
from gpuplan.rules import manifests
from gpuplan.versions import parse
from gpuplan.words import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Inventories by cluster, what is wrong in them, and what a reader of the result has to know of how they were read."""

    inventories: Mapping[str, Inventory]
    findings: Diagnostics
    notes: tuple[str, ...] = ()


def from_cluster(taken: Snapshot, assumed: Assumed, cluster: str) -> Source:
    """Take a snapshot of a cluster that runs. What may not be listed makes it partial."""
    version = parse(taken.kubernetes)
    facts = replace(
        assumed,
        partial=assumed.partial or taken.partial,
        versions={**({"kubernetes": version} if version else {}), **assumed.versions},
    )
    objects = tuple(Object(made, OnePlace(_place(made))) for made in taken.objects)
    configs = {one: tuple(configs_in(one)) for one in objects}
    kept = tuple(one for one in objects if one.kind != "ConfigMap" or configs[one])
    inventory = Inventory(objects=kept, configs=tuple(config for one in kept for config in configs[one]), assumed=facts)
    notes = [f"Partial: {kind} could not be listed: {why}." for kind, why in taken.refused.items()]
    return Source(inventories={cluster: inventory}, findings=manifests.judge(inventory), notes=tuple(notes))


def _place(made: Mapping[str, Any]) -> Span:
    """Return a place in the words of kubectl: `clusterqueue/vision`."""
    metadata = made.get("metadata") or {}
    inside = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return Span(f"{str(made.get('kind', '')).casefold()}/{inside}{metadata.get('name', '')}", 1, 1, 1, 1)


def from_files(paths: Iterable[Path], assumed: Assumed, cluster: str) -> Source:
    """Read files and folders. What lies in no cluster's folder of a rendered tree is taken for `cluster`."""
    read = read_paths(paths)
    grouped = inventories(read.objects, read.configs, assumed)
    named = {name or cluster: one for name, one in grouped.items()}
    judged = [finding for one in named.values() for finding in manifests.judge(one)]
    found = [*read.findings, *unpatched(judged, read.objects, read.patches)]
    return Source(inventories=named, findings=ordered(found), notes=tuple(_unread(read)))


def _unread(read: Read) -> Iterator[str]:
    """Yield what the files hold and the spec does not: patches, and what is no manifest yet."""
    for one in read.objects:
        if one.kind not in OUTSIDE_KINDS and any(patch.is_for(one) for patch in read.patches):
            yield f"{one}: kustomize's patches of it were not taken over; import what `kustomize build` makes of the overlay."
    templates = read.passed_over.get(PassedOver.TEMPLATE, 0)
    if templates:
        yield f"{counted(templates, 'template')} not read; import what `helm template` or the like makes of them."
