"""What a review of a change says: one comment, and the values that other jobs read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from gpuplan.diagnostics import Diagnostic, Diagnostics, Severity
from gpuplan.report.human import Page, count_line
from gpuplan.report.machine import json_text
from gpuplan.report.markdown import COMMENT_LIMIT, cell, code, cut, inline

FORMAT_VERSION: Final = "1.0"
COMMENT_FILE: Final = "comment.md"
REVIEW_FILE: Final = "review.json"
"""Names in the folder of a review's results, by which `gpuplan comment` finds what it needs."""
UNKNOWN: Final = "unknown"
"""The risk of a change that could not be planned."""
FINDINGS_SHOWN: Final = 10
STALE_SHOWN: Final = 10
APPROVALS_SHOWN: Final = 5
APPROVAL_CHARACTERS: Final = 60
NAME_SHOWN: Final = 100
"""Characters of a name or path: without errors, what stands above the plan fits into what the plan leaves free for it."""
TEXT_SHOWN: Final = 500
"""Characters of one finding's sentence or fix; a file can hold a key of any length."""
FOOT_CHARACTERS: Final = 500
"""Kept free for the line below the comment, which says of what job it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan as its own command wrote it: its JSON's `risk`, `no_changes` and approvals, and its Markdown."""

    risk: str
    no_changes: bool
    approvals: tuple[str, ...]
    """Who is asked: the owners that the spec names, else the role."""
    markdown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What the three steps gave."""

    fleet: str
    """The spec's folder as it was named: a repository may hold several."""
    out: str
    findings: Diagnostics
    stale: tuple[str, ...] | None
    """Files that differ, each with why; None where the render was not reached."""
    plan: Planned | None
    no_plan: str
    """Why there is none."""
    refused: bool
    """Whether its risk alone fails the review."""
    exit_code: int

    @property
    def risk(self) -> str:
        """none, low, disruptive, destructive, or unknown."""
        return self.plan.risk if self.plan else UNKNOWN

    @property
    def errors(self) -> Diagnostics:
        """The findings that stop a render."""
        return tuple(finding for finding in self.findings if finding.severity is Severity.ERROR)


def marker(fleet: str) -> str:
    """Return the hidden first line of a fleet's comment, by which it is found again.

    >>> marker("teams/a fleet")
    '<!-- gpuplan:review teams/a%20fleet -->'
    """
    return f"<!-- gpuplan:review {quote(fleet)} -->"


def outputs(review: Review) -> dict[str, str]:
    """Return the values that other jobs read, each on one line."""
    planned = review.plan
    return {
        "risk": review.risk,
        "no-changes": str(planned is not None and planned.no_changes).lower(),
        "approvals": json.dumps(planned.approvals if planned else []),
        "errors": str(len(review.errors)),
        "stale": "unknown" if review.stale is None else str(bool(review.stale)).lower(),
        "exit-code": str(review.exit_code),
    }


def as_json(review: Review) -> str:
    """Return the review for programs."""
    data: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "fleet": review.fleet,
        "risk": review.risk,
        "no_changes": bool(review.plan and review.plan.no_changes),
        "approvals": list(review.plan.approvals if review.plan else ()),
        "errors": len(review.errors),
        "stale": None if review.stale is None else list(review.stale),
        "no_plan": review.no_plan,
        "refused": review.refused,
        "exit_code": review.exit_code,
    }
    return json_text(data)


def as_markdown(review: Review) -> str:
    """Return the comment, marker first, of at most `COMMENT_LIMIT` characters less `FOOT_CHARACTERS`."""
    head = "\n".join(_head(review)) + "\n"
    if review.plan is None:
        return head
    room = COMMENT_LIMIT - FOOT_CHARACTERS - len(head) - 1
    notice = "_The rest does not fit into a comment; it is in the plan that the job keeps._"
    return f"{head}\n{cut(review.plan.markdown, room, notice)}"


def _head(review: Review) -> Iterator[str]:
    yield marker(review.fleet)
    yield f"### gpuplan: {code(_short(review.fleet, NAME_SHOWN))}"
    yield ""
    yield "| step | result |"
    yield "|---|---|"
    yield f"| check | {cell(_checked(review))} |"
    yield f"| render --check | {cell(_rendered(review))} |"
    yield f"| plan | {cell(_planned(review))} |"
    yield from _listed("Errors", [_finding(one) for one in review.errors], FINDINGS_SHOWN)
    yield from _listed("Stale files", [code(_short(one, NAME_SHOWN)) for one in review.stale or ()], STALE_SHOWN)


def _checked(review: Review) -> str:
    counted = count_line(review.findings, Page())
    return f"**failed**: {counted}" if review.errors else counted


def _rendered(review: Review) -> str:
    if review.stale is None:
        return "not reached"
    if not review.stale:
        return "fresh"
    count = len(review.stale)
    files = "1 file differs" if count == 1 else f"{count} files differ"
    # A render would not touch what somebody edited: then the errors say what to do.
    advice = "" if review.errors else f" Run `gpuplan render` and commit {code(_short(review.out, NAME_SHOWN))}."
    return f"**stale**: {files}.{advice}"


def _planned(review: Review) -> str:
    if review.plan is None:
        return f"**no plan**: {inline(review.no_plan)}"
    risk = "no changes" if review.plan.no_changes else f"risk **{review.plan.risk}**"
    risk += ", which fails this job" if review.refused else ""
    asks = review.plan.approvals
    asked = ", ".join(code(_short(name, APPROVAL_CHARACTERS)) for name in asks[:APPROVALS_SHOWN])
    more = f" and {len(asks) - APPROVALS_SHOWN} more" if len(asks) > APPROVALS_SHOWN else ""
    return f"{risk}, needs the approval of {asked}{more}" if asked else risk


def _finding(finding: Diagnostic) -> str:
    fix = f"<br>fix: {inline(_short(finding.fix))}" if finding.fix else ""
    return f"{code(_short(str(finding.at)))} {code(finding.rule)}: {inline(_short(finding.summary))}{fix}"


def _short(text: str, most: int = TEXT_SHOWN) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _listed(title: str, lines: list[str], shown: int) -> Iterator[str]:
    if not lines:
        return
    yield ""
    yield f"**{title}**"
    yield ""
    yield from (f"- {line}" for line in lines[:shown])
    if len(lines) > shown:
        yield f"- … and {len(lines) - shown} more"
