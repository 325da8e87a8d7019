"""What commands do with findings: write them, and decide nothing but the words."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import TextIO

import click

from gpuplan.cli.options import colour
from gpuplan.diagnostics import Diagnostics
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.report.findings import findings_text
from gpuplan.report.human import Page
from gpuplan.rulebook import RuleDoc
from gpuplan.source.folder import FileLines
from gpuplan.suggest import nearest

QUIET_WITHOUT_FINDINGS = ("full", "concise", "github")
"""Formats for people and logs: where nothing was found and the command has another result, they say nothing."""


def report_findings(
    found: Diagnostics,
    output_format: str,
    *,
    stream: TextIO | None = None,
    quiet_if_none: bool = False,
) -> None:
    """Write the findings to a stream, stdout by default."""
    if quiet_if_none and not found and output_format in QUIET_WITHOUT_FINDINGS:
        return
    out = stream or sys.stdout
    page = Page(width=shutil.get_terminal_size((120, 24)).columns, colour=colour(out))
    docs = rule_docs() if output_format == "sarif" else {}
    click.echo(
        findings_text(found, output_format, lines=FileLines(), docs=docs, page=page),
        file=out,
        nl=False,
        color=page.colour,
    )


def rule_docs() -> Mapping[str, RuleDoc]:
    """Return the rulebook; imported here since few runs need every rule's words."""
    from gpuplan.report.book import BOOK  # noqa: PLC0415 - start-up: only SARIF and `rule` need it

    return BOOK


def selected(fleet: Fleet, names: Sequence[str]) -> tuple[Cluster, ...]:
    """Return the clusters that `--cluster` names, or all. An unknown name is wrong usage."""
    known = {cluster.name: cluster for cluster in fleet.clusters}
    for name in names:
        if name not in known:
            guess = nearest(name, list(known))
            hint = f" Did you mean {guess!r}?" if guess else f" There is {', '.join(known)}."
            raise click.UsageError(f"No cluster is called {name!r}.{hint}")
    return tuple(cluster for cluster in fleet.clusters if not names or cluster.name in names)
