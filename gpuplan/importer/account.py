"""What became of every object: kept, changed, lifted into the spec, left to others, or lost; and what comes anew.

An object is kept where the render of the imported spec holds one of its kind and name that means the same, marks of tools apart.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from gpuplan.compare.change import Change
from gpuplan.compare.walk import compare
from gpuplan.conventions import LABEL_MANAGED_BY, MANAGED_BY
from gpuplan.importer.adopting import KINDS, SYSTEM_CLASSES
from gpuplan.importer.modern import GROUP, modern
from gpuplan.importer.spoken import Spoken
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.manifests.set import Manifest, ManifestSet


class Fate(enum.Enum):
    """What became of an object."""

    KEPT = "kept"
    CHANGED = "changed"
    LIFTED = "lifted"
    """What it says is said by an entry of the spec, which renders to other objects."""
    OUTSIDE = "outside"
    """It is no part of the platform's set-up: gpuplan leaves it as it is."""
    UNTRIED = "untried"
    """The spec has errors, so that nothing was rendered to compare it with."""
    LOST = "lost"
    ADDED = "added"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One object's fate."""

    object: str
    """`ClusterQueue vision`."""
    fate: Fate
    at: str
    """Where it stands in the files; empty for what comes anew."""
    why: str = ""
    changes: tuple[Change, ...] = ()
    missing: tuple[str, ...] = ()
    """Keys of it that the entries which hold the rest do not hold."""


Account = tuple[Line, ...]

WORK = "work and machines stay as they are"
WATCHED = "others' rules, monitors and dashboards stay as they are; gpuplan brings its own"
UNREAD = "a Secret is never read"
RIGHTS = "rights of others stay as they are"
CONTROLLERS = "others install and deliver it"
SPACE = "it is there, and stays as it is"
OUTSIDE_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("Node", "Pod", "Job", "CronJob", "Deployment", "StatefulSet", "ReplicaSet", "Workload"), WORK),
    **dict.fromkeys(("JobSet", "LeaderWorkerSet", "MPIJob", "PersistentVolumeClaim", "Service"), WORK),
    **dict.fromkeys(("MachineSet", "NodePool", "EC2NodeClass", "HorizontalPodAutoscaler"), WORK),
    **dict.fromkeys(("KubeletConfiguration", "JoinConfiguration", "InitConfiguration"), WORK),
    **dict.fromkeys(("PrometheusRule", "ServiceMonitor", "PodMonitor", "Prometheus", "Alertmanager"), WATCHED),
    **dict.fromkeys(("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"), RIGHTS),
    **dict.fromkeys(("CustomResourceDefinition", "Application", "ApplicationSet", "AppProject"), CONTROLLERS),
    "Secret": UNREAD,
    "Namespace": SPACE,
}
"""Kinds that gpuplan leaves as they are where it renders nothing of their name, and why."""
CHECKS = ("AdmissionCheck", "ProvisioningRequestConfig", "MultiKueueConfig", "MultiKueueCluster")
"""Kinds of Kueue that queues refer to and no spec holds."""
TWICE = "another file says something else of this kind and name, and was taken: a cluster has one of them"
UNTRIED = "the spec has errors, so nothing was rendered to compare it with"


def account(
    inventories: Mapping[str, Inventory],
    manifests: ManifestSet | None,
    lifted: Mapping[str, Spoken],
    left_out: Mapping[str, str],
) -> Account:
    """Return the fate of every object cluster by cluster, in the order of the files, then what comes anew.

    `manifests` are None where the spec has errors. `lifted` says where in the spec an object's meaning is, `left_out` why it is
    nowhere, both by the object as it is called.
    """
    rendered = {(made.cluster or "", *_known(made)): made for made in manifests or ()}
    lines: list[Line] = []
    seen: set[tuple[str, str, str, str]] = set()
    for cluster, inventory in inventories.items():
        for one in inventory.objects:
            named = _named(one)
            place = next((key for key in ((cluster, *named), ("", *named)) if key in rendered), None)
            if place is not None:
                seen.add(place)
                lines.append(_compared(one, rendered[place]))
            else:
                lines.append(_unrendered(one, lifted, left_out, tried=manifests is not None))
        lines += [Line(object=str(one), fate=Fate.LOST, at=str(one.at_kind), why=TWICE) for one in inventory.repeated]
    called = {line.object for line in lines}
    lines += [Line(object=name, fate=Fate.LOST, at="", why=why) for name, why in left_out.items() if name not in called]
    lines += [_lifted(name, one, one.at) for name, one in lifted.items() if name not in called]
    lines += _added(made for known, made in rendered.items() if known not in seen)
    return tuple(lines)


def _named(one: Object) -> tuple[str, str, str]:
    """Return an object's kind, namespace and name; a queue that names no namespace goes where kubectl puts it."""
    return one.kind, one.namespace or ("default" if one.kind == "LocalQueue" else ""), one.name


def _compared(one: Object, made: Manifest) -> Line:
    changes = meaning(one, made)
    return Line(object=str(one), fate=Fate.CHANGED if changes else Fate.KEPT, at=str(one.at_kind), changes=changes)


def _unrendered(one: Object, lifted: Mapping[str, Spoken], left_out: Mapping[str, str], *, tried: bool) -> Line:
    """Return the fate of an object of which the render holds none of its kind and name."""
    name, at = str(one), str(one.at_kind)
    if name in left_out:
        return Line(object=name, fate=Fate.LOST, at=at, why=left_out[name])
    if name in lifted:
        return _lifted(name, lifted[name], at)
    why = OUTSIDE_KINDS.get(one.kind) or _others_config(one)
    if why:
        return Line(object=name, fate=Fate.OUTSIDE, at=at, why=why)
    ours = one.kind in KINDS or one.labels.get(LABEL_MANAGED_BY) == MANAGED_BY
    if not tried and ours:  # of others' kinds no render would hold any
        return Line(object=name, fate=Fate.UNTRIED, at=at, why=UNTRIED)
    why = f"no entry of the spec says what a {one.kind} says" if one.kind else "an object without a kind"
    return Line(object=name, fate=Fate.LOST, at=at, why=why)


def _lifted(name: str, said: Spoken, at: str) -> Line:
    """Return the fate of what entries of the spec hold as a whole or in part."""
    if said.left and not said.where:
        return Line(object=name, fate=Fate.OUTSIDE, at=at, why=said.left)
    if not said.where:
        return Line(object=name, fate=Fate.LOST, at=at, why="no entry of the spec holds it", missing=said.missing)
    return Line(object=name, fate=Fate.LIFTED, at=at, why=said.where, missing=said.missing)


def _others_config(one: Object) -> str:
    """Return why an object of a kind that gpuplan renders is left as it is; empty for others.

    That is a dashboard, Argo CD's own settings, a class that Kubernetes makes itself, or an admission check: queues name it,
    and whoever installs Kueue brings it.
    """
    if one.kind == "PriorityClass" and one.name in SYSTEM_CLASSES:
        return CONTROLLERS
    if one.kind in CHECKS and one.api_version.startswith(GROUP):
        return CONTROLLERS
    if one.kind != "ConfigMap":
        return ""
    if any(key.startswith("grafana") for key in one.labels):
        return WATCHED
    return CONTROLLERS if one.name.startswith("argocd-") else ""


def _known(made: Manifest) -> tuple[str, str, str]:
    return made.key.kind, made.key.namespace, made.key.name


def meaning(one: Object, made: Manifest) -> tuple[Change, ...]:
    """Return what differs between an object and what is rendered in its place, in the newest spelling; marks of tools apart."""
    data = one.data if isinstance(one.data, Mapping) else {}
    old, new = modern(cast("Mapping[str, Any]", data)), modern(cast("Mapping[str, Any]", made.object))
    return tuple(change for change in compare(_bare(old), _bare(new)) if not _is_hold(change))


def _bare(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key != "metadata"}


def _is_hold(change: Change) -> bool:
    """Tell whether it is a stop of a queue, which is a person's and stays on the cluster."""
    return change.path[-1:] == ("stopPolicy",)


def _added(made: Iterable[Manifest]) -> Iterator[Line]:
    for one in made:
        place = f"{one.key.namespace}/{one.key.name}" if one.key.namespace else one.key.name
        yield Line(object=f"{one.key.kind} {place}", fate=Fate.ADDED, at="", why=one.area)
