"""Single values set in the text of a spec, or taken out of it: only they change, and that is proved by reading the text back."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gpuplan.diagnostics import Diagnostic, KeyPath, Severity, Span
from gpuplan.format.order import Place, below, fixed_keys
from gpuplan.format.order import root as spec_root
from gpuplan.moving.stack_findings import UNPROVED
from gpuplan.plan.parts import ABSENT, Edit
from gpuplan.source.folder import shown_path
from gpuplan.source.layout import Group, Layout, Leaf, Pair, Part, lay_out
from gpuplan.source.yamltext import parse_text

MARK = "\ufeff"
"""The byte order mark that a file may begin with."""
Texts = Mapping[Path, str]


def edited(texts: Texts, edits: Iterable[Edit]) -> dict[Path, str] | Diagnostic:
    """Return all texts with some edits done, or why one cannot be. Values are words without a sign of YAML's in them."""
    made = dict(texts)
    for edit in edits:
        found = _edited(made, edit)
        if isinstance(found, Diagnostic):
            return found
        made |= found
    return made


def _edited(texts: Texts, edit: Edit) -> dict[Path, str] | Diagnostic:
    homes = [(path, home) for path, text in texts.items() if (home := _home(text, edit.path)) is not None]
    homes.sort(key=lambda one: _member(one[1][1], str(edit.path[-1])) is None)  # that which has the key comes first
    if not homes:
        return _unproved(f"No file writes `{_dotted(edit.path[:-1])}` out as a mapping", next(iter(texts)))
    path, (layout, group, place) = homes[0]
    old = texts[path]
    new = _as_before(old, _set(layout, group, place, edit))
    if not _says(old, new, edit):
        summary = f"`{_dotted(edit.path)}` cannot be changed in place: the new text was not proved to say just that"
        return _unproved(summary, path)
    return {path: new}


def names(texts: Texts, path: KeyPath) -> object:
    """Return what some file writes at a path, ABSENT where none does."""
    for text in texts.values():
        home = _home(text, path)
        member = _member(home[1], str(path[-1])) if home is not None else None
        if member is not None:
            return member.value.text if isinstance(member.value, Leaf) else None
    return ABSENT


def _unproved(summary: str, path: Path) -> Diagnostic:
    return UNPROVED.found(summary, at=Span(shown_path(path), 1, 1, 1, 1))


def _dotted(path: KeyPath) -> str:
    return ".".join(map(str, path))


def _plain_ends(text: str) -> str:
    return text.removeprefix(MARK).replace("\r\n", "\n")


def _as_before(old: str, new: str) -> str:
    """Give a text the line ends and the mark of the one that it was made from."""
    mark = MARK if old.startswith(MARK) else ""
    return mark + (new.replace("\n", "\r\n") if "\r\n" in old else new)


def _home(text: str, path: KeyPath) -> tuple[Layout, Group, Place | None] | None:
    """Return the mapping in a text that a path's last key stands in, or would stand in."""
    layout = lay_out(_plain_ends(text))
    for page in layout.pages:
        part: Part | None = page.root
        place: Place | None = spec_root()
        for key in path[:-1]:
            member = _member(part, str(key)) if isinstance(part, Group) and part.mapping else None
            part, place = (member.value if member else None), below(place, str(key))
        if isinstance(part, Group) and part.mapping:
            return layout, part, place
    return None


def _member(group: Group, key: str) -> Pair | None:
    return next((pair for pair in group.members if isinstance(pair, Pair) and pair.key.text == key), None)


def _set(layout: Layout, group: Group, place: Place | None, edit: Edit) -> str:
    text, key = layout.text, str(edit.path[-1])
    member = _member(group, key)
    pairs = [pair for pair in group.members if isinstance(pair, Pair)]
    if member is None:
        return text if edit.value is ABSENT else _with(layout, group, pairs, place, f"{key}: {edit.value}")
    if edit.value is not ABSENT:
        return text[: member.value.at] + str(edit.value) + text[member.value.end :]
    return _without(layout, group, pairs, member)


def _with(layout: Layout, group: Group, pairs: Sequence[Pair], place: Place | None, entry: str) -> str:
    """Put an entry where `gpuplan fmt` would have it: behind the last key that comes before it."""
    ranks = fixed_keys(place)
    rank = ranks.get(entry.partition(":")[0], len(ranks))
    before = [pair for pair in pairs if ranks.get(pair.key.text, len(ranks)) < rank]
    text = layout.text
    if group.flow:
        if before:
            at, made = before[-1].value.end, f", {entry}"
        else:
            at, made = (pairs[0].key.at, f"{entry}, ") if pairs else (group.end - 1, entry)
        return text[:at] + made + text[at:]
    line = _last_line(layout, before[-1].value) + 1 if before else pairs[0].key.line
    while before and line < len(layout.lines) and _deeper_comment(layout.lines[line], group.column):
        line += 1
    while not before and layout.lines[line - 1].lstrip(" ").startswith("#"):
        line -= 1
    lines = list(layout.lines)
    lines.insert(line, " " * group.column + entry)
    return "\n".join(lines)


def _deeper_comment(line: str, column: int) -> bool:
    """Tell whether a line is a comment at the end of a block that is deeper than a column."""
    bare = line.lstrip(" ")
    return bare.startswith("#") and len(line) - len(bare) > column


def _last_line(layout: Layout, part: Part) -> int:
    """Return the line, from 0, on which the text of a value ends."""
    if isinstance(part, Group) and not part.flow and part.members:
        last = part.members[-1]
        return _last_line(layout, last.value if isinstance(last, Pair) else last)
    return layout.text.count("\n", 0, part.at + len(layout.text[part.at : part.end].rstrip()))


def _without(layout: Layout, group: Group, pairs: Sequence[Pair], member: Pair) -> str:
    text, number = layout.text, pairs.index(member)
    if not group.flow:
        lines = list(layout.lines)
        del lines[member.key.line : _last_line(layout, member.value) + 1]
        return "\n".join(lines)
    if number:
        return text[: pairs[number - 1].value.end] + text[member.value.end :]
    end = pairs[1].key.at if len(pairs) > 1 else member.value.end
    return text[: member.key.at] + text[end:]


def _says(old: str, new: str, edit: Edit) -> bool:
    """Tell whether a new text says what the old one did, but for the edit, with all comments but those of a line that left."""
    before, after = (parse_text("fleet", text) for text in (old, new))
    if any(finding.severity is Severity.ERROR for finding in after.findings):
        return False
    wanted = [_done(document.plain(), edit) for document in before.documents]
    if [document.plain() for document in after.documents] not in _any_of(before.documents, wanted):
        return False
    lost = _comments(old)
    lost.subtract(_comments(new))
    allowed = 1 if edit.value is ABSENT else 0
    return all(count >= 0 for count in lost.values()) and sum(lost.values()) <= allowed


def _any_of(documents: Sequence[Any], wanted: Sequence[Any]) -> list[list[Any]]:
    """Return the readings of a file with the edit in just one of its documents."""
    plain = [document.plain() for document in documents]
    return [[*plain[:n], wanted[n], *plain[n + 1 :]] for n in range(len(plain))]


def _done(data: dict[str, Any], edit: Edit) -> dict[str, Any]:
    """Do the edit to data, independently of any text."""
    made = copy.deepcopy(data)
    here: Any = made
    for key in edit.path[:-1]:
        here = here.get(key) if isinstance(here, dict) else None
    if isinstance(here, dict):
        here.pop(edit.path[-1], None)
        if edit.value is not ABSENT:
            here[edit.path[-1]] = edit.value
    return made


def _comments(text: str) -> Counter[str]:
    return Counter(comment.text for comment in lay_out(_plain_ends(text)).comments)
