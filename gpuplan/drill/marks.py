"""The note that a drill leaves on a node before it changes anything, and how what it changed is taken back by it.

Whoever finds the note can take the drill back: the drill itself, its guardian, the next drill, or `gpuplan drill clean-up`.
Only what is still as the drill left it is taken back; what a person has changed since stays.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from gpuplan import conventions
from gpuplan.cluster.drilling import ChangeNode
from gpuplan.drill.seen import Condition, Node
from gpuplan.reclaim import times

Kind = Literal["maintenance", "fault"]
REASON = "GpuplanDrill"
"""Reason of the condition that a fault drill sets; by it the drill knows its own again."""
LONGEST_MESSAGE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The note. `until` is how long the drill may be thought alive without another sign of life.

    `condition` is the type that a fault drill changes, and `before` that condition as it was, None where there was none;
    a maintenance drill has no condition, and closes only nodes that were open.
    """

    drill: str
    kind: Kind
    pool: str
    who: str
    until: datetime.datetime
    condition: str = ""
    before: Mapping[str, Any] | None = None

    def text(self) -> str:
        """Return the note as it stands in the annotation."""
        return json.dumps(
            {
                "drill": self.drill,
                "kind": self.kind,
                "pool": self.pool,
                "who": self.who,
                "until": times.written(self.until),
                "condition": self.condition,
                "before": self.before,
            },
            sort_keys=True,
        )

    def seems_alive(self, now: datetime.datetime) -> bool:
        """Whether its drill has shown itself lately."""
        return now < self.until


def read(text: str) -> Mark | None:
    """Read a note; None where it is none that a drill has written."""
    try:
        held = json.loads(text)
        until = times.read(held["until"])
        if until is None or held["kind"] not in ("maintenance", "fault"):
            return None
        return Mark(
            drill=str(held["drill"]),
            kind=held["kind"],
            pool=str(held["pool"]),
            who=str(held["who"]),
            until=until,
            condition=str(held["condition"]),
            before=held["before"] if isinstance(held["before"], dict) else None,
        )
    except (ValueError, TypeError, KeyError):
        return None


def mark(node: Node, made: Mark) -> ChangeNode:
    """Return the step that leaves the note, or a newer one."""
    return _annotate(node, made.text())


def renewed(node: Node, held: Mark, until: datetime.datetime) -> ChangeNode:
    """Return the step by which a drill shows that it is alive."""
    return mark(node, replace(held, until=until))


def cordon(node: Node) -> ChangeNode:
    """Return the step that closes a node to new pods."""
    return ChangeNode(node=node.name, version=node.version, change={"spec": {"unschedulable": True}})


def break_node(node: Node, condition: str, *, healthy: bool, drill: str, now: datetime.datetime) -> ChangeNode:
    """Return the step that makes a node look broken: a condition that is not as on a healthy node."""
    said = {
        "type": condition,
        "status": "False" if healthy else "True",
        "reason": REASON,
        "message": f"Fault drill {drill}: nothing is broken",
        "lastHeartbeatTime": times.written(now),
        "lastTransitionTime": times.written(now),
    }
    return _conditions(node, condition, said)


def take_back(node: Node, held: Mark) -> Iterator[ChangeNode]:
    """Yield what takes a drill back on a node, the note last. The node has to be seen anew after each step."""
    if is_broken_by_us(node, held):
        yield _conditions(node, held.condition, held.before)
    else:
        yield _release(node, closed=is_closed_by_us(node, held))


def is_broken_by_us(node: Node, held: Mark) -> bool:
    """Whether the condition is still as a drill has set it."""
    found = node.condition(held.condition) if held.condition else None
    return found is not None and found.reason == REASON


def is_closed_by_us(node: Node, held: Mark) -> bool:
    """Whether it is closed, and a drill closed it: a cordon that a person has set since is written by another manager."""
    return held.kind == "maintenance" and node.unschedulable and node.cordoned_by == conventions.DRILLER


def left(node: Node, held: Mark) -> str:
    """Return what is not taken back since somebody else has changed it; empty where there is nothing."""
    if held.kind == "maintenance" and node.unschedulable and not is_closed_by_us(node, held):
        return f"{node.name} stays cordoned: {node.cordoned_by or 'somebody else'} did that"
    return ""


def _release(node: Node, *, closed: bool) -> ChangeNode:
    """Return the step that opens a node and takes the note away, at once."""
    opened = {"spec": {"unschedulable": None}} if closed else {}
    metadata = {"annotations": {conventions.ANNOTATION_DRILL: None}}
    return ChangeNode(node=node.name, version=node.version, change={"metadata": metadata, **opened})


def _annotate(node: Node, text: str) -> ChangeNode:
    change = {"metadata": {"annotations": {conventions.ANNOTATION_DRILL: text}}}
    return ChangeNode(node=node.name, version=node.version, change=change)


def _conditions(node: Node, name: str, said: Mapping[str, Any] | None) -> ChangeNode:
    """A merge replaces the whole list, which is safe since another version of the node is refused."""
    others: list[Condition] = [one for one in node.conditions if one.type != name]
    listed = [dict(one.raw) for one in others]
    if said is not None:
        place = next((number for number, one in enumerate(node.conditions) if one.type == name), len(listed))
        listed.insert(place, dict(said))
    return ChangeNode(node=node.name, version=node.version, change={"status": {"conditions": listed}}, status=True)
