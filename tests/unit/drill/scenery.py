"""A cluster in memory for drills: nodes and pods as objects, which take the steps of a drill as a server would."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from gpuplan import conventions
from gpuplan.cluster.drilling import ChangeNode, EvictPod
from gpuplan.drill import machine, seen
from gpuplan.drill.machine import End, Wait
from gpuplan.drill.plan import Limits, Plan, Pool, Symptom
from gpuplan.drill.state import Seen, State, broken_off

NOW = datetime.datetime(2026, 12, 1, 8, tzinfo=datetime.UTC)
CHAT, NIGHTLY, SCRATCH = ("vision", "chat"), ("vision", "nightly"), ("vision", "scratch")
CARD = "nvidia.com/gpu"
SYMPTOM = Symptom(condition="GpuHealthy", healthy=True, isolates=True, alerts=True, why="the fleet judges by it.")
MORE_STEPS = 400

Object = dict[str, Any]


def pool(**changed: Any) -> Pool:
    """Return pool `l40s` of four cards a node, with a stateful, a queued and a reclaimable task pool."""
    said: dict[str, Any] = {
        "fleet": "acme",
        "cluster": "main",
        "name": "l40s",
        "labels": {"pool": "l40s"},
        "peers": ({"pool": "l40s"},),
        "offered": {CARD: 4},
        "stateful": {CHAT: 60},
        "owning": frozenset({CHAT, NIGHTLY}),
        "yielding": frozenset({SCRATCH}),
        "floors": {CARD: 4},
        "capacity": {CARD: 12},
        "running": (),
        "symptom": SYMPTOM,
    }
    return Pool(**{**said, **changed})


def plan(kind: Any = "maintenance", *, nodes: tuple[str, ...] = ("a",), **changed: Any) -> Plan:
    """Return a plan with limits of tens of seconds."""
    limits = Limits(budget=30, end=10, ready=40, isolate=20, alert=60, back=20, unreachable=10, hold=1000)
    said: dict[str, Any] = {
        "drill": "d1",
        "who": "me:1",
        "kind": kind,
        "pool": pool(),
        "nodes": nodes,
        "limits": limits,
    }
    return Plan(**{**said, **changed})


def node(name: str, **changed: Any) -> Object:
    """Return a node of the pool that is ready and open."""
    conditions = [{"type": "Ready", "status": "True"}, {"type": "GpuHealthy", "status": "True", "reason": "Fine"}]
    made: Object = {
        "metadata": {"name": name, "resourceVersion": "1", "labels": {"pool": "l40s"}, "annotations": {}},
        "spec": {},
        "status": {"allocatable": {CARD: "4", "cpu": "64"}, "conditions": conditions, "nodeInfo": {"bootID": "b1"}},
    }
    made["spec"] |= changed
    return made


def pod(name: str, on: str, queue: str = "chat", *, owner: str = "ReplicaSet", cards: int = 1, uid: str = "") -> Object:
    """Return a pod that runs and is ready."""
    owners = [{"kind": owner, "name": f"{queue}-set", "uid": f"{queue}-set", "controller": True}] if owner else []
    labels = {conventions.LABEL_QUEUE_NAME: queue} if queue else {}
    container = {"name": "main", "resources": {"requests": {CARD: str(cards)}}}
    return {
        "metadata": {
            "namespace": "vision", "name": name, "uid": uid or name, "labels": labels, "ownerReferences": owners
        },
        "spec": {"nodeName": on, "terminationGracePeriodSeconds": 60, "containers": [container]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }  # fmt: skip


@dataclass(slots=True, kw_only=True)
class World:
    """What takes steps. `before_look` may change it before each look; it gets the number of seconds since the start."""

    nodes: dict[str, Object]
    pods: dict[str, Object] = field(default_factory=dict)
    now: datetime.datetime = NOW
    reacts: bool = True
    """Whether a node that looks broken gets its taint."""
    forbids: Callable[[str], str] = lambda _name: ""
    """Why a pod may not be evicted now."""
    before_look: Callable[[World], None] = lambda _world: None
    replaces: bool = True
    alerts: bool = False
    writes: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return (self.now - NOW).total_seconds()

    def look(self) -> Seen:
        """Return what is there."""
        self.before_look(self)
        self._react()
        looking = {name: seen.node(copy.deepcopy(one)) for name, one in self.nodes.items()}
        bad = frozenset(name for name, one in looking.items() if one.unhealthy) if self.alerts else None
        return Seen(nodes=looking, pods=seen.pods(copy.deepcopy(list(self.pods.values()))), alerting=bad, received=bad)

    def _react(self) -> None:
        for made in self.nodes.values():
            said = next((c["status"] for c in made["status"]["conditions"] if c["type"] == "GpuHealthy"), "Unknown")
            others = [t for t in made["spec"].get("taints", []) if t["key"] != conventions.TAINT_UNHEALTHY]
            bad = [{"key": conventions.TAINT_UNHEALTHY, "effect": "NoSchedule"}] if said != "True" else []
            made["spec"]["taints"] = others + bad if self.reacts else others

    def write(self, step: ChangeNode, manager: str = conventions.DRILLER) -> None:
        """Take a change of a node as the server does."""
        made = self.nodes[step.node]
        assert step.version == made["metadata"]["resourceVersion"]
        self.writes.append(kind_of(step))
        made["metadata"]["resourceVersion"] = str(int(step.version) + 1)
        for key, value in step.change.get("metadata", {}).get("annotations", {}).items():
            made["metadata"]["annotations"].pop(key, None)
            if value is not None:
                made["metadata"]["annotations"][key] = value
        if "spec" in step.change:
            self.close(step.node, manager, closed=bool(step.change["spec"]["unschedulable"]))
        if step.status:
            made["status"]["conditions"] = list(step.change["status"]["conditions"])

    def close(self, name: str, manager: str, *, closed: bool = True) -> None:
        """Cordon a node, or open it."""
        made = self.nodes[name]
        made["spec"].pop("unschedulable", None)
        made["metadata"]["managedFields"] = []
        if closed:
            made["spec"]["unschedulable"] = True
            owned: Object = {"f:spec": {"f:unschedulable": {}}}
            made["metadata"]["managedFields"] = [{"manager": manager, "fieldsV1": owned}]

    def evict(self, state: State, step: EvictPod) -> State:
        """Take an eviction: the pod goes at once, and its controller makes another on the first open node."""
        made = next(one for one in self.pods.values() if one["metadata"]["name"] == step.pod)
        gone = seen.pod(made)
        words = self.forbids(step.pod)
        if words:
            self.writes.append("refused")
            return machine.forbidden(state, gone, words, self.now)
        self.writes.append("evict")
        del self.pods[made["metadata"]["uid"]]
        if self.replaces and gone.owner:
            self.succeed(made)
        return machine.evicted(state, gone, self.now, None)

    def succeed(self, made: Object) -> None:
        """Make the successor of a pod."""
        name = f"{made['metadata']['name']}'"
        where = next(one for one in self.nodes if seen.node(self.nodes[one]).open)
        other = copy.deepcopy(made)
        other["metadata"] |= {"name": name, "uid": name}
        other["spec"]["nodeName"] = where
        self.pods[name] = other

    def play(self, made: Plan, stop: Callable[[State], str] = lambda _state: "") -> State:
        """Run a drill to its end, five seconds a wait."""
        state = State(plan=made, since=self.now)
        for _ in range(MORE_STEPS):
            why = stop(state)
            if why and not state.why:
                state = broken_off(state, why, self.now)
            state, step = machine.decide(state, self.look(), self.now)
            match step:
                case End():
                    return state
                case Wait(why=""):
                    pass
                case Wait():
                    self.now += datetime.timedelta(seconds=5)
                case ChangeNode():
                    self.write(step)
                case EvictPod():
                    state = self.evict(state, step)
        raise AssertionError(f"it does not end: {state}")


def world(nodes: Iterable[Object], pods: Iterable[Object] = (), **how: Any) -> World:
    """Return a world of these objects."""
    return World(
        nodes={one["metadata"]["name"]: one for one in nodes}, pods={one["metadata"]["uid"]: one for one in pods}, **how
    )


def kind_of(step: ChangeNode) -> str:
    """Return what a change of a node is, in a word."""
    if step.status:
        ours = any(one.get("reason") == "GpuplanDrill" for one in step.change["status"]["conditions"])
        return "break" if ours else "mend"
    if "spec" in step.change:
        return "cordon" if step.change["spec"]["unschedulable"] else "open"
    return "mark" if step.change["metadata"]["annotations"][conventions.ANNOTATION_DRILL] else "unmark"
