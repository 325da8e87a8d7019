"""`gpuplan upgrade`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from gpuplan import pipeline, versions
from gpuplan.catalog.releases import newest
from gpuplan.cli.options import cluster_option, colour, fleet_option, log, say, today
from gpuplan.cli.outcome import report_findings, selected
from gpuplan.model.fleet import Fleet
from gpuplan.moving.upgrade import upgrade
from gpuplan.moving.upgrade_target import Target
from gpuplan.report import console
from gpuplan.report import upgrade as report
from gpuplan.report.upgrade_data import data
from gpuplan.suggest import meant
from gpuplan.versions import Version


@click.command("upgrade")
@fleet_option
@cluster_option
@click.option("--to", "release", metavar="RELEASE", help="A release set; the newest where nothing else is asked for.")
@click.option(
    "--component", "components", multiple=True, metavar="NAME=VERSION", help="A single component; may be repeated."
)
@click.option("--kubernetes", metavar="VERSION", help="A version of Kubernetes, minor by minor.")
@click.option(
    "--output-format",
    "output_format",
    type=click.Choice(("text", "markdown", "json")),
    default="text",
    show_default=True,
    help="For a terminal, as a runbook, or for programs.",
)
def command(
    fleet_dir: Path,
    clusters: tuple[str, ...],
    release: str | None,
    components: tuple[str, ...],
    kubernetes: str | None,
    output_format: str,
) -> None:
    """Say how clusters get to other versions: in which steps, what restarts, what is known to go wrong, and the way back.

    Nothing is changed. Exit code 1 where an upgrade is refused: a jump is too far, or a step would leave something that does
    not work.
    """
    checked = pipeline.check(fleet_dir, today())
    if checked.fleet is None:
        report_findings(checked.findings, "full", stream=sys.stderr)
        raise SystemExit(1)
    fleet = checked.fleet
    target = _target(fleet, release, components, kubernetes)
    made = [upgrade(fleet, cluster, target) for cluster in selected(fleet, clusters)]
    if output_format == "json":
        say(json.dumps(data(fleet, made), indent=2))
    elif output_format == "markdown":
        say(report.runbook(fleet, made), nl=False)
    else:
        say(console.drawn(report.overview(fleet, made), colour=colour(sys.stdout)), nl=False)
    if not checked.ok:
        log("The fleet has errors already, which no step counts; see `gpuplan check`.")
    if not checked.ok or any(one.refused for one in made):
        raise SystemExit(1)


def _target(fleet: Fleet, release: str | None, components: Sequence[str], kubernetes: str | None) -> Target:
    """Return what is asked for. Raises UsageError for a name or a version that nobody knows."""
    known = fleet.catalog.releases
    if release is not None and release not in known:
        hint = meant(release, known, f"There are {', '.join(known)}.")
        raise click.UsageError(f"No release set is called {release!r}. {hint}")
    asked = components or kubernetes is not None
    chosen = known[release] if release else None if asked else newest(known)
    wanted = dict(_component(fleet, text) for text in components)
    return Target(
        release=chosen,
        components=wanted,
        kubernetes=_version(kubernetes, "--kubernetes") if kubernetes is not None else None,
    )


def _component(fleet: Fleet, text: str) -> tuple[str, Version]:
    name, _, version = text.partition("=")
    known = sorted({one for cluster in fleet.clusters for one in cluster.components})
    if name not in known:
        hint = meant(name, known, f"There are {', '.join(known)}.")
        raise click.UsageError(f"No component is called {name!r}. {hint}")
    return name, _version(version, f"--component {name}")


def _version(text: str, option: str) -> Version:
    version = versions.parse(text)
    if version is None:
        raise click.UsageError(f"{option}: {text!r} is no version such as v0.19.2 or 1.36.")
    return version
