"""Markdown for comments on code hosts: text of a file that stays text, and pages that keep to a host's limit."""

from __future__ import annotations

import re
from typing import Final

from gpuplan.report.terminal import printable

COMMENT_LIMIT: Final = 60_000
"""Characters of a comment; GitHub refuses more than 65,536, and what a job adds below must fit too."""

_TICKS: Final = re.compile("`+")
_MARKS: Final = re.compile(r"([\\<>\[\]()*_#|~!&{}])")
_QUICK_ACTION: Final = re.compile(r"^(\s*)/")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")


def code(text: str) -> str:
    """Return text as a code span, in which nothing has a meaning: neither HTML, nor a link, nor a mention.

    >>> code("a`b")
    '`` a`b ``'
    """
    line = printable(text) or " "
    runs = [len(run) for run in _TICKS.findall(line)]
    fence = "`" * (max(runs, default=0) + 1)
    return f"{fence} {line} {fence}" if runs else f"{fence}{line}{fence}"


def inline(text: str) -> str:
    """Return a finding's words: what stands between backticks as code, the rest without any meaning.

    >>> inline("`a_b` asks @team for <b>")
    '`a_b` asks @\\u2060team for \\\\<b\\\\>'
    """
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a file's content has a backtick of its own
        return _escaped(text.replace("`", "'"))
    return "".join(code(part) if number % 2 else _escaped(part) for number, part in enumerate(parts) if part)


def _escaped(text: str) -> str:
    return _MARKS.sub(r"\\\1", printable(text)).replace("@", "@\u2060")  # the word joiner, so that nobody is called


def cell(text: str) -> str:
    """Return inline Markdown for a cell of a table: a bar would end it, even in code."""
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def without_quick_actions(text: str) -> str:
    """Return Markdown in which no line is a command to GitLab, such as `/approve`; code is none anyway.

    >>> without_quick_actions("/close")
    '\\\\/close'
    """
    lines: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        lines.append(line if fence else _QUICK_ACTION.sub(r"\1\\/", line))
        fence, _ = _after(line, fence, 0)
    return "".join(lines)


def cut(text: str, limit: int, notice: str) -> str:
    """Return Markdown of at most `limit` characters: whole lines from the start, what is open closed, then the notice."""
    if len(text) <= limit:
        return text
    kept: list[str] = []
    room = limit - len(notice) - 2
    fence, folded = "", 0
    for line in text.splitlines(keepends=True):
        now_fence, now_folded = _after(line, fence, folded)
        closing = len(_closers(now_fence, now_folded))
        if len(line) + closing > room:
            break
        kept.append(line)
        room -= len(line)
        fence, folded = now_fence, now_folded
    return "".join(kept) + _closers(fence, folded) + "\n" + notice + "\n"


def _after(line: str, fence: str, folded: int) -> tuple[str, int]:
    """Return the code fence that is open after a line, and how many `<details>` are."""
    mark = _FENCE.match(line)
    if fence:
        return ("" if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]) else fence), folded
    if mark:
        return mark[1], folded
    return "", max(0, folded + line.count("<details") - line.count("</details>"))


def _closers(fence: str, folded: int) -> str:
    return (f"{fence}\n" if fence else "") + "\n</details>\n" * folded
