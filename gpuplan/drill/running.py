"""Run a drill: look, decide, take the step, until it is over. Whatever happens, what was changed is taken back at the end."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gpuplan.cluster import drilling
from gpuplan.cluster.answers import Problem
from gpuplan.cluster.drilling import EvictPod, Write
from gpuplan.cluster.kube import Fault, Kube
from gpuplan.drill import machine, seen
from gpuplan.drill.expectations import Report, expectations
from gpuplan.drill.machine import End, Wait
from gpuplan.drill.plan import ALERT, Plan
from gpuplan.drill.seen import Pod
from gpuplan.drill.state import Phase, PodName, Seen, State, broken_off

if TYPE_CHECKING:
    from gpuplan.cluster.alertmanager import AlertmanagerStatus
    from gpuplan.cluster.prometheus import Prometheus

FORBIDDEN = (429, 500)
"""Answers to an eviction that say `not now`, or that the pod has two budgets."""
FIRING = f'ALERTS{{alertname="{ALERT}", alertstate="firing"}}'


@dataclass(slots=True, kw_only=True)
class Runner:
    """Who runs one drill. `stopped` says why it has to stop, empty where it does not: Ctrl-C, or a dead guardian."""

    plan: Plan
    kube: Kube
    prometheus: Prometheus | None
    alertmanager: AlertmanagerStatus | None = None
    clock: Callable[[], datetime.datetime]
    sleep: Callable[[float], object]
    stopped: Callable[[], str]
    say: Callable[[str], None]
    namespaces: set[str] = field(default_factory=set)
    """Of the pods on its nodes: their successors come there."""
    said: str = ""
    away_since: datetime.datetime | None = None
    """Since when the server has not answered, or not taken a step."""
    pods: dict[PodName, Pod] = field(default_factory=dict)
    requests: dict[PodName, int] = field(default_factory=dict)

    def run(self) -> Report:
        """Run the drill to its end, and say what it came to."""
        began = self.clock()
        state = State(plan=self.plan, since=began)
        while True:
            why = self.stopped()
            if why and not state.why:
                state = broken_off(state, why, self.clock())
            sight = self._look(state)
            if isinstance(sight, Fault):
                state, over = self._failed(state, sight)
                if over:
                    return self._report(state, began, left=self.plan.nodes)
                continue
            state, step = machine.decide(state, sight, self.clock())
            if isinstance(step, End):
                return self._report(state, began)
            state, over = self._take(state, step)
            if over:
                return self._report(state, began, left=self.plan.nodes)

    def _report(self, state: State, began: datetime.datetime, left: tuple[str, ...] = ()) -> Report:
        return Report(state=state, expectations=expectations(state), began_at=began, ended_at=self.clock(), left=left)

    def _look(self, state: State) -> Seen | Fault:
        found = drilling.part(self.kube, self.plan.nodes, self.namespaces)
        if isinstance(found, Fault):
            return found
        nodes = found.nodes
        if state.phase is Phase.MARK:
            every = drilling.nodes(self.kube)
            if isinstance(every, Fault):
                return every
            nodes = every
        pods = seen.pods(found.pods)
        self.pods = {(pod.namespace, pod.name): pod for pod in pods}
        self.namespaces |= {pod.namespace for pod in pods if pod.node in self.plan.nodes and pod.evictable}
        self.requests |= self._requests(state)
        return Seen(
            nodes={node.name: node for node in seen.nodes(nodes)},
            pods=pods,
            alerting=self._alerting() if self._broken(state) else None,
            received=self._received() if self._broken(state) else None,
            requests=self.requests,
        )

    def _broken(self, state: State) -> bool:
        """Whether a node looks broken by now, so that somebody may know of it."""
        record = state.records.get(state.node)
        return self.plan.kind == "fault" and record is not None and record.closed_at is not None

    def _received(self) -> frozenset[str] | None:
        said = self.alertmanager.get("alerts") if self.alertmanager else None
        if isinstance(said, Problem):
            self._tell(f"Alertmanager does not say whether it has the alert: {said.summary}")
        labels = [one.get("labels", {}) for one in said] if isinstance(said, list) else []
        return frozenset(one.get("node", "") for one in labels if one.get("alertname") == ALERT)

    def _alerting(self) -> frozenset[str] | None:
        if self.prometheus is None:
            return None
        answer = self.prometheus.instant(FIRING)
        if isinstance(answer, Problem):
            self._tell(f"Prometheus does not say whether the alert fires: {answer.summary}")
            return None
        return frozenset(sample.labels.get("node", "") for sample in answer.samples)

    def _requests(self, state: State) -> dict[PodName, int]:
        """Ask how many requests run in each pod, while pods are evicted."""
        found: dict[PodName, int] = {}
        for metric in self.plan.pool.running if self.prometheus and state.phase is Phase.DRAIN else ():
            answer = self.prometheus.instant(f"sum by (namespace, pod) ({metric})") if self.prometheus else None
            if isinstance(answer, Problem):
                self._tell(f"Prometheus does not say what runs: {answer.summary}")
            elif answer is not None:
                found |= {
                    (one.labels.get("namespace", ""), one.labels.get("pod", "")): int(one.value)
                    for one in answer.samples
                    if one.value.is_finite()
                }
        return found

    def _take(self, state: State, step: Write | Wait) -> tuple[State, bool]:
        """Take a step; return whether all hope is lost."""
        if isinstance(step, Wait):
            if step.why:
                self._tell(f"waiting for {step.why}")
                self.sleep(self.plan.pause)
            self.away_since = None
            return state, False
        answer = drilling.write(self.kube, step)
        if not isinstance(answer, Fault):
            self.away_since = None
            return self._taken(state, step), False
        if isinstance(step, EvictPod) and answer.status in FORBIDDEN:
            self._tell(answer.summary)
            pod = self.pods[step.namespace, step.pod]
            return machine.forbidden(state, pod, answer.summary, self.clock()), False
        if answer.conflict or answer.absent:
            return self._outrun(state, answer)
        return self._failed(state, answer)

    def _outrun(self, state: State, fault: Fault) -> tuple[State, bool]:
        """Look again where the object has changed since the look: at once, but not for ever."""
        self.away_since = self.away_since or self.clock()
        if (self.clock() - self.away_since).total_seconds() < self.plan.limits.unreachable:
            return state, False
        return self._failed(state, fault)

    def _taken(self, state: State, step: Write) -> State:
        if isinstance(step, EvictPod):
            name = (step.namespace, step.pod)
            self._tell(f"evicted {step.namespace}/{step.pod}")
            return machine.evicted(state, self.pods[name], self.clock(), self.requests.get(name))
        return state

    def _failed(self, state: State, fault: Fault) -> tuple[State, bool]:
        """Wait for a server that is away for a while; then give back, and give up when that cannot be done either."""
        now = self.clock()
        self._tell(fault.summary)
        self.away_since = self.away_since or now
        patience = self.plan.limits.unreachable if fault.unreachable else 0.0
        if (now - self.away_since).total_seconds() < patience:
            self.sleep(self.plan.pause)
            return state, False
        if state.phase is Phase.GIVE_BACK:
            return state, True
        self.away_since = None
        return broken_off(state, fault.summary, now), False

    def _tell(self, text: str) -> None:
        """Say what is new, and nothing twice in a row."""
        if text != self.said:
            self.said = text
            self.say(text)
