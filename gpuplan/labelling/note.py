"""What gpuplan notes on a node that it labels, so that later it takes away no more than it has put there.

Labels need no note: the server remembers whose they are. The list of taints is one whole to it, so ours are named here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from gpuplan.conventions import ANNOTATION_NODE_NOTE, NODE_LABELLER
from gpuplan.model.pools import Taint, TaintEffect


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """The cluster of the fleet and the pool of a node, whether a person gave it to it by name, and the taints that are ours."""

    cluster: str
    pool: str
    given: bool
    taints: tuple[Taint, ...]


def read(node: Mapping[str, Any]) -> Note | None:
    """Return the note on a node; None where there is none, or one that gpuplan did not write."""
    text = (node["metadata"].get("annotations") or {}).get(ANNOTATION_NODE_NOTE)
    try:
        held = json.loads(text) if text else None
        return _note(held) if held else None
    except (ValueError, TypeError, KeyError):
        return None


def _note(held: Mapping[str, Any]) -> Note:
    return Note(cluster=held["cluster"], pool=held["pool"], given=held["given"] is True, taints=taints(held["taints"]))


def written(note: Note) -> str:
    """Return a note as the value of the annotation."""
    held = {
        "cluster": note.cluster,
        "pool": note.pool,
        "given": note.given,
        "taints": [as_object(one) for one in note.taints],
    }
    return json.dumps(held, sort_keys=True, separators=(",", ":"))


def taints(written: Iterable[Mapping[str, str]]) -> tuple[Taint, ...]:
    """Return taints of a node or a note, in their order."""
    return tuple(
        Taint(key=one["key"], value=one.get("value") or "", effect=cast("TaintEffect", one["effect"]))
        for one in written
    )


def as_object(taint: Taint) -> dict[str, str]:
    """Return a taint as a node has it."""
    return {"key": taint.key, **({"value": taint.value} if taint.value else {}), "effect": taint.effect}


def owned_labels(node: Mapping[str, Any]) -> frozenset[str]:
    """Return the labels of a node that gpuplan has applied."""
    entries = node["metadata"].get("managedFields") or ()
    mine = (one for one in entries if one.get("manager") == NODE_LABELLER and one.get("operation") == "Apply")
    owned = ((one.get("fieldsV1") or {}).get("f:metadata", {}).get("f:labels", {}) for one in mine)
    return frozenset(key.removeprefix("f:") for keys in owned for key in keys if key.startswith("f:"))
