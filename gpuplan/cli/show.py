"""`gpuplan show`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from gpuplan import pipeline
from gpuplan.cli.options import cluster_option, colour, fleet_option, json_option, log, say, today
from gpuplan.cli.outcome import report_findings, selected
from gpuplan.report import console, show


@click.command("show")
@fleet_option
@cluster_option
@json_option
@click.option("--origin", "origins", is_flag=True, help="Show the line of the spec behind each line.")
def command(fleet_dir: Path, clusters: tuple[str, ...], output_format: str, *, origins: bool) -> None:
    """Show the resolved fleet: pools, what they offer, who owns how much and how much each may use.

    A fleet with errors is shown as far as it can be, and the exit code is then 1.
    """
    checked = pipeline.check(fleet_dir, today())
    if checked.fleet is None:
        report_findings(checked.findings, "full", stream=sys.stderr)
        raise SystemExit(1)
    chosen = selected(checked.fleet, clusters)
    if output_format == "json":
        say(json.dumps(show.data(checked.fleet, chosen), indent=2))
    else:
        parts = show.overview(checked.fleet, chosen, origins=origins)
        say(console.drawn(parts, colour=colour(sys.stdout)), nl=False)
    if not checked.ok:
        log("The fleet has errors, so this may not be what is meant; see `gpuplan check`.")
        raise SystemExit(1)
