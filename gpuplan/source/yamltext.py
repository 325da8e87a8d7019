"""Text to documents: the only reader of YAML in gpuplan.

PyYAML's C parser gives the syntax; what the text means is ours (`scalars`, `compose`): YAML 1.2, no merge keys, no
tags of one's own, unique string keys. Nothing here raises for what a user wrote.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from yaml import CSafeLoader, MarkedYAMLError
from yaml.reader import ReaderError

from gpuplan.diagnostics import Diagnostic, Diagnostics, Span, ordered
from gpuplan.source import findings
from gpuplan.source.compose import Composer, TooDeepError
from gpuplan.source.document import Document, Mapping, Node, Scalar, Sequence, split_lines
from gpuplan.source.syntax import forbidden_characters, syntax_finding

_DOCUMENT_START: Final = re.compile(r"---(?:[ \t]|$)")
_MAX_RESTARTS: Final = 20
"""After so many broken documents in one file the rest is left unread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """What one file gave: the documents that could be read, in order, and what was wrong."""

    documents: tuple[Document, ...]
    findings: Diagnostics


def parse_text(file: str, text: str) -> Parsed:
    r"""Parse the text of one file; `file` is its name in every span.

    A document with a syntax error is left out and reading goes on at the next `---`.

    >>> parsed = parse_text("fleet/a.yaml", "a: 1\na: 2\n")
    >>> [str(f.at) + " " + f.rule for f in parsed.findings]
    ['fleet/a.yaml:2:1 yaml/duplicate-key']
    """
    text = text.removeprefix("\ufeff")
    unseen = forbidden_characters(file, text)
    if unseen:
        return Parsed(documents=(), findings=unseen)
    composer = Composer(file)
    try:
        with collector_paused():
            roots, broken = compose(composer, text)
    except (ReaderError, UnicodeEncodeError):
        return Parsed(documents=(), findings=forbidden_characters(file, text, parser_complains=True))
    documents, wrong = _documents(file, text, roots)
    if not (documents or broken or wrong):
        wrong.append(findings.EMPTY_FILE.found("the file declares nothing", at=Span(file, 1, 1, 1, 1)))
    return Parsed(documents=documents, findings=ordered([*composer.found, *broken, *wrong]))


def compose(composer: Composer, text: str) -> tuple[list[Node], list[Diagnostic]]:
    """Return the top nodes of the sound documents, and a finding for each broken one."""
    roots: list[Node] = []
    broken: list[Diagnostic] = []
    lines: tuple[str, ...] = ()
    start = 0
    while len(broken) < _MAX_RESTARTS:
        rest = "\n" * start + "\n".join(lines[start:]) if start else text
        try:
            roots.extend(composer.documents(CSafeLoader(rest).get_event))
            break
        except (TooDeepError, MarkedYAMLError) as error:
            lines = lines or split_lines(text)
            finding, noticed = syntax_finding(composer.file, lines, error, composer.open_bracket)
            broken.append(finding)
            start = _next_document(lines, max(noticed, start + 1))
            if not start:
                break
    return roots, broken


def _next_document(lines: tuple[str, ...], first: int) -> int:
    """Return the index of the next line with `---`, or 0."""
    return next((n for n in range(first, len(lines)) if _DOCUMENT_START.match(lines[n])), 0)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Hold the cycle collector off: the tree has no cycles, and looking for them takes two thirds of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _documents(file: str, text: str, roots: list[Node]) -> tuple[tuple[Document, ...], list[Diagnostic]]:
    """Turn top nodes into documents; empty ones (`---` at the end of a file) are passed over."""
    documents, wrong = [], []
    for root in roots:
        if isinstance(root, Mapping):
            documents.append(Document(file, root, text))
        elif not (isinstance(root, Scalar) and not root.text and not root.style):
            what = "a list" if isinstance(root, Sequence) else "a single value"
            wrong.append(findings.NOT_A_MAPPING.found(f"the document is {what}, not a mapping", at=root.span))
    return tuple(documents), wrong
