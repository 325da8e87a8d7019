"""`gpuplan drift`: what is not as rendered, path by path, and whose doing it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from gpuplan.cluster.drifting import Name
from gpuplan.drift.owners import Owner
from gpuplan.drift.parts import Difference, Fate, Finding, Report, Unseen
from gpuplan.report.changes import Row, rows
from gpuplan.report.diff import change_data
from gpuplan.report.markdown import code, inline
from gpuplan.report.templating import filled
from gpuplan.report.terminal import printable

FORMAT_VERSION: Final = "1.0"
FORMATS: Final = ("text", "markdown", "json")
NOBODY: Final = "nobody known: the server does not keep who took a value away"
NAMED: Final = 3
"""Objects that are named where they could not be seen; more of them are counted by kind."""
_STYLES: Final = {Fate.MISSING: "red", Fate.CHANGED: "yellow", Fate.FOREIGN: "cyan", Fate.DELETING: "red"}
_NAMES: Final = {"old": "rendered", "new": "live"}
"""What the sides of a change are called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """A report, and what was looked at: `what` is a cluster of the tree, or its Argo CD's objects."""

    report: Report
    what: str
    tree: str
    server: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Objects that could not be seen for one reason."""

    objects: str
    what: str
    why: str


def overview(looked: Looked) -> Iterator[RenderableType]:
    """Yield the findings, the notes, what could not be seen, and a last line."""
    report = looked.report
    yield Text.assemble(("gpuplan drift  ", "bold"), printable(f"{looked.what}: {looked.tree} → {looked.server}"))
    for finding in report.findings:
        yield from _finding(finding)
    for note in report.notes:
        yield _line("note", object_name(note.object), note.why, style="dim")
        yield from _difference(note.difference)
    for group in groups(report.unseen):
        yield _line("partial", f"{group.objects}: {group.what}", group.why, style="magenta")
    yield Text("")
    yield Text(summary(report), style="bold")


def _finding(finding: Finding) -> Iterator[RenderableType]:
    yield _line(finding.fate.value, object_name(finding.object), finding.file, style=_STYLES[finding.fate])
    for words in (finding.why, f"by {people(finding.by)}" if finding.by else ""):
        if words:
            yield Padding(Text(printable(words)), (0, 0, 0, 4), expand=False)
    for difference in finding.differences:
        yield from _difference(difference)


def _line(word: str, about: str, more: str, *, style: str) -> RenderableType:
    return Text.assemble(
        "\n", (f"{word}  ", f"bold {style}"), printable(about), (f"  {printable(more)}".rstrip(), "dim")
    )


def _difference(difference: Difference) -> Iterator[RenderableType]:
    for row in rows(difference.change):
        yield Padding(Text(printable(row_text(row))), (0, 0, 0, 4), expand=False)
        for line in row.block:
            yield Padding(Text(printable(line), style="dim"), (0, 0, 0, 8), expand=False)
    yield Padding(Text(printable(f"by {people(difference.owners)}"), style="dim"), (0, 0, 0, 6), expand=False)


def row_text(row: Row) -> str:
    """Return a difference on one line."""
    return f"{row.sign} {row.path}: {row.value}".removesuffix(": ")


def people(owners: Sequence[Owner]) -> str:
    """Return who wrote, how and when."""
    return ", ".join(map(_person, owners)) or NOBODY


def _person(owner: Owner) -> str:
    part = f" of {owner.subresource}" if owner.subresource else ""
    return f"{owner.manager or 'somebody without a name'} ({owner.operation}{part} {owner.at})"


def object_name(name: Name) -> str:
    """Return how people name an object; of a kind without a name, all of it."""
    place = f"{name.namespace}/{name.name}" if name.namespace else name.name
    return f"{name.kind} {place}".strip()


def groups(unseen: Iterable[Unseen]) -> Iterator[_Group]:
    """Yield what could not be seen, all objects that have one reason together."""
    found: dict[tuple[str, str], list[Name]] = {}
    for one in unseen:
        found.setdefault((one.what, one.why), []).append(one.object)
    for (what, why), names in found.items():
        kinds = Counter(name.kind for name in names)
        counted = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
        named = ", ".join(map(object_name, names))
        yield _Group(objects=named if len(names) <= NAMED else counted, what=what, why=why)


def summary(report: Report) -> str:
    """Return one line: how much was looked at, and what came of it."""
    counts = Counter(one.fate for one in report.findings)
    parts = [f"{counts[fate]} {fate.value}" for fate in Fate if counts[fate]]
    looked = f"{report.looked} rendered objects, {report.tried} of them tried by a dry run"
    partial = " The view is partial: there may be more." if report.partial else ""
    return f"{', '.join(parts) or 'no drift'} ({looked}).{partial}"


def markdown(looked: Looked) -> str:
    """Return it for a page or a comment."""
    report = looked.report
    return filled(
        "drift.md.j2",
        what=inline(looked.what),
        server=code(looked.server),
        summary=inline(summary(report)),
        findings=[_found(one) for one in report.findings],
        notes=[
            {"name": code(object_name(one.object)), "why": inline(one.why), **_lines(one.difference)}
            for one in report.notes
        ],
        unseen=[
            {"objects": code(one.objects), "what": inline(one.what), "why": code(one.why)}
            for one in groups(report.unseen)
        ],
    )


def _found(finding: Finding) -> Mapping[str, Any]:
    return {
        "fate": finding.fate.value,
        "name": code(object_name(finding.object)),
        "file": code(finding.file) if finding.file else "",
        "why": inline(finding.why),
        "by": inline(people(finding.by)) if finding.by else "",
        "differences": [_lines(one) for one in finding.differences],
    }


def _lines(difference: Difference) -> dict[str, Any]:
    lines = [code(row_text(row)) for row in rows(difference.change)]
    return {"lines": lines, "owners": inline(people(difference.owners))}


def data(looked: Looked) -> dict[str, Any]:
    """Return it for programs."""
    report = looked.report
    return {
        "format_version": FORMAT_VERSION,
        "what": looked.what,
        "server": looked.server,
        "drift": bool(report.findings),
        "partial": report.partial,
        "looked": report.looked,
        "tried": report.tried,
        "findings": [
            {
                **_name(one.object),
                "fate": one.fate.value,
                "file": one.file,
                "why": one.why,
                "by": [_who(owner) for owner in one.by],
                "differences": [_changed(difference) for difference in one.differences],
            }
            for one in report.findings
        ],
        "notes": [{**_name(one.object), "why": one.why, **_changed(one.difference)} for one in report.notes],
        "unseen": [{**_name(one.object), "what": one.what, "why": one.why} for one in report.unseen],
    }


def _name(name: Name) -> dict[str, str]:
    return {"apiVersion": name.api_version, "kind": name.kind, "namespace": name.namespace, "name": name.name}


def _changed(difference: Difference) -> dict[str, Any]:
    return {**_renamed(change_data(difference.change)), "by": [_who(owner) for owner in difference.owners]}


def _renamed(change: Mapping[str, Any]) -> dict[str, Any]:
    """Return a change with the names that its sides have here."""
    return {
        _NAMES.get(key, key): [_renamed(inner) for inner in value] if key == "within" else value
        for key, value in change.items()
    }


def _who(owner: Owner) -> dict[str, str]:
    return {
        "manager": owner.manager,
        "operation": owner.operation,
        "subresource": owner.subresource,
        "at": owner.at,
    }
