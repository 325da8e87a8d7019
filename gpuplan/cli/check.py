"""`gpuplan check`."""

from __future__ import annotations

from pathlib import Path

import click

from gpuplan import pipeline
from gpuplan.cli.options import findings_format_option, fleet_option, today
from gpuplan.cli.outcome import report_findings


@click.command("check")
@fleet_option
@findings_format_option
def command(fleet_dir: Path, output_format: str) -> None:
    """Check the fleet spec and say everything that is wrong.

    Exit code 0 if it may be rendered, 1 if there are errors.
    """
    checked = pipeline.check(fleet_dir, today())
    report_findings(checked.findings, output_format)
    raise SystemExit(0 if checked.ok else 1)
