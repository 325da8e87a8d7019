"""`gpuplan ci`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import click

from gpuplan.cli import reviewing
from gpuplan.cli.merge_base import Git, merge_base
from gpuplan.cli.options import fleet_option, log, out_option, say
from gpuplan.cli.outcome import report_beside_result, report_findings
from gpuplan.cli.reviewing import Asked, Checked
from gpuplan.cli.runner import Runner, annotation, commands_off, hand_over, runner
from gpuplan.diagnostics import Diagnostics, Severity, has_errors
from gpuplan.forge.sticky import Problem
from gpuplan.report.review import COMMENT_FILE


@click.command("ci")
@fleet_option
@out_option
@click.option(
    "--base", metavar="REF|DIR", help="What to compare with, at the merge base; by default the target branch."
)
@click.option(
    "--fail-on",
    type=click.Choice(("low", "disruptive", "destructive")),
    help="Exit 1 where the plan's risk is that or worse.",
)
@click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("gpuplan-review"),
    show_default=True,
    metavar="DIR",
    help="The folder for findings, plan and comment.",
)
def command(fleet_dir: Path, out_dir: Path, base: str | None, fail_on: str | None, results: Path) -> None:
    """Review a change as CI does: check, then render --check, then plan.

    It knows GitHub Actions and GitLab CI by their environment: annotations, outputs and summaries go where they belong. It
    talks to no server but git's, to fetch what the merge base needs; `gpuplan comment` does that.

    Exit codes: 0 fine, 1 errors, stale output or --fail-on reached, 2 wrong usage or a fault of gpuplan.
    """
    where = runner(os.environ)
    _refuse_inside(results, (fleet_dir, out_dir))
    asked = Asked(fleet=fleet_dir, out=out_dir, base=_base(base), fail_on=fail_on, results=results)
    with _files(results):
        reviewing.clean(results)

    def told(seen: Checked) -> None:
        _say_findings(seen.findings, where)
        if seen.stale is not None:
            _say_stale(seen, asked, where)

    with _files(results):
        made = reviewing.reviewed(asked, told, lambda: _quoted(where))
    with _files(results):
        outputs = reviewing.write(made, results, where)
        hand_over(os.environ, outputs, (results / COMMENT_FILE).read_text(encoding="utf-8"))
    log(f"risk: {made.risk}; findings, plan and comment are in {results}")
    raise SystemExit(made.exit_code)


def _refuse_inside(results: Path, folders: tuple[Path, ...]) -> None:
    """Raise UsageError where the results would lie among what they are about."""
    for folder in folders:
        if Path(os.path.realpath(results)).is_relative_to(os.path.realpath(folder)):
            raise click.UsageError(f"--results {results} is in {folder}, which is for the fleet alone.")


def _base(said: str | None) -> str:
    """Return the folder, or the commit in short, to compare with. Raises UsageError where there is none."""
    if said == "":  # a variable that nobody set
        raise click.UsageError("--base is empty: name a git ref, or a folder, or leave it out.")
    git = Git(folder=Path(), environment=os.environ)
    found = merge_base(git, said)
    if isinstance(found, Problem):
        raise click.UsageError(f"{found.summary} {found.fix}")
    return found if found == said else git.short(found)


@contextlib.contextmanager
def _files(results: Path) -> Iterator[None]:
    """Turn what the system refuses into a message."""
    try:
        yield
    except OSError as error:
        raise click.UsageError(f"cannot use {error.filename or results}: {error.strerror}") from None


@contextlib.contextmanager
def _quoted(where: Runner) -> Iterator[None]:
    """Keep GitHub from obeying lines of the plan that look like its commands: they may come from the spec."""
    if where is not Runner.GITHUB:
        yield
        return
    stop, go_on = commands_off()
    say(f"::group::gpuplan plan\n{stop}")
    try:
        yield
    finally:
        say(f"{go_on}\n::endgroup::")


def _say_findings(found: Diagnostics, where: Runner) -> None:
    """Show errors and warnings; notes, which would be the same for every change, are in the files."""
    if where is Runner.GITHUB:
        report_findings(tuple(finding for finding in found if finding.severity is not Severity.INFO), "github")
    else:
        report_beside_result(found, "full")


def _say_stale(seen: Checked, asked: Asked, where: Runner) -> None:
    if not seen.stale:
        log(f"{asked.out} is fresh.")
        return
    for line in seen.reasons:
        log(line)
    text = f"{asked.out} is stale: {len(seen.stale)} {'file differs' if len(seen.stale) == 1 else 'files differ'}."
    if not has_errors(seen.findings):
        text += f" Run `gpuplan render --fleet {asked.fleet} --out {asked.out}` and commit it."
    say(annotation("error", "gpuplan render --check", text)) if where is Runner.GITHUB else log(text)
