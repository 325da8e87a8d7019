"""`gpuplan render`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from gpuplan import __version__, pipeline
from gpuplan.cli.options import cluster_option, findings_format_option, fleet_option, out_option, show_progress, today
from gpuplan.cli.outcome import report_findings, selected
from gpuplan.diagnostics import Diagnostics, has_errors, ordered
from gpuplan.output import OutputFile, Stale, WriteReport, check_tree, rendered_files, write_tree
from gpuplan.output.partial import only
from gpuplan.source.objects import read_object

SHOWN = 20
"""Paths listed one by one; the rest is a number."""


@click.command("render")
@fleet_option
@out_option
@cluster_option
@findings_format_option
@click.option("--check", "check_only", is_flag=True, help="Write nothing; exit 1 if the output is not fresh.")
@click.option("--allow-empty", is_flag=True, help="Accept a fleet that compiles to nothing.")
def command(
    fleet_dir: Path,
    out_dir: Path,
    clusters: tuple[str, ...],
    output_format: str,
    *,
    check_only: bool,
    allow_empty: bool,
) -> None:
    """Compile the fleet into rendered/, or with --check tell whether it is fresh.

    Errors in the spec stop it before anything is written; what is written is written as a whole or not at all.
    """
    checked = pipeline.check(fleet_dir, today())
    if checked.fleet is None or not checked.ok:
        report_findings(checked.findings, output_format)
        raise SystemExit(1)
    selected(checked.fleet, clusters)
    manifests, faults = pipeline.render(checked.fleet, show_progress)
    files = {file.path: file for file in rendered_files(manifests, str(fleet_dir))}
    transitions = pipeline.transitions(manifests, lambda path: _before(out_dir, files[path]))
    outputs, edited = only(out_dir, files.values(), clusters)
    found = ordered((*checked.findings, *faults, *transitions, *edited))
    if has_errors(found):
        report_findings(found, output_format)
        raise SystemExit(1)
    if check_only:
        _check(out_dir, outputs, found, output_format)
    else:
        _write(out_dir, outputs, found, output_format, allow_empty=allow_empty)


def _before(out_dir: Path, file: OutputFile) -> Mapping[str, object] | None:
    """Return the object that a file holds now, or None where it holds the same as it will."""
    path = out_dir / file.path
    try:
        changed = path.read_bytes() != file.content
    except OSError:
        return None
    return read_object(path) if changed else None


def _check(out_dir: Path, files: Iterable[OutputFile], found: Diagnostics, output_format: str) -> None:
    report_findings(found, output_format, quiet_if_none=True)
    stale = check_tree(out_dir, files, version=__version__)
    for line in _listed(stale):
        click.echo(line, err=True)
    if stale:
        click.echo(f"{out_dir} is stale: {len(stale)} files differ. Run `gpuplan render` and commit it.", err=True)
        raise SystemExit(1)
    click.echo(f"{out_dir} is fresh.", err=True)


def _listed(stale: tuple[Stale, ...]) -> Iterable[str]:
    yield from (f"  {file.staleness.value:8} {file.path}" for file in stale[:SHOWN])
    if len(stale) > SHOWN:
        yield f"  … and {len(stale) - SHOWN} more"


def _write(
    out_dir: Path,
    files: Iterable[OutputFile],
    found: Diagnostics,
    output_format: str,
    *,
    allow_empty: bool,
) -> None:
    report, problems = write_tree(out_dir, files, version=__version__, allow_empty=allow_empty)
    report_findings(ordered((*found, *problems)), output_format, quiet_if_none=True)
    if report is None:
        raise SystemExit(1)
    click.echo(_summary(out_dir, report), err=True)


def _summary(out_dir: Path, report: WriteReport) -> str:
    if report.guarantee is None:
        return f"{out_dir} is unchanged: {report.unchanged} files."
    counts = f"{len(report.written)} written, {len(report.removed)} removed, {report.unchanged} unchanged"
    return f"{out_dir}: {counts} ({report.guarantee.value})."
