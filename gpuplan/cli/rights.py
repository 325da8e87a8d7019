"""`gpuplan rights`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gpuplan import pipeline
from gpuplan.cli.options import cluster_option, fleet_option, say, today
from gpuplan.cli.outcome import errors_of, report_findings, selected
from gpuplan.report import rights


@click.command("rights")
@click.argument("command_name", metavar="COMMAND", type=click.Choice(sorted(rights.NEEDS)))
@fleet_option
@cluster_option
def command(command_name: str, fleet_dir: Path, clusters: tuple[str, ...]) -> None:
    """Print the ClusterRole with what a command needs on a cluster, and nothing else.

    \b
    gpuplan rights verify --cluster prod-eu | kubectl apply -f -

    Clusters that need different rights have a role each, behind a comment.
    """
    checked = pipeline.check(fleet_dir, today())
    if checked.fleet is None:
        report_findings(errors_of(checked.findings), "full", stream=sys.stderr)
        raise SystemExit(1)
    roles = {one.name: rights.role(command_name, checked.fleet, one) for one in selected(checked.fleet, clusters)}
    if len(set(roles.values())) == 1:
        roles = {"": next(iter(roles.values()))}
    say("---\n".join(f"# {name}\n{text}" if name else text for name, text in roles.items()), nl=False)
