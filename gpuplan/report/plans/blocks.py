"""Parts of a view as Markdown, at several lengths: in full, a line for each entry, the first of them, or their number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import Final

from gpuplan.report.markdown import code, inline
from gpuplan.report.plans.parts import Block, Code, Entry, Section, Table
from gpuplan.report.plans.words import counted, short
from gpuplan.report.terminal import printable

Left = Counter[tuple[str, str]]
"""How many of each noun (one, many) were left out."""

TABLES: Final = ("table without rows", "tables without rows")
LINE: Final = 1_000
"""Characters of a line in full."""
BRIEF: Final = 200
"""Characters of an entry that stands on one line."""
CODE_LINES: Final = 60
ASKED: Final = 20
"""Owners that an entry names."""
SENTENCE: Final = 2_000
NAME: Final = 200
MISSING: Final = 300
"""Characters of what says which entries are missing."""
_MENTION: Final = re.compile(r"@[A-Za-z0-9][A-Za-z0-9_.-]*(?:/[A-Za-z0-9][A-Za-z0-9_.-]*)*")
_TICKS: Final = re.compile("`{3,}")


EMPTY: Final = "(nothing)"
UNLINKED: Final = "\\#\u2060"
"""A hash that code hosts do not take for the number of an issue, which would get a reference to the comment."""
_LEADING: Final = re.compile(r"^(?:([-+=])|(\d+)([.)]))")


def words(text: str, limit: int = LINE) -> str:
    """Return text as inline Markdown of a line that nothing precedes: no list, heading or block can begin in it.

    >>> words("- a"), words("1. b"), words("<i>")
    ('\\\\- a', '1\\\\. b', '\\\\<i\\\\>')
    """
    line = inline(short(text.strip() or EMPTY, limit)).replace(r"\#", UNLINKED)
    return _LEADING.sub(r"\2\\\1\3", line)


def mention(name: str) -> str:
    """Return a name so that its bearer is told, where it is one that a code host could know.

    >>> mention("@acme/gpu-platform"), mention("Ann <b>")
    ('@acme/gpu-platform', '`Ann <b>`')
    """
    return name if _MENTION.fullmatch(name) and len(name) <= NAME else code(short(name, NAME))


def full(section: Section) -> str:
    """Return a section with everything in it."""
    body = "\n".join(_block(block) for block in section.blocks)
    return _framed(section, body)


def brief(section: Section, line: int = BRIEF) -> str:
    """Return a section with one line of at most `line` characters (before escapes) for each entry or row."""
    body = "\n".join(
        _titled(block, "".join(_line(unit, line) for unit in _units(block)), brief=True) for block in section.blocks
    )
    return _framed(section, body)


def prefix(section: Section, room: int, left: Left, line: int = BRIEF) -> str:
    """Return a section with as many lines as fit, and the exact number of the others, by the title of their block."""
    missing: Counter[str] = Counter()
    kept: list[str] = []
    room -= len(_framed(section, "")) + MISSING
    for block in section.blocks:
        units = _units(block)
        lines, spent = [], len(_titled(block, " ", brief=True)) + 1
        for unit in units:
            text = _line(unit, line)
            if spent + len(text) > room:
                break
            lines.append(text)
            spent += len(text)
        if lines or (not units and spent <= room):
            kept.append(_titled(block, "".join(lines), brief=True))
            room -= spent
        elif not units:
            left[TABLES] += 1
        missing[block.title] += len(units) - len(lines)
    return _framed(section, "\n".join((*kept, _missing(section, missing, left))))


def counted_only(section: Section, left: Left) -> str:
    """Return a section's title and the number of what is in it."""
    return prefix(section, 0, left)


def _missing(section: Section, missing: Counter[str], left: Left) -> str:
    total = missing.total()
    left[section.noun] += total
    if not total:
        return ""
    named = "; ".join(f"{number:,} x {title}" for title, number in missing.most_common() if number and title)
    more = f": {words(named, MISSING // 3)}" if named else ""
    return f"_and {counted(total, f'more {section.noun[0]}', f'more {section.noun[1]}')}{more}_\n"


def _framed(section: Section, body: str) -> str:
    if section.folded:
        title = escape(f"{section.title} ({section.size:,})")
        return f"<details><summary><b>{title}</b></summary>\n\n{body}\n</details>\n"
    return f"### {words(section.title)}\n\n{body}"


def _block(block: Block) -> str:
    units = "".join(_row(unit) if isinstance(unit, tuple) else _entry(unit) for unit in _units(block))
    return _titled(block, units, brief=False)


def _units(block: Block) -> tuple[Entry | tuple[str, ...], ...]:
    return block.rows if isinstance(block, Table) else block.entries


def _titled(block: Block, units: str, *, brief: bool) -> str:
    """Return units under the title of their block, with what holds for all of them unless it is to be brief."""
    title = f"**{words(block.title, NAME)}**\n\n" if block.title else ""
    if isinstance(block, Table):
        return title + (_header(block) + units if units or not brief else "") + _notes(block.after)
    before = f"{words(block.before, SENTENCE)}\n\n" if block.before and not brief else ""
    return title + before + units + (_after(block.after, block.link) if not brief else "")


def _header(block: Table) -> str:
    if not block.rows:
        return ""
    ruler = ("---:" if column in block.right else "---" for column in range(len(block.header)))
    return _row(block.header) + f"| {' | '.join(ruler)} |\n"


def _row(cells: tuple[str, ...]) -> str:
    """Return a row; cells hold no code, since a bar in it could end them."""
    return f"| {' | '.join(words(cell.replace('`', chr(39)), NAME) for cell in cells)} |\n"


def _notes(notes: tuple[str, ...]) -> str:
    return "\n" + "".join(f"- {words(note)}\n" for note in notes) if notes else ""


def _after(text: str, link: str) -> str:
    if not text:
        return ""
    source = f" ([source]({link}))" if link.startswith("https://") and not re.search(r"[()\s<>]", link) else ""
    return f"\n{words(text, SENTENCE)}{source}\n"


def _line(unit: Entry | tuple[str, ...], limit: int) -> str:
    """Return a unit on one line."""
    if isinstance(unit, tuple):
        return _row(unit)
    return f"- {_sign(unit)}{words(unit.text, limit)}{_asked(unit)}\n"


def _entry(entry: Entry) -> str:
    origin = f" ← {words(entry.origin)}" if entry.origin else ""
    first = f"- {_sign(entry)}{words(entry.text)}{_asked(entry)}{origin}\n"
    details = "".join(f"  - {words(detail)}\n" for detail in entry.details)
    return first + details + "".join(_fence(one) for one in entry.codes)


def _sign(entry: Entry) -> str:
    return f"`{entry.sign}` " if entry.sign else ""


def _asked(entry: Entry) -> str:
    """Return who is told: nobody else in the whole text is."""
    if not entry.asked:
        return ""
    more = f" and {counted(len(entry.asked) - ASKED, 'more owner')}" if len(entry.asked) > ASKED else ""
    return f": {', '.join(mention(name) for name in entry.asked[:ASKED])}{more}"


def _fence(of: Code) -> str:
    return "".join(f"  {line}\n" for line in _fenced(of))


def _fenced(of: Code) -> Iterator[str]:
    """Yield a block of code, whatever is in it, between fences that no line of it can close."""
    lines = of.text.split("\n")
    ticks = "`" * (max((len(run) for run in _TICKS.findall(of.text)), default=2) + 1)
    yield ""
    yield f"{ticks}{of.language}"
    yield from (printable(short(line, LINE)) for line in lines[:CODE_LINES])
    if len(lines) > CODE_LINES:
        yield f"# … and {counted(len(lines) - CODE_LINES, 'more line')}"
    yield ticks
    yield ""
