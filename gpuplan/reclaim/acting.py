"""Take the steps: each owner's in their order, none after one that failed. The next look goes on where this one was stopped."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gpuplan import conventions
from gpuplan.cluster.alertmanager import Alertmanager, Notice
from gpuplan.cluster.kube import Fault, Kube, collection
from gpuplan.cluster.metrics import ReclaimMetrics
from gpuplan.model.reclaim import ReclaimReason
from gpuplan.model.reclaim_kinds import kinds
from gpuplan.model.reclaim_policy import ReclaimPolicy
from gpuplan.reclaim import times
from gpuplan.reclaim.decide import HOUR, Decision
from gpuplan.reclaim.observed import Observations, Owner, Suspended
from gpuplan.reclaim.steps import Count, CreateEvent, Patch, PostAlert, Step, steps, tell
from gpuplan.reclaim.verdicts import Action, Reclamation, Verdict

EVENTS = ("v1", "events")
STILL_TRUE = datetime.timedelta(minutes=5)
"""How long a verdict may be acted on; large clusters and slow servers make a look long."""
CHANGED = "has changed meanwhile; the next look judges it anew"
LATE = "the look took too long to suspend by it; the next look judges it anew"
LONGEST_MESSAGE = 1024
"""Characters of an Event's message."""


@dataclass(slots=True, kw_only=True)
class Actor:
    """Who acts in one cluster. It remembers what it has suspended, since people may delete that within the hour."""

    policy: ReclaimPolicy
    kube: Kube
    alertmanager: Alertmanager | None
    metrics: ReclaimMetrics
    again: Callable[[str], tuple[Owner, ...] | Fault]
    """Returns the owners of a namespace as they are now: a look may be minutes old when its turn comes."""
    taken: list[Suspended] = field(default_factory=list)
    away: str = ""
    """Why Alertmanager got nothing in this look; one that is away is waited for once, not for every owner."""

    def begin(self) -> None:
        """Start the counters of all namespaces and kinds at 0."""
        names = [kind.kind for kind in kinds(self.policy.frameworks) if kind.stop and kind.kind != "Workload"]
        reason = ReclaimReason.IDLE.value
        self.metrics.begin((namespace, kind, reason) for namespace in self.policy.teams for kind in names)

    def remembering(self, seen: Observations, now: datetime.datetime) -> Observations:
        """Return what is seen with what was suspended and has been deleted since."""
        self.taken = [one for one in self.taken if one.at > now - HOUR]
        known = {(one.target.reference.uid, one.at) for one in seen.suspended}
        gone = (one for one in self.taken if (one.target.reference.uid, one.at) not in known)
        return replace(seen, suspended=(*seen.suspended, *gone))

    def report(self, decision: Decision) -> None:
        """Take the verdicts over into the metrics."""
        counts = Counter(one.verdict for one in decision.reclamations)
        idle = (
            (one.owner.reference.namespace, one.owner.reference.kind, one.owner.reference.name, one.owner.queue)
            for one in decision.reclamations
            if one.verdict.is_idle
        )
        by_name = {verdict.value: counts[verdict] for verdict in Verdict}
        self.metrics.look(by_name, idle, circuit_open=decision.circuit_open)

    def act(
        self,
        seen: Observations,
        decision: Decision,
        now: datetime.datetime,
        clock: Callable[[], datetime.datetime],
        log: Callable[[str], None],
    ) -> tuple[str, ...]:
        """Suspend, tell whom we did not get to tell, then do what else was decided at `now`.

        Return what could not be done, a line each. What was judged long ago is not suspended: it may work again by now.
        """
        self.away = ""
        due = [one for one in decision.reclamations if one.action is Action.SUSPEND]
        others = [one for one in decision.reclamations if one.action not in (Action.SUSPEND, Action.NONE)]
        faults = [
            self._do(one, now, log) if clock() - now <= STILL_TRUE else f"{one.owner.reference}: {LATE}" for one in due
        ]
        faults += [self._take(str(one.owner), tell(one)) for one in seen.suspended if one.untold]
        faults += [self._do(one, now, log) for one in others]
        return tuple(fault for fault in faults if fault)

    def _do(self, one: Reclamation, now: datetime.datetime, log: Callable[[str], None]) -> str:
        """Do what was decided of one owner; return what could not be done.

        Work is suspended as it was judged or not at all. The version that a patch names says so of its target alone; an
        exemption stands on the work too, and a pod may have begun anew.
        """
        if one.action is Action.SUSPEND:
            found = self.again(one.owner.reference.namespace)
            if isinstance(found, Fault):
                return f"{one.owner.reference}: {found.summary}"
            if one.owner not in found:
                return f"{one.owner.reference} {CHANGED}"
        fault = self._take(str(one.owner.reference), steps(self.policy, one, now))
        if not fault and one.action is not Action.REMIND:
            log(f"{one.action.value} {one.owner.reference}: {one.why}")
        return fault

    def _take(self, who: str, some: Iterable[Step]) -> str:
        """Take steps until one fails; return which and why, empty where all were taken."""
        for step in some:
            fault = self._step(step)
            if fault:
                return f"{who}: {fault}"
        return ""

    def _step(self, step: Step) -> str:
        match step:
            case CreateEvent():
                return self._event(step)
            case PostAlert():
                return self._alert(step)
            case Patch():
                return self._patch(step)
            case Count():
                self.metrics.reclaimed.labels(step.namespace, step.kind, step.reason.value).inc()
                return ""

    def _event(self, step: CreateEvent) -> str:
        made = self.kube.create(collection(*EVENTS, step.about.namespace), event(step))
        return made.summary if isinstance(made, Fault) and not made.conflict else ""

    def _alert(self, step: PostAlert) -> str:
        if self.alertmanager is None or self.away:
            return self.away
        notice = Notice(labels=step.labels, annotations=step.annotations, since=step.since, until=step.until)
        fault = self.alertmanager.post(notice)
        self.away = fault if self.alertmanager.away else ""
        return fault

    def _patch(self, step: Patch) -> str:
        reference, kind = step.target.reference, step.target.kind
        metadata = {**step.change["metadata"], **({"resourceVersion": step.version} if step.version else {})}
        path = f"{collection(kind.api_version, kind.resource, reference.namespace)}/{reference.name}"
        made = self.kube.merge(path, {**step.change, "metadata": metadata})
        if not isinstance(made, Fault):
            self._remember(step)
            return ""
        if made.absent:
            return "" if not step.version else f"{reference} is gone"
        return f"{reference} {CHANGED}" if made.conflict else made.summary

    def _remember(self, step: Patch) -> None:
        noted: Mapping[str, Any] = step.change["metadata"]["annotations"]
        at = times.read(noted.get(conventions.ANNOTATION_RECLAIMED_AT) or "")
        if at:
            self.taken.append(Suspended(owner=step.target.reference, target=step.target, at=at, untold=False))


def event(step: CreateEvent) -> dict[str, object]:
    """Return the Event as an object."""
    about = step.about
    at = times.written(step.at)
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": step.name, "namespace": about.namespace},
        "involvedObject": {
            "apiVersion": about.api_version,
            "kind": about.kind,
            "namespace": about.namespace,
            "name": about.name,
            "uid": about.uid,
        },
        "reason": step.reason,
        "message": step.message[:LONGEST_MESSAGE],
        "type": "Warning" if step.warning else "Normal",
        "source": {"component": conventions.RECLAIMER},
        "reportingComponent": conventions.RECLAIMER,
        "firstTimestamp": at,
        "lastTimestamp": at,
        "count": 1,
    }
