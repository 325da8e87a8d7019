"""`adopted:` -> the objects of each cluster in Kubernetes' own form: canonical amounts, every default of Kueue's written out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from gpuplan.diagnostics import KeyPath
from gpuplan.model.adopted import NOTHING, Adopted, AdoptedObject
from gpuplan.model.queues import Cohort, Team
from gpuplan.resolve.clusters import Platform
from gpuplan.resolve.scope import Scope
from gpuplan.spec.adopted import AdoptedClusterSpec
from gpuplan.spec.base import SpecModel

SECTIONS: Mapping[str, tuple[str, str]] = {
    "topologies": ("topologies", "Topology"),
    "resource_flavors": ("resourceFlavors", "ResourceFlavor"),
    "cohorts": ("cohorts", "Cohort"),
    "cluster_queues": ("clusterQueues", "ClusterQueue"),
    "local_queues": ("localQueues", "LocalQueue"),
    "workload_priority_classes": ("workloadPriorityClasses", "WorkloadPriorityClass"),
    "priority_classes": ("priorityClasses", "PriorityClass"),
}
"""Attribute of the spec -> its key, and the kind of its objects, in the order in which they are rendered."""
WITHOUT_SPEC = ("WorkloadPriorityClass", "PriorityClass")


def adopted(scope: Scope, platforms: Mapping[str, Platform], teams: Mapping[str, Team]) -> dict[str, Adopted]:
    """Return what stays in each cluster; a finding for each cluster and team that is unknown."""
    for name in scope.spec.adopted:
        scope.look_up("clusters", platforms, name, ("adopted", name), is_key=True)
    return {name: _adopted(scope, name, teams) for name in platforms}


def beside(cohorts: tuple[Cohort, ...], staying: Adopted) -> tuple[Cohort, ...]:
    """Return the task pools of a cluster; none where adopted queues are all that there are: nothing is made for nobody."""
    return () if staying.for_kueue and not any(cohort.queues for cohort in cohorts) else cohorts


def _adopted(scope: Scope, cluster: str, teams: Mapping[str, Team]) -> Adopted:
    spec = scope.spec.adopted.get(cluster)
    if spec is None:
        return NOTHING
    objects = tuple(_objects(spec, ("adopted", cluster)))
    for name, queue in spec.cluster_queues.items():
        if queue.team is not None:
            scope.look_up("teams", teams, queue.team, ("adopted", cluster, "clusterQueues", name, "team"))
    owners = {one.team for one in objects}
    made = Adopted(objects=objects, teams=tuple(team for team in teams.values() if team.name in owners))
    return replace(made, frameworks=tuple(spec.frameworks)) if made.for_kueue else made


def _objects(spec: AdoptedClusterSpec, path: KeyPath) -> Iterator[AdoptedObject]:
    for attribute, (key, kind) in SECTIONS.items():
        section: Mapping[str, SpecModel] = getattr(spec, attribute)
        for name, one in section.items():
            said = _plain(one)
            team = said.pop("team", "")
            namespace, _, bare = name.rpartition("/")
            body = said if kind in WITHOUT_SPEC else {"spec": said}
            yield AdoptedObject(
                kind=kind, namespace=namespace, name=bare, team=team, body=body, path=(*path, key, name)
            )


def _plain(one: SpecModel) -> dict[str, Any]:
    """Return an entry as Kubernetes keeps it: without what is empty, but for a selector, whose emptiness means everything.

    The server keeps no `false` in `globalDefault` and no empty text, so neither is written.
    """
    said = one.model_dump(by_alias=True, exclude_none=True)
    return {
        key: value
        for key, value in said.items()
        if key == "namespaceSelector" or not (value is False or value in ([], {}, ""))
    }
