"""`gpuplan show`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from gpuplan import pipeline
from gpuplan.cli.options import cluster_option, colour, fleet_option, json_option, today
from gpuplan.cli.outcome import report_findings, selected
from gpuplan.report import console, show


@click.command("show")
@fleet_option
@cluster_option
@json_option
@click.option("--origin", "origins", is_flag=True, help="Show the line of the spec behind each line.")
def command(fleet_dir: Path, clusters: tuple[str, ...], output_format: str, *, origins: bool) -> None:
    """Show the resolved fleet: pools, what they offer, who owns how much and how much each may use."""
    checked = pipeline.check(fleet_dir, today())
    if checked.fleet is None:
        report_findings(checked.findings, "full", stream=sys.stderr)
        raise SystemExit(1)
    chosen = selected(checked.fleet, clusters)
    if output_format == "json":
        click.echo(json.dumps(show.data(checked.fleet, chosen), indent=2))
        return
    parts = show.overview(checked.fleet, chosen, origins=origins)
    click.echo(console.drawn(parts, colour=colour(sys.stdout)), nl=False)
