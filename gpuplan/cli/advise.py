"""`gpuplan advise`."""

from __future__ import annotations

import datetime
import sys
from dataclasses import replace
from pathlib import Path

import click

from gpuplan import pipeline
from gpuplan.advise import advise
from gpuplan.advise.record import Record
from gpuplan.cli.options import cluster_option, colour, fleet_option, log, say, today
from gpuplan.cli.outcome import report_findings, selected
from gpuplan.model.answers import NO_ANSWERS, Answers
from gpuplan.report import advice, advice_data, console
from gpuplan.report.machine import json_text
from gpuplan.source.folder import shown_path
from gpuplan.spec.answers import read_answers

FORMATS = ("text", "markdown", "json")


@click.command("advise")
@fleet_option
@cluster_option
@click.option(
    "--answers",
    "answers_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="What the team says of itself; every key in it may be left out.",
)
@click.option("--date", "date", metavar="YYYY-MM-DD", help="The day of the record; today by default.")
@click.option("--questions", is_flag=True, help="Print an answers file to fill in, and nothing else.")
@click.option(
    "--output-format", type=click.Choice(FORMATS), default="text", show_default=True, help="For whom to write."
)
def command(
    fleet_dir: Path,
    clusters: tuple[str, ...],
    answers_file: Path | None,
    date: str | None,
    *,
    questions: bool,
    output_format: str,
) -> None:
    """Advise who runs the GPU agents of each pool: scripts and gpuplan's own, or an operator; and how a pilot proves it.

    `--output-format markdown` writes a decision record to be signed: facts with their places, points with their reasons,
    what would change them, what people cost against idle cards, and a pilot over one upgrade cycle.

    Exit codes: 0 fine, 1 the fleet or the answers have errors, 2 wrong usage.
    """
    if questions:
        say(advice.questions(), nl=False)
        return
    day = _day(date)
    checked = pipeline.check(fleet_dir, day)
    if checked.fleet is None:
        report_findings(checked.findings, "full", stream=sys.stderr)
        raise SystemExit(1)
    chosen = {cluster.name for cluster in selected(checked.fleet, clusters)}
    answers = _answers(answers_file)
    record = advise(checked.fleet, answers, day, shown_path(answers_file) if answers_file else "")
    _write(_of(record, chosen), output_format)
    if not checked.ok:
        log("The fleet has errors, so this may not be what is meant; see `gpuplan check`.")
        raise SystemExit(1)


def _day(text: str | None) -> datetime.date:
    if text is None:
        return today()
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise click.UsageError(f"--date is {text!r}, which is no date such as 2026-11-30.") from None


def _answers(file: Path | None) -> Answers:
    """Read the answers; what is wrong with them is reported, and ends the program where it is an error."""
    if file is None:
        return NO_ANSWERS
    answers, found = read_answers(file)
    if found:
        report_findings(found, "full", stream=sys.stderr)
    if answers is None:
        raise SystemExit(1)
    return answers


def _of(record: Record, clusters: set[str]) -> Record:
    """Return the part of a record that is about some clusters; numbers of nodes and hours stay those of the whole fleet."""
    pilot = record.pilot
    return replace(
        record,
        groups=tuple(one for one in record.groups if one.cluster in clusters),
        fixed=tuple(one for one in record.fixed if one.cluster in clusters),
        order=tuple(one for one in record.order if one.cluster in clusters),
        pilot=pilot if pilot and pilot.cluster in clusters else None,
    )


def _write(record: Record, output_format: str) -> None:
    if output_format == "markdown":
        say(advice.markdown(record), nl=False)
    elif output_format == "json":
        say(json_text(advice_data.data(record)), nl=False)
    else:
        say(console.drawn(advice.overview(record), colour=colour(sys.stdout)), nl=False)
