"""From verdicts to steps: what is told, noted and suspended, in an order that a crash between any two does not harm.

- Each step can be taken again without harm: an Event has a name that follows from the owner and what is noted on it, an
  alert is a state, and a patch holds only against the version of the object that was judged.
- People are told first and the notice is noted last: the grace begins when they have been told.
- To suspend and to note it is one patch, with a mark that people are yet to be told. The mark goes when they have been.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gpuplan import conventions
from gpuplan.model.reclaim import ReclaimReason
from gpuplan.model.reclaim_kinds import WORKLOAD
from gpuplan.model.reclaim_policy import ReclaimPolicy
from gpuplan.reclaim import times
from gpuplan.reclaim.observed import Reference, Suspended, Target
from gpuplan.reclaim.verdicts import Action, Reclamation

ALERT = "GpuReclaimNotice"
"""Name of the alert that goes to Alertmanager directly while a notice stands."""
LOOKS_KEPT = 3
"""Looks for which Alertmanager keeps an alert that nobody repeats."""
LONGEST_NAME = 200
"""Characters of the owner's name in that of an Event, which takes 253."""
EVENT_REASONS = {
    Action.NOTIFY: "GpuWorkIdle",
    Action.WITHDRAW: "GpuReclaimWithdrawn",
    Action.SUSPEND: "GpuWorkReclaimed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateEvent:
    """Tell by an Event on the owner; one of that name that is there already is as good."""

    name: str
    about: Reference
    reason: str
    message: str
    warning: bool
    at: datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PostAlert:
    """Tell Alertmanager: firing until `until`, or resolved where that is now."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    since: datetime.datetime
    until: datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """Merge a change into an object as it was judged: another version of it is refused. `None` values remove a key.

    An empty `version` takes any: the change is right whatever else has changed.
    """

    target: Target
    change: Mapping[str, Any]
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Count one that was suspended."""

    namespace: str
    kind: str
    reason: ReclaimReason


Step = CreateEvent | PostAlert | Patch | Count


def steps(policy: ReclaimPolicy, one: Reclamation, now: datetime.datetime) -> tuple[Step, ...]:
    """Return the steps that a verdict asks for, in their order; the rest is not taken when one fails."""
    return tuple(_STEPS[one.action](policy, one, now))


def _none(_policy: ReclaimPolicy, _one: Reclamation, _now: datetime.datetime) -> Iterator[Step]:
    yield from ()


def _notify(policy: ReclaimPolicy, one: Reclamation, now: datetime.datetime) -> Iterator[Step]:
    due = now + _grace(policy, one)
    if one.owner.target:
        message = f"Idle: {one.why}. It will be suspended after {times.written(due)} unless its GPUs are used."
    else:
        message = f"Idle: {one.why}. End it if nobody needs it."
    if "event" in policy.notice:
        yield _event(one.owner.reference, one.owner.target, Action.NOTIFY, message, now)
    yield from _alert(policy, one, message, now, now)
    if one.owner.target:
        yield _note(one.owner.target, {conventions.ANNOTATION_RECLAIM_NOTICE_AT: times.written(now)})


def _remind(policy: ReclaimPolicy, one: Reclamation, now: datetime.datetime) -> Iterator[Step]:
    due = one.due_at or now
    message = f"Idle: {one.why}. It will be suspended after {times.written(due)} unless its GPUs are used."
    yield from _alert(policy, one, message, one.noticed_at or now, now)


def _withdraw(policy: ReclaimPolicy, one: Reclamation, now: datetime.datetime) -> Iterator[Step]:
    target = one.owner.target
    if target is None:
        raise AssertionError("a notice is noted on what can be stopped, and on nothing else")
    message = f"Not suspended: {one.why}."
    if "event" in policy.notice:
        yield _event(one.owner.reference, target, Action.WITHDRAW, message, now)
    yield from _alert(policy, one, message, one.noticed_at or now, now, resolved=True)
    noted = {
        conventions.ANNOTATION_RECLAIM_NOTICE_AT: None,
        conventions.ANNOTATION_RECLAIM_WITHDRAWN_AT: times.written(now),
    }
    yield _note(target, noted)


def _suspend(policy: ReclaimPolicy, one: Reclamation, now: datetime.datetime) -> Iterator[Step]:
    target = one.owner.target
    if target is None:
        raise AssertionError("only what can be stopped is ever due")
    noted = {
        conventions.ANNOTATION_RECLAIM_NOTICE_AT: None,
        conventions.ANNOTATION_RECLAIMED_AT: times.written(now),
        conventions.ANNOTATION_RECLAIM_REASON: ReclaimReason.IDLE.value,
        conventions.ANNOTATION_RECLAIM_UNTOLD: one.why,
    }
    if target.kind.scaled:
        noted[conventions.ANNOTATION_RECLAIM_REPLICAS] = str(target.replicas)
    patch = _note(target, noted)
    yield Patch(target=target, change={**patch.change, **target.kind.stop}, version=patch.version)
    yield from told(one.owner.reference, target, one.why, now)
    yield from _alert(policy, one, f"Suspended: {one.why}.", one.noticed_at or now, now, resolved=True)


def tell(one: Suspended) -> tuple[Step, ...]:
    """Return the steps that were left when we were stopped after the suspension itself."""
    return tuple(told(one.owner, one.target, one.target.annotations[conventions.ANNOTATION_RECLAIM_UNTOLD], one.at))


def told(owner: Reference, target: Target, why: str, at: datetime.datetime) -> Iterator[Step]:
    """Yield what follows a suspension: the Event, the count, and the mark goes. `at` is when it was suspended."""
    how = " (Kueue makes its Workload anew, the work itself stays)" if target.kind is WORKLOAD else ""
    message = f"Suspended, since it was idle: {why}. To go on{how}: {back(target)}"
    yield CreateEvent(
        name=_event_name(owner, times.written(at), Action.SUSPEND.value),
        about=owner,
        reason=EVENT_REASONS[Action.SUSPEND],
        message=message,
        warning=True,
        at=at,
    )
    yield Count(namespace=owner.namespace, kind=owner.kind, reason=ReclaimReason.IDLE)
    yield Patch(
        target=target, change={"metadata": {"annotations": {conventions.ANNOTATION_RECLAIM_UNTOLD: None}}}, version=""
    )


def back(target: Target) -> str:
    """Return the command by which people get their work back.

    A team may not write Workloads, since a forged one carries any priority; where it deletes one, Kueue makes another.
    """
    where = f"-n {target.reference.namespace} {target.kind.resource}.{target.kind.group}/{target.reference.name}"
    if target.kind is WORKLOAD:
        return f"kubectl delete {where}"
    if target.kind.scaled:
        kept = target.annotations.get(conventions.ANNOTATION_RECLAIM_REPLICAS, str(target.replicas))
        return f"kubectl scale {where} --replicas={kept}"
    return f"kubectl patch {where} --type=merge -p '{_opposite(target.kind.stop)}'"


def _opposite(stop: Mapping[str, Any]) -> str:
    """Return the change that takes a stop back, as JSON; each stop is one switch."""
    (key, value), *_ = stop.items()
    inner = _opposite(value) if isinstance(value, Mapping) else str(not value).lower()
    return f'{{"{key}":{inner}}}'


def _grace(policy: ReclaimPolicy, one: Reclamation) -> datetime.timedelta:
    return datetime.timedelta(minutes=policy.pools[one.owner.queue].grace_minutes)


def _note(target: Target, annotations: Mapping[str, str | None]) -> Patch:
    return Patch(target=target, change={"metadata": {"annotations": annotations}}, version=target.resource_version)


def _event(
    about: Reference, target: Target | None, action: Action, message: str, now: datetime.datetime
) -> CreateEvent:
    """Return an Event whose name stays the same until the owner's notes change."""
    noted = target.annotations if target else {}
    state = [
        noted.get(key, "")
        for key in (
            conventions.ANNOTATION_RECLAIM_NOTICE_AT,
            conventions.ANNOTATION_RECLAIM_WITHDRAWN_AT,
            conventions.ANNOTATION_RECLAIMED_AT,
        )
    ]
    return CreateEvent(
        name=_event_name(about, *state, action.value),
        about=about,
        reason=EVENT_REASONS[action],
        message=message,
        warning=action is Action.NOTIFY,
        at=now,
    )


def _event_name(about: Reference, *state: str) -> str:
    digest = hashlib.sha256("\n".join((about.uid, *state)).encode()).hexdigest()[:16]
    return f"{about.name[:LONGEST_NAME].rstrip('.-')}.{digest}"


def _alert(
    policy: ReclaimPolicy,
    one: Reclamation,
    message: str,
    since: datetime.datetime,
    now: datetime.datetime,
    *,
    resolved: bool = False,
) -> Iterator[PostAlert]:
    if "alertmanager" not in policy.notice:
        return
    reference = one.owner.reference
    kept = datetime.timedelta(minutes=policy.every_minutes * LOOKS_KEPT)
    yield PostAlert(
        labels={
            "alertname": ALERT,
            "cluster": policy.cluster,
            "namespace": reference.namespace,
            "owner": reference.name,
            "owner_kind": reference.kind,
            "severity": "warning",
            "task_pool": one.owner.queue,
            "team": one.team,
        },
        annotations={"summary": "Idle work is about to lose its GPUs.", "description": message},
        since=since,
        until=now if resolved else now + kept,
    )


_STEPS = {
    Action.NONE: _none,
    Action.NOTIFY: _notify,
    Action.REMIND: _remind,
    Action.WITHDRAW: _withdraw,
    Action.SUSPEND: _suspend,
}
