"""A plan as a comment on a change: what destroys is never cut, the rest folds, and is counted where it does not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import quote

from gpuplan.plan import Risk
from gpuplan.report.markdown import COMMENT_LIMIT, code
from gpuplan.report.plans import rollouts
from gpuplan.report.plans.blocks import Left, brief, counted_only, full, prefix, words
from gpuplan.report.plans.parts import Section, View
from gpuplan.report.plans.words import counted, short

LIMIT: Final = COMMENT_LIMIT - 2_500
"""Characters of a plan: a comment has other lines too, such as what `check` found."""
NAME: Final = 200
"""Characters of a name in the head."""
NOTES: Final = 10
"""Notes of the head that are said; a render can refuse any number of objects."""
SHORTEST: Final = 60
"""Characters below which a line that destroys is counted rather than shortened."""
REST: Final = 1_200
"""Kept free for what was left out."""
IN_FULL: Final = "Read all of it by `gpuplan plan --full`, or in the files that `-o` wrote."


def marker(fleet: str) -> str:
    """Return the hidden first line, by which a comment on a fleet's plan is found again.

    >>> marker("a--> b")
    '<!-- gpuplan-plan: a--%3E%20b -->'
    """
    return f"<!-- gpuplan-plan: {quote(short(fleet, NAME))} -->"


def as_markdown(view: View, limit: int = LIMIT) -> str:
    """Return the plan as Markdown of at most `limit` characters (at least 8,000)."""
    head, foot = _head(view), f"\n**{words(view.headline)}**\n" if view.sections else ""
    whole = [full(section) for section in view.sections]
    text = _joined(head, whole, foot)
    if len(text) <= limit:
        return text
    left: Left = Counter()
    fitted = _fitted(view.sections, whole, limit - len(head) - len(foot) - REST, left)
    return _joined(head, fitted, f"\n{_left_out(left)}\n{foot}")


def _joined(head: str, sections: Iterable[str], foot: str) -> str:
    return "\n".join((head, *sections)) + foot


def _head(view: View) -> str:
    old, new = (code(short(name, NAME)) for name in (view.plan.old, view.plan.new))
    notes = [f"> {words(note, 2 * NAME)}\n" for note in view.notes[:NOTES]]
    if len(view.notes) > NOTES:
        notes.append(f"> and {counted(len(view.notes) - NOTES, 'more note')}\n")
    lines = [
        marker(view.plan.fleet),
        f"## gpuplan plan: {old} → {new}",
        "",
        f"**{words(view.headline)}**",
        "",
        words(view.fleet, 2 * NAME),
        "",
        *notes,
    ]
    return "\n".join(lines)


def _left_out(left: Left) -> str:
    """Return what is missing, to the last one."""
    what = ", ".join(counted(number, *noun) for noun, number in left.items() if number)
    said = f"{what} and details are left out" if what else "details are left out"
    return f"_This plan does not fit into a comment: {said}. {words(IN_FULL)}_"


def _fitted(sections: Sequence[Section], whole: Sequence[str], room: int, left: Left) -> list[str]:
    """Return each section as it fits: first what destroys, then whom to ask, then by what it means for work."""
    stubs = [counted_only(section, Counter()) for section in sections]
    room -= sum(len(stub) + 1 for stub in stubs)
    fitted = list(stubs)
    order = sorted(range(len(sections)), key=lambda index: (_weight(sections[index]), index))
    for place, index in enumerate(order):
        others = order[place + 1 :]
        kept = 0
        if sections[index].risk is not Risk.DESTRUCTIVE:  # every other one leaves those after it their share
            share = max(0, room) // (len(others) + 1)
            kept = sum(min(max(0, len(whole[other]) - len(stubs[other])), share) for other in others)
        fitted[index] = _fit(sections[index], whole[index], room - kept + len(stubs[index]), left)
        room -= len(fitted[index]) - len(stubs[index])
    return fitted


def _weight(section: Section) -> int:
    if section.risk is Risk.DESTRUCTIVE:
        return 0
    if section.title == rollouts.APPROVALS_TITLE:
        return 1
    return {Risk.DISRUPTIVE: 2, None: 3, Risk.LOW: 4, Risk.NONE: 5}[section.risk] + (2 if section.folded else 0)


def _fit(section: Section, whole: str, room: int, left: Left) -> str:
    """Return the first that fits: all of it, a line for each, shorter lines where it destroys, the first lines and a count."""
    if len(whole) <= room:
        return whole
    lines = brief(section)
    if len(lines) <= room:
        return lines
    if section.risk is Risk.DESTRUCTIVE:
        shorter = brief(section, max(SHORTEST, room // (2 * max(1, section.size)) - SHORTEST // 2))
        if len(shorter) <= room:
            return shorter
        return prefix(section, room, left, SHORTEST)
    return prefix(section, room, left)
