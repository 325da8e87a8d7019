"""Findings for people: in full with the line of the file, or one a line."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gpuplan.diagnostics import Diagnostic, Diagnostics, Severity, Span
from gpuplan.report.excerpt import excerpt, is_whole_file
from gpuplan.report.terminal import paint, printable

LinesOf = Callable[[str], Sequence[str]]
"""Gives the lines of a file by its name in spans; none if the file cannot be shown."""

_INDENT = "  "


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What findings are written on: columns of the terminal, and whether it has colour."""

    width: int = 100
    colour: bool = False


def full(found: Diagnostics, lines: LinesOf, page: Page) -> str:
    """Return each finding with the line it is about, why it matters, the other place and the fix; then the count."""
    blocks = ["\n".join(_block(finding, lines, page)) for finding in found]
    return "\n\n".join([*blocks, count_line(found, page)]) + "\n"


def concise(found: Diagnostics, page: Page) -> str:
    """Return one line for each finding."""
    return "".join(_headline(finding, page) + "\n" for finding in found)


def count_line(found: Diagnostics, page: Page) -> str:
    """Return how many findings there are of each severity, and in how many files."""
    if not found:
        return "No findings."
    counted = [(severity, sum(f.severity is severity for f in found)) for severity in Severity]
    words = [
        paint(f"{count} {_noun(severity, count)}", severity.value, colour=page.colour)
        for severity, count in counted
        if count
    ]
    files = len({finding.at.file for finding in found})
    return f"Found {', '.join(words)} in {files} {'file' if files == 1 else 'files'}."


def plain_lines(headline: str, finding: Diagnostic) -> list[str]:
    """Return a finding below a headline of the caller's: why it matters, the other places, the fix, line by line."""
    also = [f"also: {other.at} {other.message}" for other in finding.also]
    parts = (headline, finding.detail, *also, f"fix: {finding.fix}" if finding.fix else "")
    return [line for part in parts for line in part.splitlines()]


def _noun(severity: Severity, count: int) -> str:
    noun = "note" if severity is Severity.INFO else severity.value
    return noun if count == 1 else noun + "s"


def _headline(finding: Diagnostic, page: Page) -> str:
    place = paint(printable(str(finding.at)), "place", colour=page.colour)
    severity = paint(finding.severity.value, finding.severity.value, colour=page.colour)
    return f"{place} {severity} {finding.rule}: {printable(finding.summary)}"


def _block(finding: Diagnostic, lines: LinesOf, page: Page) -> Iterator[str]:
    yield _headline(finding, page)
    style = finding.severity.value
    yield from _excerpt(finding.at, lines, page, style)
    yield from _wrapped(finding.detail, "", page)
    for other in finding.also:
        yield f"{_INDENT}also: {printable(str(other.at))} {printable(other.message)}"
        yield from _excerpt(other.at, lines, page, "frame")
    yield from _wrapped(finding.fix, "fix: ", page)


def _excerpt(at: Span, lines: LinesOf, page: Page, style: str) -> Iterator[str]:
    if not is_whole_file(at):
        yield from excerpt(lines(at.file), at, width=page.width, colour=page.colour, style=style)


def _wrapped(text: str, label: str, page: Page) -> Iterator[str]:
    """Yield a text wrapped to the page. Its own line breaks stay; lines that begin with a space are left as they are."""
    first = _INDENT + paint(label, "fix", colour=page.colour)
    other = _INDENT + " " * len(label)
    room = max(page.width - len(other), 30)
    lead = first
    for paragraph in text.splitlines() if text else ():
        clean = printable(paragraph)
        as_it_is = clean.startswith((" ", "\t")) or not clean
        for line in [clean] if as_it_is else textwrap.wrap(clean, room, break_long_words=False, break_on_hyphens=False):
            yield (lead + line).rstrip()
            lead = other
