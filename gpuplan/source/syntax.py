"""The parser's complaints in our words, at the place where the mistake was made rather than noticed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from yaml import MarkedYAMLError

from gpuplan.diagnostics import Diagnostic, Related, Span
from gpuplan.source import findings
from gpuplan.source.compose import TooDeepError
from gpuplan.source.document import Mark

_FORBIDDEN: Final = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
"""What YAML does not allow, and the line ends of YAML 1.1 that 1.2 no longer counts as such (U+0085, U+2028, U+2029)."""
_OLD_LINE_ENDS: Final = ("\x85", "\u2028", "\u2029")
_MAX_SHOWN: Final = 20
"""Findings of one kind in one file; a binary file would give thousands."""
_CONFLICT: Final = re.compile(r"^(?:<{7}|={7}|>{7})(?: |\r?$)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Saying:
    """Our words for one complaint. `opening`: the fault lies where the construct began, not where it was noticed."""

    summary: str
    fix: str = ""
    opening: bool = False


_QUOTE: Final = _Saying(summary="a quote that is never closed", fix="Close the quote.", opening=True)
_RESERVED: Final = _Saying(
    summary="a value cannot begin with {char}", fix="Put the value in quotes: {char} has a meaning of its own in YAML."
)
_ANCHOR: Final = _Saying(
    summary="{char} needs a name after it", fix="Put the value in quotes if you mean the sign itself.", opening=True
)
_ESCAPE: Final = _Saying(
    summary="an escape that YAML does not know, in double quotes",
    fix="Write \\\\ for a backslash, or use single quotes, in which a backslash is a backslash.",
)
_SAYINGS: Final[dict[str, _Saying]] = {
    "could not find expected ':'": _Saying(
        summary="a line that is neither `key: value` nor part of the value above it",
        fix="Write `key: value`, or indent the line if it goes on with the value above.",
        opening=True,
    ),
    "mapping values are not allowed in this context": _Saying(
        summary="a `:` that cannot begin a value here",
        fix="Give keys of one mapping the same indentation, and quote a value that holds `: `.",
    ),
    "block sequence entries are not allowed in this context": _Saying(
        summary="a list item that cannot stand here",
        fix="Begin the list on its own line below the key.",
    ),
    "mapping keys are not allowed in this context": _Saying(summary="a `?` that cannot stand here", fix="Quote it."),
    "found unexpected end of stream": _QUOTE,
    "found unexpected document indicator": _QUOTE,
    "found character that cannot start any token": _RESERVED,
    "found unknown escape character": _ESCAPE,
    "did not find expected hexdecimal number": _ESCAPE,
    "found invalid Unicode character escape code": _ESCAPE,
    "did not find expected alphabetic or numeric character": _ANCHOR,
    "did not find expected comment or line break": _Saying(
        summary="text where the line should end", fix="Begin the text of a block on the line below its `|` or `>`."
    ),
    "did not find expected key": _Saying(
        summary="a line that does not line up with the mapping it belongs to",
        fix="Give keys of one mapping the same indentation; text after a closing quote or bracket is not allowed.",
    ),
    "did not find expected '-' indicator": _Saying(
        summary="a line that does not line up with the list it belongs to",
        fix="Give all items of a list the same indentation, or indent what belongs to an item deeper than its `-`.",
    ),
    "did not find expected ',' or ']'": _Saying(
        summary="a list `[` that is not closed", fix="Close it with `]`, and put a comma between items.", opening=True
    ),
    "did not find expected ',' or '}'": _Saying(
        summary="a mapping `{` that is not closed",
        fix="Close it with `}`, and put a comma between entries.",
        opening=True,
    ),
    "did not find expected node content": _Saying(
        summary="a value is missing here", fix="Write it, or quote the sign."
    ),
    "did not find expected <document start>": _Saying(
        summary="text that does not belong to the value before it",
        fix="Give it the indentation of its mapping, or begin a new document with `---`.",
    ),
    "found undefined tag handle": _Saying(
        summary="a tag of a family that the document does not declare", fix="Remove the tag, or quote the `!`."
    ),
    "found incompatible YAML document": _Saying(
        summary="a %YAML directive for a version that does not exist", fix="Remove the directive."
    ),
}


def forbidden_characters(file: str, text: str, *, parser_complains: bool = False) -> tuple[Diagnostic, ...]:
    """Return findings for characters that no reader of the file would see.

    The slow search runs when the parser complains of one, or when the text holds one that the parser would let pass.
    """
    if not parser_complains and not any(end in text for end in _OLD_LINE_ENDS):
        return ()
    found = []
    for match in _FORBIDDEN.finditer(text):
        before = text[: match.start()].replace("\r\n", "\n").replace("\r", "\n")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        span = Span(file, line, column, line, column + 1)
        summary = f"the character U+{ord(match.group()):04X}, which cannot be seen and is not allowed"
        found.append(findings.FORBIDDEN_CHARACTER.found(summary, at=span))
        if len(found) == _MAX_SHOWN:
            break
    return tuple(found)


def syntax_finding(file: str, lines: tuple[str, ...], error: MarkedYAMLError | TooDeepError) -> tuple[Diagnostic, int]:
    """Return the finding for a document that cannot be read, and the index of the line where that was noticed."""
    if isinstance(error, TooDeepError):
        summary = f"values are nested more than {findings.MAX_DEPTH} deep"
        return findings.TOO_DEEP.found(summary, at=_char_span(file, lines, error.mark)), error.mark.line
    noticed: Mark | None = error.problem_mark or error.context_mark
    if noticed is None:
        return findings.SYNTAX.found(f"the text is not YAML: {error}", at=Span(file, 1, 1, 1, 1)), len(lines)
    here = _char_span(file, lines, noticed)
    special = _merge_conflict(file, lines) or _tab(file, lines, here.line)
    return special or _translated(file, lines, error, here), noticed.line


def _translated(file: str, lines: tuple[str, ...], error: MarkedYAMLError, here: Span) -> Diagnostic:
    problem = str(error.problem)
    saying = _SAYINGS.get(problem, _Saying(summary=f"the text is not YAML: {problem}"))
    opening: Mark | None = error.context_mark
    at = _char_span(file, lines, opening) if saying.opening and opening is not None else here
    also = (Related("noticed here", here),) if at != here else ()
    char = f"`{_char_at(lines, at)}`"
    fix = saying.fix.replace("{char}", char)
    if any(sign in lines[at.line - 1] for sign in ("{{", "{%")):
        fix = "A fleet has no template language: write the value out, or put the braces in quotes."
    return findings.SYNTAX.found(saying.summary.replace("{char}", char), at=at, also=also, fix=fix or None)


def _char_at(lines: tuple[str, ...], at: Span) -> str:
    return lines[at.line - 1][at.column - 1 : at.column] or "the end of the line"


def _char_span(file: str, lines: tuple[str, ...], mark: Mark) -> Span:
    """The one character at a mark, or the empty stretch at the end of a line or of the file."""
    line = min(mark.line, len(lines) - 1)
    column = min(mark.column, len(lines[line])) if line == mark.line else len(lines[line])
    return Span(file, line + 1, column + 1, line + 1, min(column + 1, len(lines[line])) + 1)


def _merge_conflict(file: str, lines: tuple[str, ...]) -> Diagnostic | None:
    marked = [n for n, line in enumerate(lines) if _CONFLICT.match(line)]
    if len(marked) < 2:
        return None
    first, *others = (Span(file, n + 1, 1, n + 1, len(lines[n]) + 1) for n in marked[:_MAX_SHOWN])
    also = tuple(Related("and this marker", at) for at in others)
    return findings.MERGE_CONFLICT.found("the markers of a merge conflict are still in the file", at=first, also=also)


def _tab(file: str, lines: tuple[str, ...], line: int) -> Diagnostic | None:
    """Blame the tab when the line of the error, or the one before it, is indented with one."""
    for number in (line, line - 1):
        text = lines[number - 1] if number else ""
        indent = text[: len(text) - len(text.lstrip())]
        if "\t" in indent:
            column = indent.index("\t") + 1
            more = sum(1 for other in lines if other.startswith("\t")) - 1
            detail = (
                f"{findings.TAB_INDENTATION.why} {more} more lines of this file begin with one." if more > 0 else None
            )
            at = Span(file, number, column, number, len(indent) + 1)
            return findings.TAB_INDENTATION.found("the line is indented with a tab", at=at, detail=detail)
    return None
