"""The page of one finding, as `gpuplan rule` prints it and as the docs hold it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from gpuplan.report.book import BOOK, PAGES
from gpuplan.report.templating import filled
from gpuplan.rulebook import RuleDoc

FORMAT_VERSION = "1.0"


def page(doc: RuleDoc) -> str:
    """Return the page of a finding as Markdown."""
    return filled("rule.md.j2", doc=doc, prose=_prose(doc.id))


def _prose(rule: str) -> str:
    """Return a rule's docstring without its first line, which repeats the summary."""
    _, _, rest = inspect.cleandoc(PAGES.get(rule, "")).partition("\n")
    return rest.strip()


def overview(book: Mapping[str, RuleDoc] = BOOK) -> str:
    """Return the list of all findings as Markdown, by area."""
    areas: dict[str, list[RuleDoc]] = {}
    for doc in book.values():
        areas.setdefault(doc.id.split("/")[0], []).append(doc)
    return filled("rules.md.j2", areas=areas, count=len(book))


def data(docs: list[RuleDoc]) -> dict[str, Any]:
    """Return findings for programs."""
    return {
        "format_version": FORMAT_VERSION,
        "rules": [
            {
                "id": doc.id,
                "severity": doc.severity.value,
                "summary": doc.summary,
                "why": doc.why,
                "fix": doc.fix,
                "bad": doc.bad,
                "good": doc.good,
                "prose": _prose(doc.id),
            }
            for doc in docs
        ],
    }
