"""Objects and files of `rendered/` that differ, each with the line of the spec behind it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Final

from gpuplan.plan.parts import Action, ObjectChange, TextChange
from gpuplan.report.changes import Row, rows
from gpuplan.report.plans.parts import Code, Entries, Entry, Section
from gpuplan.report.plans.words import because, cluster_name, code, counted, object_name, short

LONGEST_PATH: Final = 200
OBJECTS: Final = ("object", "objects")
FILES: Final = ("file", "files")
ORDER: Final = (Action.DELETE, Action.REPLACE, Action.UPDATE, Action.CREATE)
VERBS: Final = {Action.CREATE: "add", Action.UPDATE: "change", Action.DELETE: "destroy", Action.REPLACE: "replace"}
BY_TOOL: Final = "this version of gpuplan, not the spec"
CONFIRMATION: Final = (
    "What waits for confirmation goes only after a person has agreed in Argo CD; until then it stays, and the Application is "
    "out of sync."
)
FOR_A_PERSON: Final = ("bootstrap/", "provisioner/", "runbooks/")
"""Folders of files that somebody, or something that gpuplan does not know, has to apply or to follow."""


def objects(changes: Sequence[ObjectChange], *, full: bool) -> tuple[Section, ...]:
    """Return the section of objects, by cluster; none where none differs."""
    clusters = sorted({change.ref.cluster for change in changes}, key=lambda name: name or "")
    blocks = tuple(
        _cluster(name, [change for change in changes if change.ref.cluster == name], full=full) for name in clusters
    )
    return (Section(title="Objects", noun=OBJECTS, blocks=blocks, folded=True),) if blocks else ()


def _cluster(name: str | None, changes: Sequence[ObjectChange], *, full: bool) -> Entries:
    totals = ", ".join(
        f"{number:,} to {VERBS[action]}"
        for action in ORDER
        if (number := sum(change.action is action for change in changes))
    )
    return Entries(
        title=f"{cluster_name(name)}: {totals}",
        entries=tuple(
            _object(change, full=full) for change in sorted(changes, key=lambda change: ORDER.index(change.action))
        ),
        after=CONFIRMATION if any(_waits(change) for change in changes) else "",
    )


def _waits(change: ObjectChange) -> bool:
    return change.confirmed and change.action in (Action.DELETE, Action.REPLACE)


def _object(change: ObjectChange, *, full: bool) -> Entry:
    was = f", was {object_name(change.was)}" if change.was else ""
    fields = f", {counted(len(change.changes), 'field')}" if change.changes and not full else ""
    waits = ", waits for confirmation" if _waits(change) else ""
    changed = [row for one in change.changes for row in rows(one, change.after or change.before)] if full else []
    return Entry(
        sign=change.action.value,
        text=f"{object_name(change.ref)}{was}{fields}{waits}",
        origin=BY_TOOL if change.by_tool else because(change.causes),
        details=(*([change.reason] if change.reason else []), *(_field(row) for row in changed if not row.block)),
        codes=tuple(
            Code(language="diff", text="\n".join((f"{row.sign} {row.path}", *row.block)))
            for row in changed
            if row.block
        ),
    )


def _field(row: Row) -> str:
    return f"{row.sign} {code(short(row.path, LONGEST_PATH))} {code(row.value)}"


def files(changes: Sequence[TextChange]) -> tuple[Section, ...]:
    """Return the section of files that are no objects: those that a person must act on first."""
    by_hand = [change for change in changes if change.path.startswith(FOR_A_PERSON)]
    others = [change for change in changes if not change.path.startswith(FOR_A_PERSON)]
    blocks = (
        _files("A person has to act on these: no Argo CD does", by_hand),
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
