"""`gpuplan verify`: what fails and what to do, what could not be seen, and a list of all checks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from gpuplan.report.console import table, title
from gpuplan.report.markdown import cell, code, inline
from gpuplan.report.templating import filled
from gpuplan.report.terminal import printable
from gpuplan.verify.verdicts import CheckDoc, Outcome, Report, Verdict, worst

FORMAT_VERSION: Final = "1.0"
FORMATS: Final = ("table", "markdown", "json", "junit")
SHOWN: Final = 12
"""Lines of evidence that a person is shown; programs get all."""
_STYLES: Final = {Outcome.FAIL: "bold red", Outcome.UNKNOWN: "bold yellow", Outcome.PASS: "green"}
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Docs = Mapping[str, CheckDoc]
"""The checks by id, in their order."""


def overview(report: Report, docs: Docs) -> Iterator[RenderableType]:
    """Yield what fails, what could not be seen, each check with its counts, and a last line."""
    yield title(printable(f"gpuplan verify  cluster {report.cluster}, Kubernetes {report.kubernetes or 'not known'}"))
    for verdict in report.of(Outcome.FAIL):
        yield from _shown(verdict, docs)
    yield from _blind(report, docs)
    yield Text("")
    yield table(("CHECK", "PASS", "FAIL", "UNKNOWN", "WHAT HOLDS"), _rows(report, docs), right=frozenset({1, 2, 3}))
    yield Text("")
    yield Text(summary(report), style=_STYLES[_of(report.verdicts)])


def summary(report: Report) -> str:
    """Return one line: how many verdicts of each outcome there are, and whether the view was whole."""
    counts = {outcome: len(report.of(outcome)) for outcome in Outcome}
    said = ", ".join(f"{count} {outcome.value}" for outcome, count in counts.items())
    partial = f" The view is partial: {'; '.join(map(printable, report.partial))}." if report.partial else ""
    unknown = " What is unknown was not proved." if counts[Outcome.UNKNOWN] else ""
    return f"{said}.{partial}{unknown}"


def _of(verdicts: Sequence[Verdict]) -> Outcome:
    return worst(verdict.outcome for verdict in verdicts)


def _shown(verdict: Verdict, docs: Docs) -> Iterator[RenderableType]:
    """Yield a verdict with its evidence, the reason why that matters, and what to do."""
    yield Text("")
    head = f"  {verdict.check}  {verdict.subject}: {verdict.summary}"
    yield Text.assemble((verdict.outcome.value.upper(), _STYLES[verdict.outcome]), (printable(head), "bold"))
    lines = [*map(printable, verdict.evidence[:SHOWN])]
    if len(verdict.evidence) > SHOWN:
        lines.append(f"… and {len(verdict.evidence) - SHOWN} more (--output-format json has all)")
    yield from (Padding(Text(line), (0, 0, 0, 6)) for line in lines)
    notes = (("why", docs[verdict.check].why), ("fix", verdict.fix), ("spec", str(verdict.at or "")))
    for name, said in notes:
        if said:
            yield Padding(Text.assemble((f"{name}: ", "dim"), printable(said)), (0, 0, 0, 6))


def _blind(report: Report, docs: Docs) -> Iterator[RenderableType]:
    """Yield what could not be seen, verdicts with the same reason together."""
    reasons: dict[tuple[str, ...], list[Verdict]] = {}
    for verdict in report.of(Outcome.UNKNOWN):
        reasons.setdefault(verdict.evidence, []).append(verdict)
    for evidence, alike in reasons.items():
        first = alike[0]
        if len(alike) == 1:
            yield from _shown(first, docs)
            continue
        checks = ", ".join(dict.fromkeys(verdict.check for verdict in alike))
        yield Text("")
        yield Text.assemble(("UNKNOWN", _STYLES[Outcome.UNKNOWN]), (printable(f"  {checks}: {first.summary}"), "bold"))
        yield from (Padding(Text(printable(line)), (0, 0, 0, 6)) for line in evidence[:SHOWN])


def _rows(report: Report, docs: Docs) -> Iterator[tuple[str, ...]]:
    for name, doc in docs.items():
        its = [verdict for verdict in report.verdicts if verdict.check == name]
        if its:
            yield (
                name,
                *(_count(its, outcome) for outcome in (Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN)),
                doc.title,
            )


def _count(verdicts: Sequence[Verdict], outcome: Outcome) -> str:
    return str(sum(verdict.outcome is outcome for verdict in verdicts) or "-")


def data(report: Report, docs: Docs) -> dict[str, Any]:
    """Return the report for programs."""
    return {
        "format_version": FORMAT_VERSION,
        "cluster": report.cluster,
        "kubernetes": report.kubernetes or None,
        "outcome": _of(report.verdicts).value,
        "summary": {outcome.value: len(report.of(outcome)) for outcome in Outcome},
        "partial": list(report.partial),
        "checks": [
            {"id": doc.id, "title": doc.title, "why": doc.why, "reads": list(doc.reads)} for doc in docs.values()
        ],
        "verdicts": [_data(verdict) for verdict in report.verdicts],
    }


def _data(verdict: Verdict) -> dict[str, Any]:
    at = verdict.at
    return {
        "check": verdict.check,
        "subject": verdict.subject,
        "outcome": verdict.outcome.value,
        "summary": verdict.summary,
        "evidence": list(verdict.evidence),
        "fix": verdict.fix,
        "at": {"file": at.file, "line": at.line, "column": at.column} if at else None,
    }


def markdown(report: Report, docs: Docs) -> str:
    """Return the report as a page, for a wiki or an issue."""
    return filled(
        "verify.md.j2",
        cluster=code(report.cluster),
        kubernetes=inline(report.kubernetes or "not known"),
        summary=inline(summary(report)),
        found=[_page(verdict, docs) for outcome in (Outcome.FAIL, Outcome.UNKNOWN) for verdict in report.of(outcome)],
        rows=[tuple(map(cell, map(inline, row))) for row in _rows(report, docs)],
    )


def _page(verdict: Verdict, docs: Docs) -> dict[str, Any]:
    return {
        "heading": inline(f"{verdict.outcome.value.upper()} `{verdict.check}` {verdict.subject}: {verdict.summary}"),
        "evidence": [code(line) for line in verdict.evidence],
        "why": inline(docs[verdict.check].why),
        "fix": inline(verdict.fix),
        "at": code(str(verdict.at)) if verdict.at else "",
    }


def junit(report: Report, docs: Docs) -> str:
    """Return a test case for each verdict: a fail fails it, what is unknown is skipped."""
    fails, unknown = len(report.of(Outcome.FAIL)), len(report.of(Outcome.UNKNOWN))
    counts = f'tests="{len(report.verdicts)}" failures="{fails}" errors="0" skipped="{unknown}"'
    name = _attribute(f"gpuplan verify {report.cluster}")
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="gpuplan" {counts}>',
        f"<testsuite name={name} {counts}>",
        *(_case(verdict, docs) for verdict in report.verdicts),
        "</testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _case(verdict: Verdict, docs: Docs) -> str:
    start = f"<testcase classname={_attribute(verdict.check)} name={_attribute(verdict.subject)}"
    body = escape("\n".join(_clean(line) for line in (*verdict.evidence, docs[verdict.check].why, verdict.fix) if line))
    if verdict.outcome is Outcome.FAIL:
        return f"{start}><failure message={_attribute(verdict.summary)}>{body}</failure></testcase>"
    if verdict.outcome is Outcome.UNKNOWN:
        message = "; ".join((verdict.summary, *verdict.evidence))
        return f"{start}><skipped message={_attribute(message)}/></testcase>"
    return f"{start}/>"


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", printable(text))
