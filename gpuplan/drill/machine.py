"""From what is seen to the next step. Pure: whoever runs a drill looks, asks here, takes the step, and says what came of it.

    MARK ─all noted→ CLOSE ─→ ISOLATE (fault) ─→ DRAIN ─→ SETTLE ─→ OPEN ─→ RETURN ─next node→ CLOSE … DONE
                        any trouble ─→ GIVE_BACK ─→ DONE

No step is taken on what was seen before the last one, since each is refused where the node has changed meanwhile.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from gpuplan.cluster.drilling import ChangeNode, EvictPod, Write
from gpuplan.drill import following, marks
from gpuplan.drill.following import alerted, follow, must_be_ready, waiting
from gpuplan.drill.marks import Mark
from gpuplan.drill.seen import Node, Pod
from gpuplan.drill.state import Move, Phase, Seen, State, broken_off, go, noted, waited

AGAIN_SECONDS = 5.0
"""How long a pod whose eviction is forbidden is left alone."""
MOST_HEALED = 20
"""How often a condition is written anew that its reporter writes over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Nothing can be done now: look again after a while."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The drill is over."""


Step = Write | Wait | End
Decision = tuple[State, Step]
_BROKEN = (Phase.ISOLATE, Phase.DRAIN, Phase.SETTLE)
"""Phases in which a fault drill needs its node to look broken."""
_AGAIN = Wait(why="")
"""Look again at once, with another phase."""


def decide(state: State, seen: Seen, now: datetime.datetime) -> Decision:
    """Return the next step, and the state with what was seen."""
    if state.phase is Phase.DONE:
        return state, End()
    state = follow(state, seen, now)
    trouble = "" if state.phase is Phase.GIVE_BACK else _trouble(state, seen, now)
    if trouble:
        state = broken_off(state, trouble, now)
    if state.phase is not Phase.GIVE_BACK:
        alive = _sign_of_life(state, seen, now)
        if alive:
            return state, alive
        if state.plan.kind == "fault" and state.phase in _BROKEN and not _looks_broken(state, seen):
            return _break_again(state, seen, now)
    return _PHASES[state.phase](state, seen, now)


def own_mark(state: State, node: Node) -> Mark | None:
    """Return the note of this drill on a node."""
    held = marks.read(node.mark) if node.mark else None
    return held if held and held.drill == state.plan.drill else None


def _trouble(state: State, seen: Seen, now: datetime.datetime) -> str:
    """Return why the drill cannot go on: a node is gone, or its note, or another drill is on the pool."""
    pool = state.plan.pool
    for node in seen.nodes.values():
        held = marks.read(node.mark) if node.mark else None
        if node.mark and own_mark(state, node) is None:
            ours = node.name in state.plan.nodes
            if ours or (held and held.pool == pool.name and held.seems_alive(now)):
                whose = f"drill {held.drill} of {held.who}" if held else "a note that is no drill's"
                return f"{whose} is on node {node.name} of this pool"
    for name in state.plan.nodes[state.index :]:
        found = seen.nodes.get(name)
        if found is None:
            return f"node {name} is gone"
        if state.phase is not Phase.MARK and not _left_alone(state, name) and own_mark(state, found) is None:
            return f"somebody has taken the drill's note off node {name}"
    return ""


def _left_alone(state: State, name: str) -> bool:
    return name == state.node and state.phase in (Phase.OPEN, Phase.RETURN)


def _sign_of_life(state: State, seen: Seen, now: datetime.datetime) -> ChangeNode | None:
    """Return the step by which the drill shows that it is alive, where that is due."""
    due = now + datetime.timedelta(seconds=state.plan.limits.hold / 2)
    for name in state.plan.nodes:
        node = seen.nodes.get(name)
        held = own_mark(state, node) if node else None
        if node and held and held.until < due:
            return marks.renewed(node, held, _until(state, now))
    return None


def _until(state: State, now: datetime.datetime) -> datetime.datetime:
    return now + datetime.timedelta(seconds=state.plan.limits.hold)


def _mark(state: State, seen: Seen, now: datetime.datetime) -> Decision:
    """Note on each node what is about to happen. The others are looked at after that: of two drills one sees the other."""
    plan = state.plan
    for name in plan.nodes:
        node = seen.nodes[name]
        if own_mark(state, node) is None:
            if name not in state.records:
                state = noted(state, following.begin(node, seen.pods))
            condition = plan.pool.symptom.condition if plan.kind == "fault" else ""
            before = node.condition(condition) if condition else None
            made = Mark(
                drill=plan.drill,
                kind=plan.kind,
                pool=plan.pool.name,
                who=plan.who,
                until=_until(state, now),
                condition=condition,
                before=before.raw if before else None,
            )
            return replace(state, notes={**state.notes, name: made}), marks.mark(node, made)
    return go(state, Phase.CLOSE, now), _AGAIN


def _close(state: State, seen: Seen, now: datetime.datetime) -> Decision:
    """Look once more at how the node is, then change it. The next look says whether that was done."""
    node, plan, held = seen.nodes[state.node], state.plan, own_mark(state, seen.nodes[state.node])
    fault = plan.kind == "fault"
    if (held is not None and marks.is_broken_by_us(node, held)) if fault else node.unschedulable:
        closed = replace(state.record, closed_at=now)
        if fault:
            return go(noted(state, closed), Phase.ISOLATE, now), _AGAIN
        by = f"a cordon of {node.cordoned_by or 'somebody'}"
        return go(noted(state, replace(closed, isolated_at=now, isolated_by=by)), Phase.DRAIN, now), _AGAIN
    known = frozenset(pod.uid for pod in seen.pods)
    state = noted(state, replace(following.begin(node, seen.pods), known=known))
    if not fault:
        return state, marks.cordon(node)
    return state, _broken(state, seen, now)


def _broken(state: State, seen: Seen, now: datetime.datetime) -> ChangeNode:
    node, symptom = seen.nodes[state.node], state.plan.pool.symptom
    return marks.break_node(node, symptom.condition, healthy=symptom.healthy, drill=state.plan.drill, now=now)


def _break_again(state: State, seen: Seen, now: datetime.datetime) -> Decision:
    healed = state.record.healed + 1
    if healed > MOST_HEALED:
        why = f"somebody says again and again that {state.node} is healthy ({state.plan.pool.symptom.condition})"
        return broken_off(state, why, now), _AGAIN
    return noted(state, replace(state.record, healed=healed)), _broken(state, seen, now)


def _looks_broken(state: State, seen: Seen) -> bool:
    """Whether the condition is still as the drill has set it: whoever reports it may have written its own word anew."""
    node = seen.nodes[state.node]
    held = own_mark(state, node)
    return held is None or marks.is_broken_by_us(node, held)


def _isolate(state: State, seen: Seen, now: datetime.datetime) -> Decision:
    """Wait for others to isolate the node. The drill never does it: that they do is what it is about."""
    node, record = seen.nodes[state.node], state.record
    by = following.isolated(record, node)
    record = replace(record, restarted=record.restarted or following.restarted(record, node, seen.pods))
    state = alerted(noted(state, record), seen, now)
    if by:
        isolated = replace(state.record, isolated_at=now, isolated_by=by)
        return go(noted(state, isolated), Phase.DRAIN, now), _AGAIN
    if waited(state, now) > state.plan.limits.isolate:
        return go(state, Phase.SETTLE, now), _AGAIN
    return state, Wait(why=f"{node.name} to be isolated")


def _drain(state: State, seen: Seen, now: datetime.datetime) -> Decision:
    plan, here = state.plan, [pod for pod in seen.pods if pod.node == state.node]
    state = alerted(state, seen, now)
    if following.isolated(state.record, seen.nodes[state.node]) == "":
        if plan.kind == "fault" and waited(state, now) <= plan.limits.isolate:
            return state, Wait(why=f"{state.node} to be isolated again")
        return broken_off(state, f"somebody has opened node {state.node} to new pods", now), _AGAIN
    left = [pod for pod in here if pod.evictable]
    for pod in left:
        last = state.tried.get(pod.uid)
        if last is None or (now - last).total_seconds() >= AGAIN_SECONDS:
            return state, EvictPod(namespace=pod.namespace, pod=pod.name)
    if left:
        longest = max((now - at).total_seconds() for at in state.refused.values())
        if longest > plan.limits.budget:
            return broken_off(state, f"no pod could be evicted for {longest:.0f} s: {state.refusal}", now), _AGAIN
        return state, Wait(why=f"a disruption budget to allow the eviction of {left[0]}")
    ending = [move for move in state.moves_here if move.gone_at is None]
    for move in ending:
        if (now - move.evicted_at).total_seconds() > move.pod.grace_seconds + plan.limits.end:
            return broken_off(state, f"{move.pod} has not ended {plan.limits.end:.0f} s after its grace", now), _AGAIN
    if ending:
        return state, Wait(why=f"{ending[0].pod} to end")
    return go(noted(state, replace(state.record, drained_at=now)), Phase.SETTLE, now), _AGAIN


def _settle(state: State, seen: Seen, now: datetime.datetime) -> Decision:
    """Wait for successors, and in a fault drill for the alert. Without successors a maintenance drill takes no other node."""
    limits = state.plan.limits
    state = alerted(state, seen, now)
    must = [move for move in waiting(state) if must_be_ready(state, move)]
    late = must or list(waiting(state))
    if late and waited(state, now) <= (limits.ready if must else limits.end):
        return state, Wait(why=f"a successor of {late[0].pod} to be ready")
    since = (now - (state.record.closed_at or now)).total_seconds()
    if following.awaits_alert(state) and since <= limits.alert:
        return state, Wait(why=f"the alert on {state.node}")
    state = noted(state, replace(state.record, settled=not late))
    return go(state, Phase.OPEN, now), _AGAIN


def _open(state: State, seen: Seen, now: datetime.datetime) -> Decision:
    node = seen.nodes[state.node]
    held = own_mark(state, node)
    if held:
        return _kept(state, node, held), next(marks.take_back(node, held))
    return go(noted(state, replace(state.record, opened_at=now)), Phase.RETURN, now), _AGAIN


def _return(state: State, seen: Seen, now: datetime.datetime) -> Decision:
    missing = "; ".join(following.lacking(state.record, seen.nodes[state.node]))
    if missing and waited(state, now) <= state.plan.limits.back:
        return state, Wait(why=f"{state.node} to take work again")
    state = noted(state, replace(state.record, missing=missing, returned_at=None if missing else now))
    last = state.index + 1 == len(state.plan.nodes)
    late = [move for move in waiting(state) if must_be_ready(state, move)]
    if not last and (missing or late):
        why = f"{state.node} does not take work again" if missing else f"{late[0].pod} has no successor that is ready"
        return broken_off(state, f"{why}: no other node is taken", now), _AGAIN
    if last:
        return go(state, Phase.DONE, now), End()
    return go(replace(state, index=state.index + 1), Phase.CLOSE, now), _AGAIN


def _give_back(state: State, seen: Seen, now: datetime.datetime) -> Decision:
    for name in state.plan.nodes:
        node = seen.nodes.get(name)
        held = _to_give_back(state, node) if node else None
        if node and held:
            return _kept(state, node, held), next(marks.take_back(node, held))
    return go(state, Phase.DONE, now), End()


def _to_give_back(state: State, node: Node) -> Mark | None:
    """Return the drill's note on a node; what it has noted there also where somebody has taken that off, to stop the drill."""
    held, noted_down = own_mark(state, node), state.notes.get(node.name)
    if held or node.mark or noted_down is None:
        return held
    ours = marks.is_closed_by_us(node, noted_down) or marks.is_broken_by_us(node, noted_down)
    return noted_down if ours else None


def _kept(state: State, node: Node, held: Mark) -> State:
    left = marks.left(node, held)
    return replace(state, kept=(*state.kept, left)) if left and left not in state.kept else state


_PHASES: Mapping[Phase, Callable[[State, Seen, datetime.datetime], Decision]] = {
    Phase.MARK: _mark,
    Phase.CLOSE: _close,
    Phase.ISOLATE: _isolate,
    Phase.DRAIN: _drain,
    Phase.SETTLE: _settle,
    Phase.OPEN: _open,
    Phase.RETURN: _return,
    Phase.GIVE_BACK: _give_back,
}


def evicted(state: State, pod: Pod, now: datetime.datetime, requests: int | None) -> State:
    """Return the state after an eviction that was granted: others may be allowed now, too."""
    move = Move(pod=pod, node=state.node, evicted_at=now, requests=requests)
    return replace(state, moves=(*state.moves, move), refused={}, tried={}, refusal="")


def forbidden(state: State, pod: Pod, words: str, now: datetime.datetime) -> State:
    """Return the state after an eviction that a budget forbids for now."""
    refused = {pod.uid: now, **state.refused}
    return replace(state, refused=refused, tried={**state.tried, pod.uid: now}, refusal=words)
