"""`gpuplan import`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gpuplan.cli.assuming import assume_option, facts
from gpuplan.cli.options import dns_name, fleet_option, log, say, today
from gpuplan.cli.outcome import report_findings
from gpuplan.cli.server import NOT_REACHED
from gpuplan.cli.writing import write_new
from gpuplan.cluster.kube import Fault, connect
from gpuplan.cluster.snapshot import snapshot
from gpuplan.diagnostics import Diagnostics, Severity, has_errors, ordered
from gpuplan.importer import IMPORTED_FILE, Imported, imported
from gpuplan.importer.reading import Source, from_cluster, from_files
from gpuplan.inventory.assumed import Assumed
from gpuplan.report.imports import as_json, as_text


@click.command("import")
@click.argument("paths", nargs=-1, metavar="[PATH...]", type=click.Path(path_type=Path, exists=True, allow_dash=True))
@click.option("--name", default="acme", show_default=True, callback=dns_name, help="Name of the fleet.")
@click.option("--cluster", default="prod", show_default=True, callback=dns_name, help="Name of the cluster.")
@fleet_option
@assume_option
@click.option(
    "--kubeconfig",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Read a cluster that runs instead of files; rights to list are enough, and Secrets are never asked for.",
)
@click.option("--context", default="", metavar="NAME", help="Context of the kubeconfig; its current one by default.")
@click.option("--dry-run", is_flag=True, help="Write no file: the spec goes to stdout, the account to stderr.")
@click.option(
    "--output-format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Form of the account.",
)
def command(  # noqa: PLR0913 - an option each
    *,
    paths: tuple[Path, ...],
    name: str,
    cluster: str,
    fleet_dir: Path,
    assumptions: tuple[str, ...],
    kubeconfig: Path | None,
    context: str,
    output_format: str,
    dry_run: bool,
) -> None:
    """Make a fleet spec of manifests that are there, and give account of every object.

    Exit code 1 if something is wrong with the manifests or with the spec that came of them.
    """
    path = fleet_dir / IMPORTED_FILE
    _refuse(paths, kubeconfig, context, None if dry_run else path)
    known = facts(assumptions)
    source = from_files(paths, known, cluster) if kubeconfig is None else _live(kubeconfig, context, known, cluster)
    _refuse_nothing(source)
    made = imported(source.inventories, name, today(), str(path))
    found = ordered((*source.findings, *made.findings))
    _report(made, source, found, output_format, dry_run=dry_run)
    if dry_run:
        say(made.text, nl=False)
    else:
        write_new(path, made.text)
        log(f"Wrote {path}. Read its comments, name the repository at `delivery.argocd.repoURL`, then `gpuplan check`.")
    raise SystemExit(1 if has_errors(found) else 0)


def _refuse(paths: tuple[Path, ...], kubeconfig: Path | None, context: str, written: Path | None) -> None:
    """Raise UsageError for words that do not go together, and before any work where its result could not be written."""
    if bool(paths) == bool(kubeconfig):
        raise click.UsageError("Give files and folders, or --kubeconfig FILE.")
    if context and kubeconfig is None:
        raise click.UsageError("--context is one of a kubeconfig: give --kubeconfig FILE, too.")
    if written is not None and written.exists():
        raise click.UsageError(
            f"{written} is there already, and nothing is overwritten: take it away, or look at the result with --dry-run."
        )


def _refuse_nothing(source: Source) -> None:
    """End with exit code 1 where nothing was read: a spec of nothing would say that there is nothing."""
    if any(inventory.objects or inventory.configs for inventory in source.inventories.values()):
        return
    if source.findings:
        report_findings(ordered(source.findings), "full", stream=sys.stderr)
    for note in source.notes:
        log(note)
    log("Nothing to import: no object and no configuration that gpuplan knows was read. Nothing was written.")
    raise SystemExit(1)


def _live(kubeconfig: Path, context: str, known: Assumed, cluster: str) -> Source:
    """Take a snapshot of a cluster, or end with the exit code for a server that gave no answer."""
    kube = connect("gpuplan-import", kubeconfig, context)
    taken = kube if isinstance(kube, Fault) else snapshot(kube)
    if isinstance(taken, Fault):
        log(f"{taken.summary}.")
        raise SystemExit(NOT_REACHED)
    return from_cluster(taken, known, cluster)


def _report(made: Imported, source: Source, found: Diagnostics, output_format: str, *, dry_run: bool) -> None:
    account = as_json(made.account) if output_format == "json" else as_text(made.account)
    click.echo(account, nl=False, err=dry_run)
    for note in source.notes:
        log(note)
    shown = tuple(one for one in found if one.severity is not Severity.INFO)
    if shown:
        report_findings(shown, "full", stream=sys.stderr)
