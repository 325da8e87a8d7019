"""The parser's complaints in our words, at the place where the mistake was made rather than noticed."""

from __future__ import annotations

import re
from typing import Final

from yaml import MarkedYAMLError

from gpuplan.diagnostics import Diagnostic, Related, Span
from gpuplan.source import findings
from gpuplan.source.compose import TooDeepError
from gpuplan.source.document import Mark, position_after
from gpuplan.source.sayings import (
    AFTER_VALUE,
    CUT_OFF,
    DEEPER_LINE,
    DIRECTIVE,
    SAYINGS,
    SECOND_COLON,
    TEMPLATE_FIX,
    Saying,
)

_FORBIDDEN: Final = "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
"""What YAML does not allow, and the line ends of YAML 1.1 that 1.2 no longer counts as such (U+0085, U+2028, U+2029).

Not compiled before somebody needs it: that takes longer than to read a fleet."""
_LET_PASS: Final = ("\x85", "\u2028", "\u2029", "\ufeff")
"""What the parser would take: old line ends, and the byte order mark, which joins a name unseen where files are joined."""
_PARSERS_OWN_LIMIT: Final = "exceeded maximum nesting depth"
_MAX_SHOWN: Final = 20
"""Findings of one kind in one file; a binary file would give thousands."""
_CONFLICT: Final = re.compile(r"(?:<{7}|={7}|>{7})(?: |$)")


def forbidden_characters(file: str, text: str, *, parser_complains: bool = False) -> tuple[Diagnostic, ...]:
    """Return findings for characters that no reader of the file would see.

    The slow search runs when the parser complains of one, or when the text holds one that the parser would let pass.
    """
    if not parser_complains and not any(sign in text for sign in _LET_PASS):
        return ()
    found = []
    for match in re.finditer(_FORBIDDEN, text):
        line, column = position_after(text[: match.start()])
        span = Span(file, line, column, line, column + 1)
        summary = f"the character U+{ord(match.group()):04X}, which cannot be seen and is not allowed"
        found.append(findings.FORBIDDEN_CHARACTER.found(summary, at=span))
        if len(found) == _MAX_SHOWN:
            break
    return tuple(found)


def syntax_finding(
    file: str, lines: tuple[str, ...], error: MarkedYAMLError | TooDeepError, open_bracket: Mark | None
) -> tuple[Diagnostic, int]:
    """Return the finding for a document that cannot be read, and the index of the line where that was noticed.

    `open_bracket` is where a bracket stands that was still open then.
    """
    noticed: Mark | None = error.mark if isinstance(error, TooDeepError) else error.problem_mark or error.context_mark
    if noticed is None:
        return findings.SYNTAX.found(f"the text is not YAML: {error}", at=Span(file, 1, 1, 1, 1)), len(lines)
    here = _char_span(file, lines, noticed)
    if isinstance(error, TooDeepError) or error.problem == _PARSERS_OWN_LIMIT:
        summary = f"values are nested more than {findings.MAX_DEPTH} deep"
        return findings.TOO_DEEP.found(summary, at=here), noticed.line
    special = _merge_conflict(file, lines) or _tab(file, lines, here.line)
    return special or _translated(file, lines, error, here, open_bracket), noticed.line


def _translated(
    file: str, lines: tuple[str, ...], error: MarkedYAMLError, here: Span, open_bracket: Mark | None
) -> Diagnostic:
    text = lines[here.line - 1]
    ends = (here.line == len(lines) and not text) or text.startswith(("---", "..."))
    saying = _saying(error, text[: here.column - 1], at_document_end=ends)
    opening: Mark | None = open_bracket if saying is CUT_OFF else error.context_mark
    at = _char_span(file, lines, opening) if saying.opening and opening is not None else here
    line = lines[at.line - 1]
    char = line[at.column - 1 : at.column]
    shown = f"`{char}`" if char not in ("", "`") else "a backtick" if char else "the end of the line"
    has_template = any(sign in line for sign in ("{{", "{%"))
    return findings.SYNTAX.found(
        saying.summary.replace("{char}", shown),
        at=at,
        also=(Related("noticed here", here),) if at.line != here.line else (),
        fix=TEMPLATE_FIX if has_template else saying.fix.replace("{char}", shown) or None,
    )


def _saying(error: MarkedYAMLError, before: str, *, at_document_end: bool) -> Saying:
    """Choose our words; `before` is the line up to the place where the parser stopped."""
    problem = str(error.problem)
    if problem == "mapping values are not allowed in this context":
        return SECOND_COLON if ": " in before else DEEPER_LINE
    if problem == "did not find expected key" and before.strip():
        return AFTER_VALUE
    if problem == "did not find expected node content" and at_document_end:
        return CUT_OFF
    if error.context == "while scanning a directive":
        return DIRECTIVE
    return SAYINGS.get(problem, Saying(summary=f"the text is not YAML: {problem}"))


def _char_span(file: str, lines: tuple[str, ...], mark: Mark) -> Span:
    """The one character at a mark, or the empty stretch at the end of a line or of the file."""
    line = min(mark.line, len(lines) - 1)
    column = min(mark.column, len(lines[line])) if line == mark.line else len(lines[line])
    return Span(file, line + 1, column + 1, line + 1, min(column + 1, len(lines[line])) + 1)


def _merge_conflict(file: str, lines: tuple[str, ...]) -> Diagnostic | None:
    marked = [n for n, line in enumerate(lines) if _CONFLICT.match(line)]
    if len({lines[n][0] for n in marked}) < 2:
        return None
    first, *others = (Span(file, n + 1, 1, n + 1, len(lines[n]) + 1) for n in marked[:_MAX_SHOWN])
    also = tuple(Related("and this marker", at) for at in others)
    return findings.MERGE_CONFLICT.found("the markers of a merge conflict are still in the file", at=first, also=also)


def _tab(file: str, lines: tuple[str, ...], line: int) -> Diagnostic | None:
    """Blame the tab when the line of the error, or the one before it, is indented with one."""
    for number in (line, line - 1):
        text = lines[number - 1] if number else ""
        indent = text[: len(text) - len(text.lstrip(" \t"))]
        if "\t" in indent:
            column = indent.index("\t") + 1
            more = sum(1 for other in lines if other.startswith("\t")) - 1
            counted = (
                f" {more} more {'line' if more == 1 else 'lines'} of this file begin with one." if more > 0 else ""
            )
            at = Span(file, number, column, number, len(indent) + 1)
            detail = findings.TAB_INDENTATION.why + counted
            return findings.TAB_INDENTATION.found("the line is indented with a tab", at=at, detail=detail)
    return None
