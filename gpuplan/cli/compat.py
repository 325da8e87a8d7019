"""`gpuplan compat`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from gpuplan import pipeline
from gpuplan.cli.options import cluster_option, colour, fleet_option, json_option, log, say, today
from gpuplan.cli.outcome import report_findings, selected
from gpuplan.report import compat, console


@click.command("compat")
@fleet_option
@cluster_option
@json_option
def command(fleet_dir: Path, clusters: tuple[str, ...], output_format: str) -> None:
    """Show what is known of the fleet's versions, cards and drivers going together, with sources and their dates.

    A fleet with errors is shown as far as it can be, and the exit code is then 1.
    """
    checked = pipeline.check(fleet_dir, today())
    if checked.fleet is None:
        report_findings(checked.findings, "full", stream=sys.stderr)
        raise SystemExit(1)
    made = compat.matrices(checked.fleet, selected(checked.fleet, clusters))
    if output_format == "json":
        say(json.dumps(compat.data(checked.fleet, made), indent=2))
    else:
        say(console.drawn(compat.overview(made), colour=colour(sys.stdout)), nl=False)
    if not checked.ok:
        log("The fleet has errors, so this may not be what is meant; see `gpuplan check`.")
        raise SystemExit(1)
