"""Objects and files of `rendered/` that differ, each with the line of the spec behind it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Final

from gpuplan.plan.parts import Action, ObjectChange, TextChange
from gpuplan.report.plans.parts import Entries, Entry, Section
from gpuplan.report.plans.words import because, cluster_name, code, counted, field_change, object_name

OBJECTS: Final = ("object", "objects")
FILES: Final = ("file", "files")
ORDER: Final = (Action.DELETE, Action.REPLACE, Action.UPDATE, Action.CREATE)
VERBS: Final = {Action.CREATE: "add", Action.UPDATE: "change", Action.DELETE: "destroy", Action.REPLACE: "replace"}
BY_TOOL: Final = "this version of gpuplan, not the spec"
APPLIED_BY_HAND: Final = "provisioner/"
"""Folder of files that somebody, or something that gpuplan does not know, has to apply."""


def objects(changes: Sequence[ObjectChange], *, full: bool) -> tuple[Section, ...]:
    """Return the section of objects, by cluster; none where none differs."""
    clusters = sorted({change.ref.cluster for change in changes}, key=lambda name: name or "")
    blocks = tuple(
        _cluster(name, [change for change in changes if change.ref.cluster == name], full=full) for name in clusters
    )
    return (Section(title="Objects", noun=OBJECTS, blocks=blocks, folded=True),) if blocks else ()


def _cluster(name: str | None, changes: Sequence[ObjectChange], *, full: bool) -> Entries:
    sorted_ = sorted(changes, key=lambda change: ORDER.index(change.action))
    totals = ", ".join(
        f"{number:,} to {VERBS[action]}"
        for action in ORDER
        if (number := sum(change.action is action for change in changes))
    )
    entries = tuple(_object(change, full=full) for change in sorted_)
    return Entries(title=f"{cluster_name(name)}: {totals}", entries=entries)


def _object(change: ObjectChange, *, full: bool) -> Entry:
    details = [line for line in _about(change) if line]
    if full:
        details += (line for one in change.changes for line in field_change(one))
    fields = f", {counted(len(change.changes), 'field')}" if change.changes and not full else ""
    was = f", was {object_name(change.was)}" if change.was else ""
    return Entry(
        sign=change.action.value,
        text=f"{object_name(change.ref)}{was}{fields}",
        origin=BY_TOOL if change.by_tool else because(change.causes),
        details=tuple(details),
    )


def _about(change: ObjectChange) -> Iterator[str]:
    yield change.reason
    if change.confirmed and change.action is Action.DELETE:
        yield "waits for confirmation: Argo CD takes it away only after a person has agreed"
    elif change.confirmed and change.action is Action.REPLACE:
        yield "waits for confirmation: the old one stays until a person has agreed"


def files(changes: Sequence[TextChange]) -> tuple[Section, ...]:
    """Return the section of files that are no objects: those that a person must act on first."""
    by_hand = [change for change in changes if change.path.startswith(APPLIED_BY_HAND)]
    others = [change for change in changes if not change.path.startswith(APPLIED_BY_HAND)]
    blocks = (
        _files("A person has to apply these: no Argo CD does", by_hand),
        _files("For reading and testing", others),
    )
    kept = tuple(block for block in blocks if block.entries)
    return (Section(title="Files beside the manifests", noun=FILES, blocks=kept, folded=not by_hand),) if kept else ()


def _files(title: str, changes: Sequence[TextChange]) -> Entries:
    return Entries(title=title, entries=tuple(_file(change) for change in changes))


def _file(change: TextChange) -> Entry:
    more, less = _lines(change.before, change.after)
    return Entry(
        sign=change.action.value,
        text=f"{code(change.path)} (+{more:,} -{less:,} lines)",
        origin=because(change.causes),
    )


def _lines(before: str, after: str) -> tuple[int, int]:
    """Return how many lines come and go."""
    pairs = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False).get_opcodes()
    differing = [pair for pair in pairs if pair[0] != "equal"]
    return sum(end - start for _, _, _, start, end in differing), sum(end - start for _, start, end, _, _ in differing)
