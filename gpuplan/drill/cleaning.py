"""Take drills back by the notes that they left on nodes: after one that was killed, and before the next."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from gpuplan.cluster import drilling
from gpuplan.cluster.kube import Fault, Kube
from gpuplan.drill import marks, seen
from gpuplan.drill.marks import Mark
from gpuplan.drill.seen import Node

GIVE_UP_SECONDS = 300.0
PAUSE_SECONDS = 0.5
Clock = Callable[[], datetime.datetime]
Sleep = Callable[[float], object]
Chooser = Callable[[Node, Mark], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A node with a note; `mark` is None where no drill wrote it."""

    node: Node
    mark: Mark | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """What was taken back, what stays since a person has changed it, and what could not be done, a line each."""

    done: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    unreachable: bool = False


def marked(kube: Kube) -> tuple[Marked, ...] | Fault:
    """Return the nodes with a note, by name."""
    found = drilling.nodes(kube)
    if isinstance(found, Fault):
        return found
    return tuple(Marked(node=node, mark=marks.read(node.mark)) for node in seen.nodes(found) if node.mark)


def take_back(kube: Kube, wanted: Chooser, clock: Clock, sleep: Sleep, limit: float = GIVE_UP_SECONDS) -> Cleaned:
    """Take back what is wanted, node by node, until no such note is left; give up after `limit` seconds without success."""
    done: dict[str, str] = {}
    kept: dict[str, str] = {}
    end = clock() + datetime.timedelta(seconds=limit)
    while True:
        found = marked(kube)
        fault = found if isinstance(found, Fault) else None
        for one in _wanted(() if isinstance(found, Fault) else found, wanted):
            answer = _step(kube, one, done, kept)
            fault = fault or answer
        left = isinstance(found, Fault) or any(True for _ in _wanted(found, wanted))
        if not left:
            return Cleaned(done=tuple(done.values()), kept=tuple(kept.values()))
        hopeless = fault is not None and not (fault.unreachable or fault.conflict)
        if hopeless or clock() > end:
            words = fault.summary if fault else "nodes change faster than they can be taken back"
            away = fault is not None and fault.unreachable
            return Cleaned(done=tuple(done.values()), kept=tuple(kept.values()), faults=(words,), unreachable=away)
        if fault:
            sleep(PAUSE_SECONDS)


def _wanted(found: Iterable[Marked], wanted: Chooser) -> Iterator[tuple[Node, Mark]]:
    return ((one.node, one.mark) for one in found if one.mark and wanted(one.node, one.mark))


def _step(kube: Kube, one: tuple[Node, Mark], done: dict[str, str], kept: dict[str, str]) -> Fault | None:
    """Take one step on a node; the next look says whether there is another."""
    node, held = one
    step = next(marks.take_back(node, held))
    what = _words(node, held)
    left = marks.left(node, held)
    answer = drilling.write(kube, step)
    if isinstance(answer, Fault):
        return None if answer.absent else answer
    if what or node.name not in done:
        done[node.name] = f"{node.name}: {what or 'the note alone was left'} (drill {held.drill} of {held.who})"
    if left:
        kept[node.name] = left
    return None


def _words(node: Node, held: Mark) -> str:
    if marks.is_broken_by_us(node, held):
        return f"condition {held.condition} is {'as before' if held.before else 'taken away'}"
    return "it takes pods again" if marks.is_closed_by_us(node, held) else ""


def dead(kube: Kube, clock: Clock, sleep: Sleep) -> frozenset[str] | Fault:
    """Return the drills that are dead: their time is up, or they give no sign of life while they are watched.

    Clocks of two machines differ, so that a drill whose time is not up is watched for as long as it has left.
    """
    found = marked(kube)
    if isinstance(found, Fault):
        return found
    first = {one.mark.drill: one.mark for one in found if one.mark}
    longest = max((mark.until for mark in first.values()), default=clock())
    if longest > clock():
        sleep((longest - clock()).total_seconds())
        found = marked(kube)
        if isinstance(found, Fault):
            return found
    renewed = {
        one.mark.drill for one in found if one.mark and one.mark.until > first.get(one.mark.drill, one.mark).until
    }
    return frozenset(first) - renewed
