"""`gpuplan argocd-cmp`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from gpuplan import pipeline
from gpuplan.cli import completing
from gpuplan.cli.options import fleet_option, log, say, today
from gpuplan.cli.outcome import report_findings, selected
from gpuplan.diagnostics import Diagnostics, Severity, has_errors
from gpuplan.manifests.set import Manifest
from gpuplan.manifests.write import object_text
from gpuplan.pipeline.one import render_cluster

PARAMETERS = "ARGOCD_APP_PARAMETERS"
"""The plugin parameters of an Application, as Argo CD gives them to its plugins: a JSON list of name and value."""
VARIABLE = "ARGOCD_ENV_CLUSTER"
"""The variable CLUSTER of an Application's plugin, as Argo CD hands it on."""


@click.command("argocd-cmp")
@fleet_option
@click.option(
    "--cluster",
    "name",
    metavar="NAME",
    shell_complete=completing.clusters,
    help=f"The cluster; by default the parameter `cluster` in {PARAMETERS}, or else {VARIABLE}.",
)
def command(fleet_dir: Path, name: str | None) -> None:
    """Give Argo CD the objects of one cluster, as its config management plugin.

    stdout holds the objects and nothing else, stderr the findings. It fails where the spec has errors or nothing comes out:
    to Argo CD, no output means that everything is to be deleted. It asks nobody over the network.
    """
    name = name or _asked_for(os.environ)
    checked = pipeline.check(fleet_dir, today())
    _report(checked.findings)
    if checked.fleet is None or not checked.ok:
        raise SystemExit(1)
    (cluster,) = selected(checked.fleet, [name])
    objects, faults = render_cluster(checked.fleet, cluster)
    _report(faults)
    text = stream(objects)
    if not text:
        log(f"Cluster {name} has no objects, and to Argo CD that would mean to delete all that it has.")
    if has_errors(faults) or not text:
        raise SystemExit(1)
    say(text, nl=False)
    log(f"{len(objects)} objects for cluster {name}.")


def _asked_for(environment: Mapping[str, str]) -> str:
    """Return the cluster that the Application asks for. None, or parameters that are none, are wrong usage."""
    name = _parameter(environment.get(PARAMETERS, "")) or environment.get(VARIABLE, "")
    if not name:
        raise click.UsageError(
            "Which cluster? Give the Application's plugin the parameter `cluster`, or the variable CLUSTER under `env`."
        )
    return name


def _parameter(text: str) -> str:
    try:
        parameters: Any = json.loads(text or "[]")
    except ValueError:
        raise click.UsageError(f"{PARAMETERS} is not JSON: {text!r}") from None
    named = parameters if isinstance(parameters, list) else []
    values = [one.get("string") for one in named if isinstance(one, dict) and one.get("name") == "cluster"]
    return next((value for value in values if isinstance(value, str)), "")


def _report(found: Diagnostics) -> None:
    shown = tuple(finding for finding in found if finding.severity is not Severity.INFO)
    if shown:
        report_findings(shown, "full", stream=sys.stderr)


def stream(objects: Iterable[Manifest]) -> str:
    """Return objects as one stream of YAML documents, empty where there are none."""
    return "".join(f"---\n{object_text(made.object)}" for made in objects)
