"""`gpuplan diff`: what differs between two trees, object by object and path by path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, Final

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from gpuplan.compare import ABSENT, Change, Item, Shifted, Step, path_text
from gpuplan.compare.trees import Fate, ObjectDiff, Ref, TextDiff, TreeDiff
from gpuplan.report import console
from gpuplan.report.changes import HIDDEN, MOST_LINES, Row, is_secret, rows
from gpuplan.report.machine import json_text
from gpuplan.report.markdown import COMMENT_LIMIT, code, cut, inline
from gpuplan.report.terminal import printable

FORMAT_VERSION: Final = "1.0"
SIGNS: Final = {Fate.ADDED: "+", Fate.REMOVED: "-", Fate.CHANGED: "~"}
STYLES: Final = {"+": "green", "-": "red", "~": "yellow", "↕": "cyan"}
FILES_LISTED: Final = 10
"""Files that differ only in form and are named; of the rest there is the number."""
THE_FILE: Final = "the file"
"""What stands for a name where two files are compared, which may be called differently."""
_NEVER_WRAPPED: Final = 1_000_000
"""Columns: a path that is cut in two can be neither searched for nor copied; terminals wrap by themselves."""
_NOTICE: Final = "_The rest is left out here: a comment holds no more._"


def terminal(diff: TreeDiff, sides: tuple[str, str], *, colour: bool) -> str:
    """Return the differences for people, with ANSI colour only if asked."""
    return console.drawn(_parts(diff, sides), colour=colour, width=_NEVER_WRAPPED)


def _parts(diff: TreeDiff, sides: tuple[str, str]) -> Iterator[RenderableType]:
    yield Text.assemble(("gpuplan diff  ", "bold"), printable(" → ".join(sides)))
    for title, found in _groups(diff):
        yield Text(f"\n{printable(title)}", style="bold")
        for entry in found:
            yield _line(SIGNS[entry.fate], name(entry.ref), 2)
            for change in entry.changes:
                for row in rows(change, entry.new):
                    yield from _row(row)
    if diff.texts:
        yield Text("\ntexts", style="bold")
    for text in diff.texts:
        yield _line(SIGNS[text.fate], f"{text.file or THE_FILE}  {_size(text)}", 2)
        if text.fate is Fate.CHANGED:
            yield from _lines(text.lines[:MOST_LINES], 6)
    yield Text("")
    yield Text(summary(diff), style="bold")
    yield from (Text(printable(line), style="dim") for line in _form_only(diff))


def _row(row: Row) -> Iterator[RenderableType]:
    yield _line(row.sign, f"{row.path}: {row.value}".removesuffix(": "), 4)
    yield from _lines(row.block, 8)


def _line(sign: str, words: str, depth: int) -> RenderableType:
    return Padding(Text.assemble((f"{sign} ", STYLES[sign]), printable(words)), (0, 0, 0, depth), expand=False)


def _lines(lines: Iterable[str], depth: int) -> Iterator[RenderableType]:
    for line in lines:
        yield Padding(Text(printable(line), style=STYLES.get(line[:1], "dim")), (0, 0, 0, depth), expand=False)


def markdown(diff: TreeDiff, sides: tuple[str, str]) -> str:
    """Return the differences for a comment, of at most `COMMENT_LIMIT` characters."""
    return cut("\n".join(_markdown(diff, sides)) + "\n", COMMENT_LIMIT, _NOTICE)


def _markdown(diff: TreeDiff, sides: tuple[str, str]) -> Iterator[str]:
    yield f"### gpuplan diff: {code(sides[0])} → {code(sides[1])}\n"
    yield f"**{summary(diff)}**"
    for title, entries in _groups(diff):
        yield f"\n<details open><summary>{inline(title)} ({len(entries):,})</summary>\n"
        for entry in entries:
            yield f"- {code(SIGNS[entry.fate])} {code(name(entry.ref))}"
            for change in entry.changes:
                for row in rows(change, entry.new):
                    yield f"  - {code(row.sign)} {code(row.path)}" + (f": {code(row.value)}" if row.value else "")
                    yield from _fenced(row.block, "    ")
        yield "\n</details>"
    if diff.texts:
        yield "\n<details><summary>texts</summary>\n"
        for text in diff.texts:
            yield f"- {code(SIGNS[text.fate])} {code(text.file or THE_FILE)} {_size(text)}"
        yield "\n</details>"
    yield from (f"\n{inline(line)}" for line in _form_only(diff))


def _fenced(lines: tuple[str, ...], pad: str) -> Iterator[str]:
    if lines:
        fence = "`" * max(3, *(len(line) - len(line.lstrip("`+- ")) + 1 for line in lines))
        yield f"{pad}{fence}diff"
        yield from (f"{pad}{printable(line)}" for line in lines)
        yield f"{pad}{fence}"


def as_json(diff: TreeDiff, sides: tuple[str, str]) -> str:
    """Return all of it for programs."""
    data = {
        "format_version": FORMAT_VERSION,
        "old": sides[0],
        "new": sides[1],
        "different": not diff.is_empty,
        "summary": _counts(diff),
        "objects": [_object(entry) for entry in diff.objects],
        "files": [_text(one) for one in diff.texts],
        "only_form": list(diff.same_meaning),
    }
    return json_text(data)


def _text(one: TextDiff) -> dict[str, Any]:
    hidden = {"hidden": True} if one.secret else {}
    return {"file": one.file, "fate": one.fate.value, "diff": list(one.lines), **hidden}


def _object(entry: ObjectDiff) -> dict[str, Any]:
    ref = entry.ref
    return {
        "cluster": ref.cluster,
        "apiVersion": ref.api_version,
        "kind": ref.kind,
        "namespace": ref.namespace,
        "name": ref.name,
        "file": entry.file,
        "fate": entry.fate.value,
        "changes": [change_data(change, secret=is_secret(change, entry.new or {})) for change in entry.changes],
    }


def change_data(change: Change, *, secret: bool = False) -> dict[str, Any]:
    """Return a change for programs; a side that has no value lacks its key. The content of a Secret is hidden."""
    sides = {key: HIDDEN if secret else _plain(value) for key, value in _sides(change) if value is not ABSENT}
    within = [] if secret else [change_data(inner) for inner in change.within]
    return {
        "path": path_text(change.path),
        "steps": [_step(step) for step in change.path],
        "kind": change.kind.value,
        **sides,
        **({"within": within} if within else {}),
        **({"only_form": True} if change.only_form else {}),
    }


def _sides(change: Change) -> tuple[tuple[str, object], ...]:
    return ("old", change.old), ("new", change.new), ("default", change.default)


def _step(step: Step) -> object:
    if isinstance(step, Item):
        return dict(step.keys)
    return {"old": step.old, "new": step.new} if isinstance(step, Shifted) else step


def _plain(value: object) -> object:
    if isinstance(value, list | tuple):
        return [dict(item.keys) if isinstance(item, Item) else item for item in value]
    return value


FORMS: Final[dict[str, Callable[[TreeDiff, tuple[str, str]], str]]] = {"json": as_json, "markdown": markdown}
"""For files and pipes; a terminal is drawn by `terminal`, which asks for colour."""
ENDINGS: Final = {".json": "json", ".md": "markdown"}
"""The form that the ending of a file asks for."""


def name(ref: Ref) -> str:
    """Return kind, namespace and name of an object; of a document that is none, its file."""
    place = f"{ref.namespace}/{ref.name}" if ref.namespace else ref.name or THE_FILE
    group = ref.api_version.rpartition("/")[0]
    return f"{ref.kind} {place}{f' ({group})' if group else ''}".strip()


def summary(diff: TreeDiff) -> str:
    """Return how many objects and files differ, on one line."""
    if diff.is_empty:
        return "Nothing differs."
    counts = _counts(diff)
    objects = ", ".join(f"{counts[fate.value]:,} {fate.value}" for fate in Fate)
    files = f"; {counts['files']:,} other {'file' if counts['files'] == 1 else 'files'}" if counts["files"] else ""
    return f"Objects: {objects}{files}."


def _counts(diff: TreeDiff) -> dict[str, int]:
    fates = [entry.fate for entry in diff.objects if entry.ref.kind]
    files = {entry.file for entry in diff.objects if not entry.ref.kind} | {text.file for text in diff.texts}
    return {
        **{fate.value: fates.count(fate) for fate in Fate},
        "files": len(files),
        "only_form": len(diff.same_meaning),
    }


def _form_only(diff: TreeDiff) -> Iterator[str]:
    """Yield the line that names files whose text alone differs."""
    if diff.same_meaning:
        more = len(diff.same_meaning) - FILES_LISTED
        listed = ", ".join(file or THE_FILE for file in diff.same_meaning[:FILES_LISTED])
        yield f"The same in another form: {listed}{f' and {more} more' if more > 0 else ''}."


def _size(text: TextDiff) -> str:
    if not text.lines:
        return HIDDEN if text.secret else "(no text)"
    more, less = (sum(line.startswith(mark) for line in text.lines) for mark in "+-")
    return f"(+{more} -{less} lines)"


def _groups(diff: TreeDiff) -> Iterator[tuple[str, list[ObjectDiff]]]:
    """Yield the objects of no cluster's folder, those of each cluster, and documents that are no objects, with titles."""
    objects = [entry for entry in diff.objects if entry.ref.kind]
    for cluster, found in groupby(objects, key=lambda entry: entry.ref.cluster):
        yield cluster or "objects", list(found)
    others = [entry for entry in diff.objects if not entry.ref.kind]
    if others:
        yield "other documents", others
