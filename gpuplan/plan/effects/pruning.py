"""What becomes of an object that leaves `rendered/`: whether Argo CD takes it away, asks first, or no longer sees it.

Argo CD leaves alone what its project does not permit (Argo CD 3.6.1, controller/state.go): the project of the new side decides
over what the old side had.
"""

from __future__ import annotations

import enum
import fnmatch
import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from gpuplan import conventions
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.parts import ObjectChange


class Fate(enum.Enum):
    """What happens to an object that nobody asks for any more."""

    PRUNED = "pruned"
    """It goes with the sync."""
    CONFIRMED = "confirmed"
    """It goes when a person confirms it; until then the sync waits, and later commits with it."""
    STAYS = "stays"
    """The project no longer permits it: it stays, and nobody manages it."""


Object = Mapping[str, Any]


def fate(comparison: Comparison, change: ObjectChange) -> Fate:
    """Return what becomes of an object of a cluster that is deleted from `rendered/`."""
    cluster = reading.new_cluster(comparison, change)
    hub = [made.object for made in itertools.takewhile(lambda made: made.cluster is None, comparison.new.manifests)]
    project, target = _delivery(hub, cluster)
    projects = (reading.spec(made) for made in hub if made["kind"] == "AppProject" and _name(made) == project)
    if not _permitted(next(projects, {}), target, change):
        return Fate.STAYS
    return Fate.CONFIRMED if change.confirmed else Fate.PRUNED


def _name(made: Object) -> str:
    return str(made["metadata"]["name"])


def _delivery(hub: Iterable[Object], cluster: str) -> tuple[str, Object]:
    """Return the project and destination by which a cluster is synced; nothing where it no longer is."""
    for made in hub:
        spec = reading.spec(made)
        if made["kind"] == "Application" and _name(made) == conventions.application_name(cluster):
            return spec["project"], spec["destination"]
        if made["kind"] == "ApplicationSet":
            elements = (one for each in spec["generators"] for one in each["list"]["elements"])
            for element in elements:
                if element["cluster"] == cluster:
                    return spec["template"]["spec"]["project"], element
    return "", {}


def _permitted(project: Object, target: Object, change: ObjectChange) -> bool:
    key = change.ref.key
    group = key.api_version.rpartition("/")[0]
    if not key.namespace:
        return any(
            _matches(one, group, key.kind) and fnmatch.fnmatchcase(key.name, one.get("name", "*"))
            for one in project.get("clusterResourceWhitelist", ())
        )
    return any(_matches(one, group, key.kind) for one in project.get("namespaceResourceWhitelist", ())) and any(
        fnmatch.fnmatchcase(key.namespace, one.get("namespace", "*"))
        and all(one.get(part, "") == target.get(part, "") for part in ("name", "server"))
        for one in project.get("destinations", ())
    )


def _matches(one: Object, group: str, kind: str) -> bool:
    return fnmatch.fnmatchcase(group, one["group"]) and fnmatch.fnmatchcase(kind, one["kind"])
