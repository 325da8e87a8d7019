"""Do it: labels by server-side apply, taints by a change of the very list that was read, the note around both.

Whatever a node holds of others is kept: where somebody writes between reading and writing, the server refuses, and it is done
anew. The note names our taints before they are put there and until after they are gone, so that a run that is killed at any
moment leaves nothing that the next one does not find.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from gpuplan.cluster.kube import Fault, Kube, Object
from gpuplan.conventions import ANNOTATION_NODE_NOTE
from gpuplan.labelling.change import Change
from gpuplan.labelling.note import Note, written

TRIES: Final = 8
"""How often a node is done anew that others write to meanwhile."""
_NODES: Final = "/api/v1/nodes"
_BUSY: Final = "others write to it all the time; run it again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Labeller:
    """Who writes to nodes. `force` takes over labels that have another value by somebody else."""

    kube: Kube
    force: bool = False

    def trial(self, change: Change) -> str:
        """Ask the server whether it would take the labels; return why not, empty where it would. Nothing is kept."""
        answer = self.kube.apply(_path(change.node), _body(change, change.note), force=self.force, dry_run=True)
        return answer.summary if isinstance(answer, Fault) else ""

    def settle(self, name: str, plan: Callable[[Object], Change]) -> str:
        """Make a node what `plan` says of it as it is now; return what could not be done, empty where all was."""
        for _ in range(TRIES):
            node = self.kube.get(_path(name))
            if isinstance(node, Fault):
                return node.summary
            change = plan(node)
            if change.problem or change.empty:
                return change.problem
            fault = self._step(change)
            if fault is None:
                return ""
            if not _is_outdated(fault):
                return fault.summary
        return _BUSY

    def _step(self, change: Change) -> Fault | None:
        """Take the steps for one node: note and labels, taints, and the note as it stays."""
        path = _path(change.node)
        meanwhile = _meanwhile(change)
        node: Any = self.kube.apply(path, _body(change, meanwhile), force=self.force)
        if isinstance(node, Fault):
            return node
        if change.added_taints or change.removed_taints:
            # The list is of the node as it was read: the version that the apply made is good only if nobody wrote between.
            if tuple((node.get("spec") or {}).get("taints") or ()) != change.live_taints:
                return Fault(summary=_BUSY, status=409)
            version = node["metadata"]["resourceVersion"]
            taints = {"metadata": {"resourceVersion": version}, "spec": {"taints": change.taints_after}}
            patched = self.kube.merge(path, taints)
            if isinstance(patched, Fault):
                return patched
        if meanwhile != change.note:
            last = self.kube.apply(path, _body(change, change.note), force=self.force)
            return last if isinstance(last, Fault) else None
        return None


def _is_outdated(fault: Fault) -> bool:
    """Tell whether a node was written by others since it was read; another manager's label is a conflict of another kind."""
    return fault.conflict and "conflict with" not in fault.summary and "conflicts with" not in fault.summary


def _meanwhile(change: Change) -> Note | None:
    """Return the note while taints are changed: it names those that come and those that go."""
    # A node that leaves its pool has left it in the note, too, before anything else is gone.
    held = change.note or (replace(change.noted, pool="", given=False, taints=()) if change.noted else None)
    return replace(held, taints=tuple(dict.fromkeys((*held.taints, *change.removed_taints)))) if held else None


def _body(change: Change, note: Note | None) -> Mapping[str, Any]:
    """Return all that is ours on a node. With its uid, so that an apply never makes a node that is gone."""
    metadata: dict[str, Any] = {"name": change.node, "uid": change.uid, "labels": dict(change.labels)}
    if note is not None:
        metadata["annotations"] = {ANNOTATION_NODE_NOTE: written(note)}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}


def _path(name: str) -> str:
    return f"{_NODES}/{name}"
