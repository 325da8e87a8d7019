"""From a cluster's objects to whole owners: which pods belong to one piece of work, and by what it is stopped.

Chains of controllers are followed to their end: pod → ReplicaSet → Deployment, pod → Job → JobSet, and through the leader
pods of a LeaderWorkerSet. Work that Kueue queues as a whole is stopped by its Workload, whatever its kind; work that is
scaled is stopped by taking its replicas away, since Kueue would queue each new pod of it anew.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpuplan import conventions
from gpuplan.model.reclaim_kinds import KINDS, POD, WORKLOAD, Kind, Object
from gpuplan.quantity import Quantity
from gpuplan.reclaim import times
from gpuplan.reclaim.observed import Owner, Pod, Reference, Suspended, Target

ENDED = ("Succeeded", "Failed")
"""Phases of pods that hold nothing any more."""
BY_KIND: Mapping[str, Kind] = {kind.kind: kind for kind in KINDS}
LONGEST_CHAIN = 8
"""Controllers above a pod; real chains have four. Objects that name each other would have no end."""

Objects = Mapping[str, Sequence[Object]]
"""Kind -> the objects of that kind in one or several namespaces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    """A pod of an owner: as it came, as it is judged, itself with its controllers, and the Workload of all its work."""

    made: Object
    pod: Pod
    chain: list[Reference]
    whole: Object | None


def owners(objects: Objects, resources: Sequence[str], shared: Sequence[str]) -> tuple[Owner, ...]:
    """Return all owners with pods that hold cards, sorted by what names them.

    `resources` are asked for by pods that get a card or instance for themselves, `shared` by those that get a part.
    """
    known = {made["metadata"]["uid"]: (kind, made) for kind, found in objects.items() for made in found}
    workloads = _workloads(objects)
    members: defaultdict[str, list[_Member]] = defaultdict(list)
    for made in objects.get(POD.kind, ()):
        if made.get("status", {}).get("phase") not in ENDED:
            chain = _chain(made, known)
            whole = _whole(made, chain, workloads)
            member = _Member(made=made, pod=_pod(made, resources, shared), chain=chain, whole=whole)
            # Pods of one group have no controller in common, but one Workload.
            members[_uid(whole) if whole and len(chain) == 1 else chain[-1].uid].append(member)
    made_owners = (_owner(found, known, workloads) for found in members.values())
    return tuple(
        sorted(
            (one for one in made_owners if any(pod.has_cards for pod in one.pods)), key=lambda one: str(one.reference)
        )
    )


def suspended(objects: Objects) -> tuple[Suspended, ...]:
    """Return what we have suspended and what still stands, whether or not it has run again since."""
    known = {made["metadata"]["uid"]: (kind, made) for kind, found in objects.items() for made in found}
    found = (_suspended(BY_KIND[kind], made, known) for kind, some in objects.items() for made in some)
    return tuple(one for one in found if one)


def _suspended(kind: Kind, made: Object, known: Mapping[str, tuple[str, Object]]) -> Suspended | None:
    annotations = made["metadata"].get("annotations") or {}
    at = times.read(annotations.get(conventions.ANNOTATION_RECLAIMED_AT, ""))
    if at is None or not kind.stop:
        return None
    chain = _chain(made, known, kind) if kind is WORKLOAD else [_reference(kind, made)]
    untold = conventions.ANNOTATION_RECLAIM_UNTOLD in annotations
    return Suspended(owner=chain[-1], target=_target(kind, made), at=at, untold=untold)


def _workloads(objects: Objects) -> dict[str, Object]:
    """Return Kueue's Workloads by the uid of each object that they stand for; one that goes on before one that has ended.

    That of a group of pods is there by the group's name too, which is its own: a pod may be in it and not be written in it yet.
    """
    found = sorted(objects.get(WORKLOAD.kind, ()), key=_ended, reverse=True)
    rows = [(made, owner) for made in found for owner in made["metadata"].get("ownerReferences") or ()]
    by_group = {_group_key(made, made["metadata"]["name"]): made for made, owner in rows if owner["kind"] == POD.kind}
    return by_group | {owner["uid"]: made for made, owner in rows}


def _group_key(made: Object, group: str) -> str:
    return f"{made['metadata']['namespace']}/{group}"


def _whole(pod: Object, chain: Sequence[Reference], workloads: Mapping[str, Object]) -> Object | None:
    """Return the Workload by which Kueue holds all the work that a pod is part of.

    One that stands for a single pod with a controller is none: its successor would get another.
    """
    above = next((workloads[one.uid] for one in reversed(chain[1:]) if one.uid in workloads), None)
    group = _label(pod, conventions.LABEL_POD_GROUP)
    if above is None and group:
        above = workloads.get(_group_key(pod, group))
    return workloads.get(chain[0].uid) if above is None and (group or len(chain) == 1) else above


def _ended(workload: Object) -> bool:
    conditions = workload.get("status", {}).get("conditions") or ()
    return any((one["type"], one["status"]) == ("Finished", "True") for one in conditions)


def _chain(made: Object, known: Mapping[str, tuple[str, Object]], kind: Kind = POD) -> list[Reference]:
    """Return the object and its controllers, the last one on top; the top may be of a kind that we do not read."""
    chain = [_reference(kind, made)]
    while len(chain) <= LONGEST_CHAIN:
        above = next((one for one in made["metadata"].get("ownerReferences") or () if one.get("controller")), None)
        if above is None:
            break
        namespace = made["metadata"]["namespace"]
        chain.append(
            Reference(
                api_version=above["apiVersion"],
                kind=above["kind"],
                namespace=namespace,
                name=above["name"],
                uid=above["uid"],
            )
        )
        if above["uid"] not in known:
            break
        made = known[above["uid"]][1]
    return chain


def _owner(found: Sequence[_Member], known: Mapping[str, tuple[str, Object]], workloads: Mapping[str, Object]) -> Owner:
    top = found[0].chain[-1]
    kind, made = known.get(top.uid, ("", None))
    wholes = {_uid(one.whole): one.whole for one in found if one.whole}
    whole = wholes.popitem()[1] if len(wholes) == 1 and all(one.whole for one in found) else None
    # From the top down: what people wrote on the work itself stands before what it handed on to its parts.
    uids = dict.fromkeys(one.uid for member in found for one in reversed(member.chain))
    held = [workloads[uid] for uid in uids if uid in workloads] + ([whole] if whole else [])
    marked = [*(known[uid][1] for uid in uids if uid in known), *held]
    ends = [_until(one) for one in marked if _label(one, conventions.LABEL_RECLAIM_EXEMPT) not in ("", "false")]
    return Owner(
        reference=top,
        target=_stopped_by(top, BY_KIND.get(kind), made, whole, group=len(found) > 1),
        queue=_queue(held, marked),
        exempt=bool(ends),
        exempt_until=max(ends, key=_lasts_to, default=""),
        pods=tuple(sorted((one.pod for one in found), key=lambda pod: pod.name)),
    )


def _lasts_to(end: str) -> datetime.date:
    """Return the last day of an exemption; one whose end is not written, or cannot be read, outlasts all others."""
    try:
        return datetime.date.fromisoformat(end)
    except ValueError:
        return datetime.date.max


def _stopped_by(
    top: Reference, kind: Kind | None, made: Object | None, workload: Object | None, *, group: bool
) -> Target | None:
    """Return by what an owner is stopped. A pod of its own has no second life: it is never stopped, but a group is."""
    if kind is not None and made is not None and kind.scaled:
        return _target(kind, made)
    if workload is not None and (top.kind != POD.kind or group or _is_group(workload)):
        return _target(WORKLOAD, workload)
    if kind is not None and made is not None and kind.stop:
        return _target(kind, made)
    return None


def _is_group(workload: Object) -> bool:
    return bool(sum(part.get("count", 1) for part in workload.get("spec", {}).get("podSets", ())) > 1)


def _target(kind: Kind, made: Object) -> Target:
    return Target(
        reference=_reference(kind, made),
        kind=kind,
        resource_version=made["metadata"].get("resourceVersion", ""),
        replicas=made.get("spec", {}).get("replicas", 1) if kind.scaled else 0,
        stopped=kind.stopped(made),
        annotations=dict(made["metadata"].get("annotations") or {}),
    )


def _reference(kind: Kind, made: Object) -> Reference:
    metadata = made["metadata"]
    return Reference(
        api_version=kind.api_version,
        kind=kind.kind,
        namespace=metadata["namespace"],
        name=metadata["name"],
        uid=metadata["uid"],
    )


def _uid(made: Object) -> str:
    return str(made["metadata"]["uid"])


def _queue(held: Iterable[Object], marked: Iterable[Object]) -> str:
    """Return the LocalQueue, as Kueue holds it and as labels say; all of them where they disagree, which is no queue's name."""
    names = {str(one.get("spec", {}).get("queueName", "")) for one in held}
    names |= {_label(one, conventions.LABEL_QUEUE_NAME) for one in marked}
    return ", ".join(sorted(names - {""}))


def _label(made: Object, key: str) -> str:
    return str((made["metadata"].get("labels") or {}).get(key, ""))


def _until(made: Object) -> str:
    key = conventions.RECLAIM_EXEMPT_UNTIL
    return _label(made, key) or str((made["metadata"].get("annotations") or {}).get(key, ""))


def _pod(made: Object, resources: Sequence[str], shared: Sequence[str]) -> Pod:
    spec, status = made.get("spec", {}), made.get("status", {})
    asked = _asked(spec)
    begun = list(_begun(status))
    states = status.get("containerStatuses") or ()
    awake = bool(states) and all("running" in (one.get("state") or {}) for one in states)
    return Pod(
        name=made["metadata"]["name"],
        node=spec.get("nodeName", ""),
        running=status.get("phase") == "Running" and awake and "deletionTimestamp" not in made["metadata"],
        started=max(begun, default=None),
        devices=sum(asked.get(name, 0) for name in resources),
        shared=any(asked.get(name, 0) for name in shared),
        claims=bool(spec.get("resourceClaims")),
    )


def _begun(status: Mapping[str, Any]) -> Iterator[datetime.datetime]:
    """Yield when the pod and each of its containers began; a restart makes a container young again."""
    texts = [status.get("startTime", "")]
    texts += [
        (one.get("state") or {}).get("running", {}).get("startedAt") for one in status.get("containerStatuses", ())
    ]
    for text in texts:
        at = times.read(text or "")
        if at:
            yield at


def _asked(spec: Mapping[str, Any]) -> dict[str, int]:
    """Return what the pod holds of each resource: the sum over its containers, or what an init container needed more.

    An init container that is restarted always is a sidecar and runs beside the others.
    """
    together: defaultdict[str, int] = defaultdict(int)
    before: defaultdict[str, int] = defaultdict(int)
    first = spec.get("initContainers", ())
    sidecars = [one for one in first if one.get("restartPolicy") == "Always"]
    for container in [*spec.get("containers", ()), *sidecars]:
        for name, count in _limits(container):
            together[name] += count
    for container in first:
        for name, count in _limits(container):
            before[name] = max(before[name], count)
    return {name: max(together[name], before[name]) for name in {*together, *before}}


def _limits(container: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield the whole numbers that a container asks for; cards come in whole pieces."""
    said = container.get("resources", {})
    for name, text in {**said.get("requests", {}), **said.get("limits", {})}.items():
        amount = Quantity.parse(str(text))
        if amount is not None and "/" in name:
            yield name, amount.nanos // 10**9
