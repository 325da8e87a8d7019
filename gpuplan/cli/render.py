"""`gpuplan render`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import click

from gpuplan import __version__, pipeline
from gpuplan.cli.options import (
    cluster_option,
    findings_format_option,
    fleet_option,
    log,
    out_option,
    progress,
    today,
)
from gpuplan.cli.outcome import report_beside_result, selected
from gpuplan.diagnostics import Diagnostic, Diagnostics, has_errors, ordered
from gpuplan.output import OutputFile, WriteReport, check_tree, rendered_files, write_tree
from gpuplan.output.partial import only
from gpuplan.output.plan import plan_write, previous_index
from gpuplan.output.swap import Guarantee
from gpuplan.report import runbooks
from gpuplan.report.stale import Tree, lines
from gpuplan.source.objects import read_object

HOW = {
    Guarantee.EXCHANGE: "put in place in one step",
    Guarantee.JOURNAL: "put in place by two renames, which the next render finishes if this one was killed between them",
}
"""What a reader of the log has to know of the guarantee that held."""


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

    Errors in the spec stop it before anything is written; what is written is written as a whole or not at all. Notes are
    only counted: `gpuplan check` shows them.
    """
    if _lies_in(out_dir, fleet_dir):
        raise click.UsageError(f"--out {out_dir} is in the fleet folder: what is written there would be read as spec.")
    checked = pipeline.check(fleet_dir, today())
    if checked.fleet is None or not checked.ok:
        report_beside_result(checked.findings, output_format)
        raise SystemExit(1)
    selected(checked.fleet, clusters)
    with progress() as show:
        manifests, faults = pipeline.render(checked.fleet, show, runbooks.texts)
    files = {file.path: file for file in rendered_files(manifests, str(fleet_dir))}
    transitions = pipeline.transitions(checked.fleet, manifests, lambda path: _before(out_dir, files[path]))
    with _reading(out_dir):
        outputs, edited = only(out_dir, files.values(), clusters)
    found = ordered((*checked.findings, *faults, *transitions, *edited))
    if has_errors(found):
        report_beside_result(found, output_format)
        raise SystemExit(1)
    if check_only:
        _check(out_dir, outputs, found, output_format)
    else:
        _write(out_dir, outputs, found, output_format, allow_empty=allow_empty)


def _lies_in(inner: Path, outer: Path) -> bool:
    return Path(os.path.realpath(inner)).is_relative_to(os.path.realpath(outer))


@contextlib.contextmanager
def _reading(out_dir: Path) -> Iterator[None]:
    """Turn what the system refuses while the tree is read into a message."""
    try:
        yield
    except OSError as error:
        raise click.UsageError(f"cannot read {error.filename or out_dir}: {error.strerror}") from None


def _before(out_dir: Path, file: OutputFile) -> Mapping[str, object] | None:
    """Return the object that a file holds now, or None where it holds the same as it will."""
    path = out_dir / file.path
    try:
        changed = path.read_bytes() != file.content
    except OSError:
        return None
    return read_object(path) if changed else None


def _check(out_dir: Path, files: tuple[OutputFile, ...], found: Diagnostics, output_format: str) -> None:
    with _reading(out_dir):
        stale = check_tree(out_dir, files, version=__version__)
        # A render would refuse to touch files that somebody edited; then it is no use to say "run render".
        _, problems = plan_write(out_dir, files, version=__version__, allow_empty=True) if stale else (None, ())
    report_beside_result(ordered((*found, *problems)), output_format)
    if not stale:
        log(f"{out_dir} is fresh.")
        return
    index = previous_index(out_dir)
    tree = Tree(
        root=out_dir,
        index=None if isinstance(index, Diagnostic) else index,
        wanted={file.path: file.content for file in files},
        version=__version__,
    )
    with _reading(out_dir):
        for line in lines(tree, stale):
            log(line)
    advice = "" if problems else " Run `gpuplan render` and commit it."
    log(f"{out_dir} is stale: {len(stale)} {'file differs' if len(stale) == 1 else 'files differ'}.{advice}")
    raise SystemExit(1)


def _write(
    out_dir: Path, files: Iterable[OutputFile], found: Diagnostics, output_format: str, *, allow_empty: bool
) -> None:
    report, problems = write_tree(out_dir, files, version=__version__, allow_empty=allow_empty)
    report_beside_result(ordered((*found, *problems)), output_format)
    if report is None:
        raise SystemExit(1)
    log(_summary(out_dir, report))


def _summary(out_dir: Path, report: WriteReport) -> str:
    if report.guarantee is None:
        return f"{out_dir} is unchanged: {report.unchanged} files."
    counts = f"{len(report.written)} written, {len(report.removed)} removed, {report.unchanged} unchanged"
    return f"{out_dir}: {counts}; {HOW[report.guarantee]}."
