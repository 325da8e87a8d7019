"""How far a drill has come: its phase, and what it has seen so far, node by node and pod by pod."""

from __future__ import annotations

import datetime
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gpuplan.drill.marks import Mark
from gpuplan.drill.plan import Plan
from gpuplan.drill.seen import Node, Pod

PodName = tuple[str, str]
"""(namespace, name)."""


class Phase(enum.Enum):
    """What a drill does now. The first is for all its nodes, the others are gone through for each."""

    MARK = "note on each node what is about to happen"
    CLOSE = "close the node, or make it look broken"
    ISOLATE = "wait for the node to be isolated"
    DRAIN = "evict its pods"
    SETTLE = "wait for their successors"
    OPEN = "take back what was changed"
    RETURN = "wait for the node to take work again"
    GIVE_BACK = "take everything back"
    DONE = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What is there at one moment. All nodes of the cluster in phase `MARK`, else those of the drill."""

    nodes: Mapping[str, Node]
    pods: tuple[Pod, ...]
    alerting: frozenset[str] | None = None
    """Nodes whose alert fires now; None where nobody could be asked."""
    received: frozenset[str] | None = None
    """Nodes whose alert Alertmanager has; None where nobody could be asked."""
    requests: Mapping[PodName, int] = field(default_factory=dict)
    """Requests that run in pods of engines, as far as Prometheus knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A pod that was evicted, and what became of it."""

    pod: Pod
    node: str
    evicted_at: datetime.datetime
    gone_at: datetime.datetime | None = None
    exit_codes: tuple[int, ...] = ()
    requests: int | None = None
    """What ran in it when it was last seen; None where nobody knows."""
    successor: str = ""
    """Name of the pod that came in its place."""
    successor_uid: str = ""
    successor_node: str = ""
    successor_waits: str = ""
    ready_at: datetime.datetime | None = None

    @property
    def without_seconds(self) -> float | None:
        """Seconds from its eviction until its successor was ready; None where none was."""
        return (self.ready_at - self.evicted_at).total_seconds() if self.ready_at else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What was seen of one node. Times are None where it did not happen."""

    name: str
    allocatable: Mapping[str, int]
    boot: str
    taints: tuple[tuple[str, str], ...]
    restarts: Mapping[str, int]
    """Restarts of each pod on it, by uid, before anything was changed."""
    known: frozenset[str] = frozenset()
    """Pods that were there before the first eviction; none of them is a successor."""
    closed_at: datetime.datetime | None = None
    isolated_at: datetime.datetime | None = None
    isolated_by: str = ""
    restarted: str = ""
    """What began anew before it was isolated."""
    drained_at: datetime.datetime | None = None
    settled: bool = False
    """Whether all successors were ready in time."""
    alerted_at: datetime.datetime | None = None
    received_at: datetime.datetime | None = None
    healed: int = 0
    """How often somebody has said that it is healthy while the drill said that it is broken."""
    opened_at: datetime.datetime | None = None
    returned_at: datetime.datetime | None = None
    missing: str = ""
    """Why it does not take work as before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A drill on its way."""

    plan: Plan
    phase: Phase = Phase.MARK
    since: datetime.datetime
    """When the phase began."""
    index: int = 0
    """Which of the plan's nodes it is about."""
    records: Mapping[str, Record] = field(default_factory=dict)
    notes: Mapping[str, Mark] = field(default_factory=dict)
    """What it has noted on each node; it knows that also where somebody takes the note away."""
    moves: tuple[Move, ...] = ()
    refused: Mapping[str, datetime.datetime] = field(default_factory=dict)
    """Pods by uid whose eviction a budget forbids, and since when."""
    tried: Mapping[str, datetime.datetime] = field(default_factory=dict)
    """When the eviction of such a pod was last asked for."""
    refusal: str = ""
    """The server's words for it."""
    why: str = ""
    """Why it was broken off; empty where it was not."""
    kept: tuple[str, ...] = ()
    """What was not taken back since a person has changed it."""

    @property
    def node(self) -> str:
        """The name of the node that it is about."""
        return self.plan.nodes[self.index]

    @property
    def record(self) -> Record:
        """What was seen of that node."""
        return self.records[self.node]

    @property
    def moves_here(self) -> tuple[Move, ...]:
        """The pods that were evicted from that node."""
        return tuple(move for move in self.moves if move.node == self.node)


def go(state: State, phase: Phase, now: datetime.datetime) -> State:
    """Return the state with another phase."""
    return replace(state, phase=phase, since=now)


def noted(state: State, record: Record) -> State:
    """Return the state with a newer record of a node."""
    return replace(state, records={**state.records, record.name: record})


def broken_off(state: State, why: str, now: datetime.datetime) -> State:
    """Return the state of a drill that takes everything back, and why; the first reason stays."""
    if state.phase in (Phase.GIVE_BACK, Phase.DONE):
        return state if state.why else replace(state, why=why)
    return go(replace(state, why=state.why or why), Phase.GIVE_BACK, now)


def waited(state: State, now: datetime.datetime) -> float:
    """Return for how many seconds the phase has lasted."""
    return (now - state.since).total_seconds()
