"""What commands do with findings: write them, and decide nothing but the words."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import TextIO

import click

from gpuplan.cli.options import colour, log
from gpuplan.diagnostics import Diagnostics, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.report.findings import findings_text
from gpuplan.report.human import Page
from gpuplan.rulebook import RuleDoc
from gpuplan.source.folder import FileLines
from gpuplan.suggest import meant

FOR_PEOPLE = ("full", "concise")
QUIET_WITHOUT_FINDINGS = (*FOR_PEOPLE, "github")
"""Formats for people and logs: where nothing was found and the command has another result, they say nothing."""

LISTED = 8
"""Names in a message; a fleet can have a hundred clusters."""


def report_findings(found: Diagnostics, output_format: str, *, stream: TextIO | None = None) -> None:
    """Write the findings to a stream, stdout by default."""
    out = stream or sys.stdout
    page = Page(width=shutil.get_terminal_size((120, 24)).columns, colour=colour(out))
    docs = rule_docs() if output_format == "sarif" else {}
    text = findings_text(found, output_format, lines=FileLines(), docs=docs, page=page)
    click.echo(text, file=out, nl=False, color=True)


def report_beside_result(found: Diagnostics, output_format: str) -> None:
    """Write the findings of a command that has another result.

    A person sees errors and warnings, and of notes how many there are: they would say the same at every run. Programs
    get all of them.
    """
    shown = found
    if output_format in FOR_PEOPLE:
        shown = tuple(finding for finding in found if finding.severity is not Severity.INFO)
    if shown or output_format not in QUIET_WITHOUT_FINDINGS:
        report_findings(shown, output_format)
    hidden = len(found) - len(shown)
    if hidden:
        log(f"Not shown: {hidden} {'note' if hidden == 1 else 'notes'}; see `gpuplan check`.")


def errors_of(found: Diagnostics) -> Diagnostics:
    """Return the findings that stop a render."""
    return tuple(finding for finding in found if finding.severity is Severity.ERROR)


def rule_docs() -> Mapping[str, RuleDoc]:
    """Return the rulebook; imported here since few runs need every rule's words."""
    from gpuplan.report.book import BOOK  # noqa: PLC0415 - start-up: only SARIF and `rule` need it

    return BOOK


def selected(fleet: Fleet, names: Sequence[str]) -> tuple[Cluster, ...]:
    """Return the clusters that `--cluster` names, or all. An unknown name is wrong usage."""
    refuse_unknown_clusters(names, [cluster.name for cluster in fleet.clusters])
    return tuple(cluster for cluster in fleet.clusters if not names or cluster.name in names)


def refuse_unknown_clusters(names: Sequence[str], known: Sequence[str]) -> None:
    """Raise UsageError for a name that is not that of a cluster."""
    for name in names:
        if name not in known:
            hint = meant(name, known, f"The fleet has {_listed(known)}.")
            raise click.UsageError(f"No cluster is called {name!r}. {hint}")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more
