"""What becomes of what a drill watches: pods that were evicted and their successors, and the node itself."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import replace

from gpuplan import conventions
from gpuplan.drill.seen import Node, Pod
from gpuplan.drill.state import Move, Record, Seen, State, noted

CLOSING = ("NoSchedule", "NoExecute")
"""Effects of taints that keep new pods off."""


def follow(state: State, seen: Seen, now: datetime.datetime) -> State:
    """Return the state with what has become of the pods that were evicted."""
    taken = {move.successor_uid for move in state.moves if move.ready_at}
    followed: list[Move] = []
    for move in state.moves:
        made = _follow(move, state.records[move.node], seen, taken, now)
        taken |= {made.successor_uid} - {""}
        followed.append(made)
    return replace(state, moves=tuple(followed))


def _follow(move: Move, record: Record, seen: Seen, taken: set[str], now: datetime.datetime) -> Move:
    still = next((pod for pod in seen.pods if pod.uid == move.pod.uid), None)
    if still is not None:
        requests = seen.requests.get((still.namespace, still.name), move.requests)
        move = replace(move, exit_codes=still.exit_codes or move.exit_codes, requests=requests)
    if move.gone_at is None and (still is None or still.ended):
        move = replace(move, gone_at=now)
    if move.ready_at is None and move.pod.owner:
        return _succeeded(move, _successor(move, record, seen, taken), now)
    return move


def _succeeded(move: Move, successor: Pod | None, now: datetime.datetime) -> Move:
    if successor is None:
        return replace(move, successor="", successor_uid="", successor_node="", successor_waits="")
    return replace(
        move,
        successor=successor.name,
        successor_uid=successor.uid,
        successor_node=successor.node,
        successor_waits=successor.waits,
        ready_at=now if successor.ready or successor.ended else None,
    )


def _successor(move: Move, record: Record, seen: Seen, taken: set[str]) -> Pod | None:
    """Return the pod of the same controller that came in a pod's place: one that is ready first."""
    found = [
        pod
        for pod in seen.pods
        if pod.owner == move.pod.owner
        and pod.uid not in record.known
        and pod.uid not in taken
        and not pod.terminating
        and not (pod.ended and not pod.node)
    ]
    return min(found, key=lambda pod: (not pod.ready, not pod.node, pod.name), default=None)


def waiting(state: State) -> tuple[Move, ...]:
    """Return the pods of the node whose successors are not ready; what nobody makes anew has none."""
    return tuple(move for move in state.moves_here if move.pod.owner and move.ready_at is None)


def must_be_ready(state: State, move: Move) -> bool:
    """Whether a pod's successor has to be ready before the drill goes on: not where others may hold its cards by right."""
    pool = state.plan.pool
    queue = (move.pod.namespace, move.pod.queue)
    return queue in pool.owning or queue in pool.stateful


def begin(node: Node, pods: tuple[Pod, ...]) -> Record:
    """Return what is known of a node before anything is changed."""
    here = {pod.uid: pod.restarts for pod in pods if pod.node == node.name}
    return Record(
        name=node.name,
        allocatable=node.allocatable,
        boot=node.boot,
        taints=node.taints,
        restarts=here,
        known=frozenset(),
    )


def restarted(record: Record, node: Node, pods: tuple[Pod, ...]) -> str:
    """Return what has begun anew on a node, empty where nothing has: the machine, an agent, or a container."""
    if node.boot != record.boot:
        return f"{node.name} has started anew"
    for pod in pods:
        if pod.node == node.name and pod.restarts > record.restarts.get(pod.uid, pod.restarts):
            return f"a container of {pod} has started anew"
    gone = set(record.restarts) - {pod.uid for pod in pods}
    return f"{len(gone)} of its pods went" if gone else ""


def isolated(record: Record, node: Node) -> str:
    """Return by what a node is closed to new pods, empty where it is not: what was there before does not count."""
    new = [taint for taint in node.taints if taint not in record.taints and taint[1] in CLOSING]
    ours = next((taint for taint in new if taint[0] == conventions.TAINT_UNHEALTHY), None)
    found = ours or next(iter(new), None)
    if found:
        return f"taint {found[0]}:{found[1]}"
    return f"a cordon of {node.cordoned_by or 'somebody'}" if node.unschedulable else ""


def lacking(record: Record, node: Node) -> Iterator[str]:
    """Yield why a node does not take work as it did before."""
    if not node.ready:
        yield "it is not Ready"
    if node.unschedulable:
        yield f"it is cordoned by {node.cordoned_by or 'somebody'}"
    yield from (
        f"taint {key}:{effect} is still there"
        for key, effect in node.taints
        if (key, effect) not in record.taints and effect in CLOSING
    )
    for resource, amount in record.allocatable.items():
        now = node.allocatable.get(resource, 0)
        if "/" in resource and now < amount:
            yield f"it offers {now} of {amount} {resource}"


def alerted(state: State, seen: Seen, now: datetime.datetime) -> State:
    """Return the state with when the alert on the node was first seen to fire, and to have reached Alertmanager."""
    record = state.record
    fires = now if state.node in (seen.alerting or ()) else None
    came = now if state.node in (seen.received or ()) else None
    made = replace(record, alerted_at=record.alerted_at or fires, received_at=record.received_at or came)
    return noted(state, made)


def awaits_alert(state: State) -> bool:
    """Whether somebody is asked who has not yet seen the alert on the node."""
    plan, record = state.plan, state.record
    asked = (plan.watches_alert and record.alerted_at is None) or (plan.watches_receipt and record.received_at is None)
    return plan.kind == "fault" and plan.pool.symptom.alerts and asked
