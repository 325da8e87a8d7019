"""What has to change on one node: labels and taints that are ours, and the note of them. Pure: a node in, a change out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpuplan.labelling import note
from gpuplan.labelling.membership import Place
from gpuplan.labelling.note import Note
from gpuplan.model.fleet import Cluster
from gpuplan.model.labels import all_labels
from gpuplan.model.pools import NodePool, SelectedBy, Taint, node_labels

_RESERVED: Final = ("kubernetes.io", "k8s.io")
"""Domains of labels that the kubelet, the cloud or NFD sets: a wrong one by hand would mislead everybody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is done to one node. `labels` and `taints` are all of ours afterwards; the rest says what that changes."""

    node: str
    uid: str
    version: str
    """The resourceVersion that was looked at."""
    pool: str = ""
    """Empty where the node belongs to none, or leaves it."""
    labels: Mapping[str, str]
    note: Note | None
    """The note afterwards."""
    noted: Note | None
    """The note before."""
    set_labels: Mapping[str, tuple[str, str]]
    """Labels that get a value: what it was, empty for none, and what it will be."""
    dropped_labels: Mapping[str, str]
    added_taints: tuple[Taint, ...]
    removed_taints: tuple[Taint, ...]
    live_taints: tuple[Mapping[str, Any], ...]
    """All taints of the node as it was looked at, those of others too."""
    problem: str = ""
    """Why nothing is done; a sentence without a period."""

    @property
    def empty(self) -> bool:
        """Whether the node is as it should be."""
        labels = self.set_labels or self.dropped_labels
        return not (labels or self.added_taints or self.removed_taints or self.note != self.noted)

    @property
    def taints_after(self) -> list[Mapping[str, Any]]:
        """All taints of the node afterwards: those of others as they are, in their order."""
        gone = set(self.removed_taints)
        kept = [one for one in self.live_taints if note.taints([one])[0] not in gone]
        return [*kept, *map(note.as_object, self.added_taints)]


def change_of(node: Mapping[str, Any], cluster: Cluster, place: Place) -> Change:
    """Return what makes a node what its place asks for."""
    live: Mapping[str, str] = node["metadata"].get("labels") or {}
    ours = note.owned_labels(node)
    wanted, trouble = _labels(cluster, place, live) if place.pool else ({}, "")
    labels = {key: value for key, value in wanted.items() if key in ours or live.get(key) != value}
    noted = note.read(node)
    mine = frozenset(noted.taints) if noted else frozenset()
    existing = tuple((node.get("spec") or {}).get("taints") or ())
    goal = place.pool.taints if place.pool else ()
    added, removed, clash = _taints(note.taints(existing), mine, goal)
    kept = tuple(taint for taint in goal if taint in added or taint in mine)
    pool = place.pool.name if place.pool else ""
    noteworthy = pool and (labels or kept or place.given)
    return Change(
        node=node["metadata"]["name"],
        uid=node["metadata"]["uid"],
        version=node["metadata"]["resourceVersion"],
        pool=pool,
        labels=labels,
        note=Note(cluster=cluster.name, pool=pool, given=place.given, taints=kept) if noteworthy else None,
        noted=noted,
        set_labels={key: (live.get(key, ""), value) for key, value in labels.items() if live.get(key) != value},
        dropped_labels={key: live[key] for key in sorted(ours - labels.keys()) if key in live},
        added_taints=added,
        removed_taints=removed,
        live_taints=existing,
        problem=place.problem or trouble or clash,
    )


def _labels(cluster: Cluster, place: Place, live: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Return the labels that are for gpuplan to set, and why one of the others is missing.

    By which labels a pool is found the spec says that others set them; only on a node that a person names gpuplan does.
    """
    assert place.pool is not None  # noqa: S101 - asked of a place with a pool
    whole = all_labels(cluster, place.pool)
    found = _found_by(place.pool)
    missing = [key for key in found if live.get(key) != found[key] and _is_reserved(key)] if place.given else []
    if missing:
        return (
            {},
            f"label {missing[0]}={found[missing[0]]} of pool {place.pool.name} is the kubelet's or the cloud's to set",
        )
    return {key: value for key, value in whole.items() if place.given or key not in found}, ""


def _found_by(pool: NodePool) -> dict[str, str]:
    return node_labels(pool) if pool.selection.by is SelectedBy.LABELS else {}


def _is_reserved(key: str) -> bool:
    domain = key.rpartition("/")[0]
    return any(domain == one or domain.endswith(f".{one}") for one in _RESERVED)


def _taints(
    live: Sequence[Taint], mine: frozenset[Taint], goal: Sequence[Taint]
) -> tuple[tuple[Taint, ...], tuple[Taint, ...], str]:
    """Return the taints to add and to remove, and which of others stands in the way: one key and effect has one value."""
    removed = tuple(taint for taint in live if taint in mine and taint not in goal)
    added = tuple(taint for taint in goal if taint not in live)
    others = {(one.key, one.effect): one for one in live if one not in removed}
    clashes = [others[one.key, one.effect] for one in added if (one.key, one.effect) in others]
    words = f"others have put taint {taint_text(clashes[0])} on it, with another value" if clashes else ""
    return added, removed, words


def taint_text(taint: Taint) -> str:
    """Return a taint as kubectl writes it."""
    return f"{taint.key}{f'={taint.value}' if taint.value else ''}:{taint.effect}"
