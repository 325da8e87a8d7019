"""The two sides of a plan, found by `--base`, `--against` and `--fleet`, and what is wrong with them."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from gpuplan import pipeline, states
from gpuplan.cli.options import log, today
from gpuplan.cli.outcome import errors_of, report_beside_result, report_findings
from gpuplan.diagnostics import Diagnostics, has_errors
from gpuplan.plan import State
from gpuplan.report import runbooks
from gpuplan.states import Place, Side

DEFAULT_BASE = "HEAD"
WORK_TREE = "work tree"


@contextlib.contextmanager
def sides(base: str | None, against: Path | None, fleet: Path, out: Path) -> Iterator[tuple[Side, Side]]:
    """Read both sides of a comparison; what git holds is taken out into a folder that goes away at the end."""
    with tempfile.TemporaryDirectory(prefix="gpuplan-plan-") as taken:
        old = _old(base, fleet, out, Path(taken))
        if against is None:
            name = WORK_TREE if old.called else str(fleet)
            new = Place(name=name, fleet=fleet, out=out)
        else:
            new = states.in_folder(str(against), against, fleet, out)
        yield states.sides(old, new, today(), runbooks.texts)


def _old(base: str | None, fleet: Path, out: Path, taken: Path) -> Place:
    """Find the side before: a git ref, or a folder. Raises UsageError where it is neither."""
    if base == "":  # a variable that nobody set must not compare the fleet with itself
        raise click.UsageError("--base is empty: name a git ref, or a folder.")
    found = states.in_git(DEFAULT_BASE if base is None else base, fleet, out, taken)
    if isinstance(found, Place):
        return found
    if base is None:
        raise click.UsageError(
            f"Name what to compare with: --base REF|DIR. Without it that is {DEFAULT_BASE}, but {found.summary}."
        )
    if Path(base).is_dir():
        return states.in_folder(base, Path(base), fleet, out)
    if Path(base).exists():
        raise click.UsageError(f"--base {base} is a file: name a git ref, a folder with a spec, or a rendered tree.")
    raise click.UsageError(f"--base {base}: {found.summary}. {found.fix}")


def compared(old: Side, new: Side, output_format: str) -> tuple[State, State]:
    """Return both states, or say what is wrong with a side and exit with 1: of the new one all that `check` says."""
    if new.state is None and has_errors(new.findings):
        if output_format == "full":
            report_beside_result(new.findings, output_format)
        else:
            report_findings(new.findings, "full", stream=sys.stderr)
        raise SystemExit(1)
    if old.state is None or new.state is None:
        report_findings(errors_of(old.findings), "concise", stream=sys.stderr)
        log("The state before has errors and no rendered tree, so there is nothing to compare with; see --base.")
        raise SystemExit(1)
    return old.state, new.state


def forbidden(old: State, new: State) -> Diagnostics:
    """Return what a render over the old tree would say: fields that can never change, and versions that go too far."""
    if new.fleet is None:
        return ()

    def before(path: str) -> Mapping[str, object] | None:
        held, made = old.manifests.placed.get(path), new.manifests.placed.get(path)
        return held.object if held is not None and (made is None or held.object != made.object) else None

    return pipeline.transitions(new.fleet, new.manifests, before)
