"""What is looked at before a drill changes anything: which nodes it takes, and whether work would bear it."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from gpuplan.drill import marks
from gpuplan.drill.expectations import Outcome
from gpuplan.drill.plan import Pool
from gpuplan.drill.seen import Budget, Node, Pod
from gpuplan.words import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenery:
    """The whole cluster, as a drill begins."""

    nodes: tuple[Node, ...]
    pods: tuple[Pod, ...]
    budgets: tuple[Budget, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that has to hold before a drill begins. `not met` refuses it; `unknown` is said and goes on."""

    name: str
    outcome: Outcome
    summary: str
    evidence: tuple[str, ...] = ()


def in_pool(pool: Pool, node: Node) -> bool:
    """Tell whether a node belongs to the pool, by its labels."""
    return pool.labels.items() <= node.labels.items()


def chosen(pool: Pool, scene: Scenery, count: int) -> tuple[str, ...]:
    """Return the nodes that a drill takes: open ones without a note, those with most stateful pods first, then by name."""
    open_ones = [node for node in scene.nodes if in_pool(pool, node) and node.open and not node.mark]
    serving = {node.name: len(_stateful(pool, scene, node.name)) for node in open_ones}
    order = sorted(open_ones, key=lambda node: (-serving[node.name], -len(_on(scene, node.name)), node.name))
    return tuple(node.name for node in order[:count])


def checks(pool: Pool, scene: Scenery, names: tuple[str, ...], count: int, now: datetime.datetime) -> tuple[Check, ...]:
    """Return what was looked at."""
    found = [_others(pool, scene, now), _nodes(pool, scene, names, count)]
    found += [check(pool, scene, name) for name in names for check in _OF_NODES]
    return tuple(found)


def _others(pool: Pool, scene: Scenery, now: datetime.datetime) -> Check:
    name = "no other drill is on the pool"
    for node in scene.nodes:
        held = marks.read(node.mark) if node.mark else None
        if node.mark and held is None and in_pool(pool, node):
            return Check(
                name=name, outcome="not met", summary=f"{node.name} has a note that is no drill's: look, and remove it"
            )
        if held and (held.pool == pool.name or in_pool(pool, node)):
            alive = "runs, or was killed less than a minute ago" if held.seems_alive(now) else "is dead: clean up first"
            summary = f"drill {held.drill} of {held.who} on {node.name} {alive}"
            return Check(name=name, outcome="not met", summary=summary, evidence=("gpuplan drill clean-up",))
    return Check(name=name, outcome="met", summary="no node has a drill's note")


def _nodes(pool: Pool, scene: Scenery, names: tuple[str, ...], count: int) -> Check:
    here = [node for node in scene.nodes if in_pool(pool, node)]
    open_ones = [node for node in here if node.open]
    name, have = "there are enough nodes", f"{counted(len(here), 'node')}, {len(open_ones)} open"
    if len(names) < count:
        summary = f"{count} are asked for; pool {pool.name} has {have}"
        return Check(name=name, outcome="not met", summary=summary)
    if len(open_ones) < 2:
        return Check(name=name, outcome="unknown", summary=f"{have}: work has no other node of the pool to go to")
    return Check(name=name, outcome="met", summary=f"{have}; taken, one after the other: {', '.join(names)}")


ANEW = "ReplicaSet"
"""Owners whose pods Kueue admits one by one, so that each finds a place of its own."""


def _placed(_pool: Pool, scene: Scenery, node: str) -> Check:
    """Kueue keeps the place of work that it has admitted as a whole: a new pod of it gets the node of the old one."""
    name = f"work on {node} can go elsewhere"
    fixed = [pod for pod in _on(scene, node) if pod.placed and pod.owner_kind != ANEW]
    if fixed:
        said = tuple(f"{pod} of {pod.owner_kind} {pod.owner_name}" for pod in fixed)
        summary = f"Kueue has placed {counted(len(fixed), 'pod')} by topology: a new one waits until the node is back"
        return Check(name=name, outcome="unknown", summary=summary, evidence=said)
    return Check(name=name, outcome="met", summary="no pod was given this node by topology")


def _controlled(_pool: Pool, scene: Scenery, node: str) -> Check:
    bare = [pod for pod in _on(scene, node) if not pod.owner]
    name = f"what runs on {node} is made anew"
    if bare:
        said = tuple(f"{pod} has no controller" for pod in bare)
        return Check(
            name=name, outcome="not met", summary=f"{counted(len(bare), 'pod')} would be lost for good", evidence=said
        )
    return Check(name=name, outcome="met", summary=f"{counted(len(_on(scene, node)), 'pod')}, each with a controller")


def _floors(pool: Pool, scene: Scenery, node: str) -> Check:
    """By what is held now: cards of others that are free, or held by work that gives way, have to take what must move."""
    name = f"floors hold while {node} is away"
    moving = [pod for pod in _on(scene, node) if (pod.namespace, pod.queue) not in pool.yielding and _cards(pool, pod)]
    room = {
        other.name: _room(pool, scene, other) for other in scene.nodes if other.name != node and _is_peer(pool, other)
    }
    homeless = list(_homeless(pool, moving, room))
    short = tuple(_short(pool))
    if homeless:
        said = tuple(f"no other node has {_words(_cards(pool, pod))} for {pod}" for pod in homeless)
        summary = f"{len(homeless)} of {counted(len(moving), 'pod')} that must not wait would find no cards"
        return Check(name=name, outcome="not met", summary=summary, evidence=(*said, *short))
    summary = f"{counted(len(moving), 'pod')} to find other cards, enough of them on {counted(len(room), 'other node')}"
    return Check(name=name, outcome="unknown" if short else "met", summary=summary, evidence=short)


def _short(pool: Pool) -> Iterator[str]:
    """Yield which floors are promised with the cards of the node: they hold only as long as nobody claims all of them."""
    for resource, floor in sorted(pool.floors.items()):
        left = pool.capacity.get(resource, 0) - pool.offered.get(resource, 0)
        if pool.offered.get(resource) and floor > left:
            yield f"{floor} {resource} are promised and {left} are left: who claims its whole floor meanwhile may wait"


def _homeless(pool: Pool, moving: Iterable[Pod], room: Mapping[str, Mapping[str, int]]) -> Iterator[Pod]:
    """Put the largest pods first, each where least is left over, and yield those that fit nowhere."""
    free = {name: dict(amounts) for name, amounts in room.items()}
    for pod in sorted(moving, key=lambda one: (-sum(_cards(pool, one).values()), str(one))):
        cards = _cards(pool, pod)
        fitting = [
            name for name, have in free.items() if all(have.get(one, 0) >= asked for one, asked in cards.items())
        ]
        if not fitting:
            yield pod
            continue
        best = min(fitting, key=lambda name: (sum(free[name].values()), name))
        for resource, asked in cards.items():
            free[best][resource] -= asked


def _room(pool: Pool, scene: Scenery, node: Node) -> dict[str, int]:
    """Return what a node has for work that does not give way."""
    held = [
        _cards(pool, pod)
        for pod in scene.pods
        if pod.node == node.name and not pod.ended and (pod.namespace, pod.queue) not in pool.yielding
    ]
    return {
        resource: node.allocatable.get(resource, 0) - sum(one.get(resource, 0) for one in held)
        for resource in pool.offered
    }


def _is_peer(pool: Pool, node: Node) -> bool:
    return node.open and not node.mark and any(labels.items() <= node.labels.items() for labels in pool.peers)


def _budgets(_pool: Pool, scene: Scenery, node: str) -> Check:
    name = f"budgets let {node} be drained"
    never: list[str] = []
    later: list[str] = []
    for pod in _on(scene, node):
        covering = [budget for budget in scene.budgets if budget.covers(pod)]
        if len(covering) > 1:
            never.append(f"{pod} has more than one: {', '.join(map(str, covering))}; such a pod is never evicted")
        for budget in covering[:1]:
            if budget.allowed == 0 and pod.ready:
                full = 0 < budget.expected <= budget.desired
                said = f"{budget} allows none now: {budget.healthy} of {budget.expected} are healthy, {budget.desired} must be"
                (never if full else later).append(said)
    if never:
        return Check(name=name, outcome="not met", summary="some pods can never be evicted", evidence=_once(never))
    if later:
        summary = "some pods have to wait; the drill does so for a limited time, then gives up"
        return Check(name=name, outcome="unknown", summary=summary, evidence=_once(later))
    guarded = sum(any(budget.covers(pod) for budget in scene.budgets) for pod in _on(scene, node))
    return Check(
        name=name,
        outcome="met",
        summary=f"{guarded} of {counted(len(_on(scene, node)), 'pod')} with a budget; each allows one",
    )


def _once(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))


_OF_NODES: tuple[Callable[[Pool, Scenery, str], Check], ...] = (_controlled, _placed, _floors, _budgets)


def _on(scene: Scenery, node: str) -> tuple[Pod, ...]:
    """Return the pods on a node that a drain takes."""
    return tuple(pod for pod in scene.pods if pod.node == node and pod.evictable)


def _stateful(pool: Pool, scene: Scenery, node: str) -> tuple[Pod, ...]:
    return tuple(pod for pod in _on(scene, node) if (pod.namespace, pod.queue) in pool.stateful)


def _cards(pool: Pool, pod: Pod) -> dict[str, int]:
    return {resource: amount for resource, amount in pod.requests.items() if resource in pool.offered}


def _words(cards: Mapping[str, int]) -> str:
    return ", ".join(f"{amount} {resource}" for resource, amount in sorted(cards.items()))
