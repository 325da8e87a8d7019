"""`gpuplan render`."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
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
from gpuplan.output import NotKeptError, OutputFile, WriteReport, check_tree, write_tree
from gpuplan.output.partial import Share, lacks, only, share_of
from gpuplan.output.plan import plan_write, previous_index
from gpuplan.output.swap import Guarantee
from gpuplan.pipeline import memory, tree
from gpuplan.pipeline.parts import Render
from gpuplan.pipeline.shards import Shard, members
from gpuplan.report import runbooks
from gpuplan.report.stale import Tree, lines

HOW = {
    Guarantee.EXCHANGE: "put in place in one step",
    Guarantee.JOURNAL: "put in place by two renames, which the next render finishes if this one was killed between them",
}
"""What a reader of the log has to know of the guarantee that held."""


class ShardType(click.ParamType[Shard]):
    """`K/N`: the K-th of N shards, counted from 1."""

    name = "shard"

    def convert(self, value: str | Shard, param: click.Parameter | None, ctx: click.Context | None) -> Shard:
        """Read a shard."""
        if isinstance(value, Shard):
            return value
        match = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", value, re.ASCII)
        number, count = map(int, match.groups()) if match else (0, 0)
        if not 1 <= number <= count:
            self.fail(f"{value!r} is no share such as 2/8, the second of eight.", param, ctx)
        return Shard(number=number, count=count)


@click.command("render")
@fleet_option
@out_option
@cluster_option
@click.option(
    "--shard",
    type=ShardType(),
    metavar="K/N",
    help="Only the K-th of N shares of the clusters, for jobs that run side by side.",
)
@findings_format_option
@click.option("--check", "check_only", is_flag=True, help="Write nothing; exit 1 if the output is not fresh.")
@click.option("--allow-empty", is_flag=True, help="Accept a fleet that compiles to nothing.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Compile in at most N processes; by default as many as there are processors.",
)
@click.option("--no-cache", is_flag=True, help="Compile every cluster, also those that stay as they are.")
def command(  # noqa: PLR0913 - an option each
    fleet_dir: Path,
    out_dir: Path,
    clusters: tuple[str, ...],
    shard: Shard | None,
    output_format: str,
    jobs: int | None,
    *,
    check_only: bool,
    allow_empty: bool,
    no_cache: bool,
) -> None:
    """Compile the fleet into rendered/, or with --check tell whether it is fresh.

    Errors in the spec stop it before anything is written; what is written is written as a whole or not at all. Notes are
    only counted: `gpuplan check` shows them.
    """
    if _lies_in(out_dir, fleet_dir):
        raise click.UsageError(f"--out {out_dir} is in the fleet folder: what is written there would be read as spec.")
    if shard and clusters:
        raise click.UsageError("--shard and --cluster both choose clusters: give one of them.")
    checked = pipeline.check(fleet_dir, today())
    if checked.fleet is None or not checked.ok:
        report_beside_result(checked.findings, output_format)
        raise SystemExit(1)
    selected(checked.fleet, clusters)
    job = Job(
        render=Render(fleet=checked.fleet, fleet_dir=str(fleet_dir), root=out_dir, texts=runbooks.texts),
        clusters=clusters,
        shard=shard,
        jobs=jobs,
    )
    if shard and not shard.has_shared and not members(checked.fleet.clusters, shard):
        report_beside_result(checked.findings, output_format)
        log(f"Shard {shard.number}/{shard.count} has no cluster.")
        return
    if check_only:
        _check(out_dir, *_made(job, None, checked.findings, output_format, look=shard is None)[1:], output_format)
        return
    cache = None if no_cache or clusters or shard else memory.place(out_dir, os.environ)
    _write(job, cache, checked.findings, output_format, allow_empty=allow_empty)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to render, and how."""

    render: Render
    clusters: tuple[str, ...]
    shard: Shard | None
    jobs: int | None

    def rendered(self, last: tree.Last | None) -> tree.Rendered:
        """Make the parts that are asked for."""
        with progress() as show:
            if self.shard:
                return tree.sharded(self.render, self.shard, self.jobs, show)
            if self.clusters:
                chosen = [cluster for cluster in self.render.fleet.clusters if cluster.name in self.clusters]
                return tree.some(self.render, chosen, partial(lacks, self.render.root), self.jobs, show)
            return tree.whole(self.render, last, self.jobs, show)

    def placed(self, made: tree.Rendered, *, look: bool) -> tuple[tree.Files, Diagnostics]:
        """Return the files of the whole tree: those that were made, and the others as they are; with `look`, unless edited."""
        if self.shard is None:
            return only(self.render.root, made.files, self.clusters)
        fleet = self.render.fleet.clusters
        share = Share(
            clusters=frozenset(cluster.name for cluster in members(fleet, self.shard)),
            fleet=frozenset(cluster.name for cluster in fleet),
            with_shared=self.shard.has_shared,
        )
        return share_of(self.render.root, made.files, share, look=look)


def _made(
    job: Job, last: tree.Last | None, found: Diagnostics, output_format: str, *, look: bool = True
) -> tuple[tree.Rendered, tree.Files, Diagnostics]:
    """Make the output. Errors are told here, and end the run."""
    made = job.rendered(last)
    with _reading(job.render.root):
        files, edited = job.placed(made, look=look)
    found = ordered((*found, *made.findings, *edited))
    if has_errors(found):
        report_beside_result(found, output_format)
        raise SystemExit(1)
    return made, files, found


def _lies_in(inner: Path, outer: Path) -> bool:
    return Path(os.path.realpath(inner)).is_relative_to(os.path.realpath(outer))


@contextlib.contextmanager
def _reading(out_dir: Path) -> Iterator[None]:
    """Turn what the system refuses while the tree is read into a message."""
    try:
        yield
    except OSError as error:
        raise click.UsageError(f"cannot read {error.filename or out_dir}: {error.strerror}") from None


def _check(out_dir: Path, files: tree.Files, found: Diagnostics, output_format: str) -> None:
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
        wanted={file.path: file.content for file in files if isinstance(file, OutputFile)},
        version=__version__,
    )
    with _reading(out_dir):
        for line in lines(tree, stale):
            log(line)
    advice = "" if problems else " Run `gpuplan render` and commit it."
    log(f"{out_dir} is stale: {len(stale)} {'file differs' if len(stale) == 1 else 'files differ'}.{advice}")
    raise SystemExit(1)


def _write(job: Job, cache: Path | None, found: Diagnostics, output_format: str, *, allow_empty: bool) -> None:
    root = job.render.root
    with _reading(root):
        last = tree.last_render(job.render, cache) if cache else None
    made, files, every = _made(job, last, found, output_format)
    try:
        report, problems = write_tree(root, files, version=__version__, allow_empty=allow_empty)
    except NotKeptError:  # a file that is not compiled anew has gone: all is
        last = replace(last, parts={}) if last else None
        made, files, every = _made(job, last, found, output_format)
        report, problems = write_tree(root, files, version=__version__, allow_empty=allow_empty)
    report_beside_result(ordered((*every, *problems)), output_format)
    if report is None:
        raise SystemExit(1)
    if cache and last:
        memory.remember(cache, tree.memory_of(job.render, made, last, report))
    log(_summary(root, report))


def _summary(out_dir: Path, report: WriteReport) -> str:
    if report.guarantee is None:
        return f"{out_dir} is unchanged: {report.unchanged} files."
    counts = f"{len(report.written)} written, {len(report.removed)} removed, {report.unchanged} unchanged"
    return f"{out_dir}: {counts}; {HOW[report.guarantee]}."
