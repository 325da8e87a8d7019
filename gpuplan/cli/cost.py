"""`gpuplan cost`."""

from __future__ import annotations

import datetime
import sys
import zoneinfo
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from gpuplan.cli.options import colour, log, say
from gpuplan.cli.server import give_up, prometheus_options
from gpuplan.cluster.access import Access
from gpuplan.cluster.answers import Problem
from gpuplan.cost import period
from gpuplan.cost.asking import CLUSTER, COVERAGE, MEASURES, Reading
from gpuplan.cost.bill import bill
from gpuplan.cost.ledger import Ledger, ledger
from gpuplan.cost.period import Span
from gpuplan.cost.views import SHAPES, By
from gpuplan.report import console, cost
from gpuplan.report.machine import json_text
from gpuplan.report.progress import progress
from gpuplan.report.terminal import printable
from gpuplan.suggest import meant

if TYPE_CHECKING:
    from gpuplan.cluster.prometheus import Prometheus

LISTED = 8
"""Clusters that a message names."""


@click.command("cost")
@prometheus_options
@click.option("--from", "start", required=True, metavar="TIME", help="First day (2026-11-01) or minute of the bill.")
@click.option("--to", "end", required=True, metavar="TIME", help="The day or minute after the last.")
@click.option("--time-zone", "zone", default="UTC", show_default=True, metavar="NAME", help="Whose midnights count.")
@click.option("--cluster", "clusters", multiple=True, metavar="NAME", help="Only this cluster; may be repeated.")
@click.option("--by", type=click.Choice(tuple(SHAPES)), default="team", show_default=True, help="Whose lines to write.")
@click.option(
    "--output-format", type=click.Choice(cost.FORMATS), default="table", show_default=True, help="For whom to write."
)
def command(  # noqa: PLR0913 - an option each
    access: Access, start: str, end: str, zone: str, clusters: tuple[str, ...], *, by: By, output_format: str
) -> None:
    """Write what teams, pools and cost centres held, and what it is worth, from what Prometheus recorded.

    All of November is `--from 2026-11-01 --to 2026-12-01`. It needs no fleet: prices, teams and cost centres are in the
    series that the rules of `rendered/` record.

    Exit codes: 0 fine, 1 there is nothing to bill, or the bill says that it is wrong or incomplete, 2 wrong usage, 3 the
    server could not be reached or gave no answer.
    """
    from gpuplan.cluster.prometheus import Prometheus  # noqa: PLC0415 - start-up: --help needs no HTTP

    span = _span(start, end, zone)
    with Prometheus(access) as server:
        _known(server, span, clusters)
        read = _read(server, span, clusters)
    if isinstance(read, Problem):
        give_up(read)
    made = bill(read.ledger)
    if not made.amounts:
        log(f"gpuplan: {server.url} has no series of gpuplan's rules from {span.start} to {span.end}.")
        log("  Are the rules of rendered/ loaded there, does it keep data for so long, and is it the right tenant?")
        raise SystemExit(1)
    report = cost.Report(bill=made, span=span, time_zone=zone, by=by, server=server.url, warnings=read.warnings)
    _write(report, output_format)
    if report.cautions:
        raise SystemExit(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """What was read, and what the server warned of."""

    ledger: Ledger
    warnings: tuple[str, ...]


def _span(start: str, end: str, zone: str) -> Span:
    """Return the stretch of time that is meant. Raises UsageError."""
    place = period.time_zone(zone)
    if isinstance(place, str):
        raise click.UsageError(place)
    first, last = _moment("--from", start, place), _moment("--to", end, place)
    span = period.span(first, last, datetime.datetime.now(tz=datetime.UTC))
    if isinstance(span, str):
        raise click.UsageError(span)
    return span


def _moment(option: str, written: str, zone: zoneinfo.ZoneInfo) -> datetime.datetime:
    made = period.moment(written, zone)
    if isinstance(made, str):
        raise click.UsageError(f"{option}: {made}")
    return made


def _known(server: Prometheus, span: Span, clusters: Sequence[str]) -> None:
    """Refuse clusters that the server has no series of. Raises UsageError."""
    if not clusters:
        return
    found = server.label_values(CLUSTER, str(COVERAGE.series), span.start, span.end)
    if isinstance(found, Problem):
        give_up(found)
    if not found:
        raise click.UsageError(
            f"The series at {server.url} have no label `{CLUSTER}` in that time, so --cluster can choose none. A cluster's"
            " own Prometheus has it only where it is set as an external label and read through Thanos, Mimir or the like."
        )
    for name in clusters:
        if name not in found:
            hint = meant(name, found, f"There are {', '.join(map(printable, found[:LISTED]))}.")
            raise click.UsageError(f"No series are of a cluster {name!r}. {hint}")


def _read(server: Prometheus, span: Span, clusters: Sequence[str]) -> _Read | Problem:
    """Ask for each measure of each day."""
    days = period.days(span)
    read = Ledger()
    warnings: dict[str, None] = {}
    with progress(sys.stderr, len(days) * len(MEASURES)) as tell:
        for number, day in enumerate(days):
            readings: list[Reading] = []
            for done, measure in enumerate(MEASURES, start=number * len(MEASURES)):
                tell(done, f"reading {day.start:%Y-%m-%d}")
                found = server.instant(measure.query(day, clusters), at=day.last)
                if isinstance(found, Problem):
                    return found
                warnings |= dict.fromkeys(found.warnings or (("it left something out",) if found.partial else ()))
                readings += (Reading(measure=measure, labels=one.labels, total=one.value) for one in found.samples)
            read = read.plus(ledger(day, readings))
    return _Read(ledger=read, warnings=tuple(warnings))


def _write(report: cost.Report, output_format: str) -> None:
    if output_format == "table":
        say(console.drawn(cost.overview(report), colour=colour(sys.stdout)), nl=False)
    elif output_format == "markdown":
        say(cost.markdown(report), nl=False)
    elif output_format == "csv":
        say(cost.csv_text(report), nl=False)
        for line in report.cautions:  # the file has no place for them
            log(line)
    else:
        say(json_text(cost.data(report)), nl=False)
