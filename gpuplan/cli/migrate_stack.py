"""`gpuplan migrate-stack`."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NoReturn

import click

from gpuplan import pipeline
from gpuplan.cli.options import fleet_option, json_option, log, say, today
from gpuplan.cli.outcome import errors_of, report_findings
from gpuplan.cli.rewriting import named, texts_below
from gpuplan.cli.writing import write_all
from gpuplan.diagnostics import Diagnostics, ordered
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool
from gpuplan.moving import stack
from gpuplan.report import migration
from gpuplan.suggest import meant


@click.command("migrate-stack")
@click.option("--pool", "pool_name", required=True, metavar="NAME", help="The pool that moves.")
@click.option("--to", "target", required=True, type=click.Choice(("operator", "manual")), help="The stack it goes to.")
@fleet_option
@click.option("--apply-step", type=int, metavar="N", help="Do step N in the spec, in place.")
@click.option("--rollback-step", type=int, metavar="N", help="Take step N back in the spec, in place.")
@json_option
def command(
    pool_name: str,
    target: Literal["operator", "manual"],
    fleet_dir: Path,
    apply_step: int | None,
    rollback_step: int | None,
    output_format: str,
) -> None:
    """Lay out how a pool goes to another stack: small commits with checks between them, and the way back from each.

    Without a step it writes the runbook. Which steps are done is read off the spec.

    Exit codes: 0 fine, also where a step is done already; 1 the pool cannot move, or the fleet has errors; 2 wrong usage.
    """
    if apply_step is not None and rollback_step is not None:
        raise click.UsageError("--apply-step and --rollback-step: one at a time.")
    texts, unreadable = texts_below((fleet_dir,))
    before = pipeline.check(fleet_dir, today())
    if before.fleet is None or not before.ok or unreadable:
        _refuse(errors_of(ordered((*unreadable, *before.findings))))
    pool = _pool(before.fleet, pool_name)
    if apply_step is None and rollback_step is None:
        _refuse_any(stack.arrived(before.fleet, pool, target, dict(texts)))
    road = stack.road(before.fleet, pool, target, dict(texts), _check(fleet_dir), pipeline.render_changed)
    if not isinstance(road, stack.Road):
        _refuse(road)
    if apply_step is not None:
        _apply(road, apply_step)
    elif rollback_step is not None:
        _roll_back(road, rollback_step)
    elif output_format == "json":
        say(json.dumps(migration.data(road), indent=2))
    else:
        say(migration.runbook(road, str(fleet_dir)), nl=False)


def _refuse(found: Diagnostics) -> NoReturn:
    report_findings(found, "full", stream=sys.stderr)
    raise SystemExit(1)


def _refuse_any(found: Diagnostics) -> None:
    if found:
        _refuse(found)


def _pool(fleet: Fleet, name: str) -> NodePool:
    pools = {pool.name: pool for cluster in fleet.clusters for pool in cluster.pools}
    if name not in pools:
        raise click.UsageError(f"No node pool is called {name!r}. {meant(name, pools, 'See `gpuplan show`.')}")
    return pools[name]


def _check(fleet_dir: Path) -> stack.Check:
    """Return what checks a spec of which there are only texts, as if it lay in the fleet's folder."""

    def check(texts: Mapping[Path, str]) -> pipeline.Checked:
        with tempfile.TemporaryDirectory(prefix="gpuplan-migrate-stack-") as folder:
            for path, text in texts.items():
                copy = Path(folder) / path.relative_to(fleet_dir)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(text, encoding="utf-8", newline="")
            return pipeline.check(Path(folder), today(), fleet_dir)

    return check


def _numbered(road: stack.Road, number: int, option: str) -> None:
    """Raise UsageError for a step that the way does not have."""
    if not 1 <= number <= len(road.steps):
        raise click.UsageError(f"{option} {number}: this way has the steps 1 to {len(road.steps)}.")


def _apply(road: stack.Road, number: int) -> None:
    _numbered(road, number, "--apply-step")
    if number <= road.here:
        log(f"Step {number} is done already; nothing was written.")
        return
    if number > road.here + 1:
        raise click.UsageError(
            f"--apply-step {number}: the spec is at step {road.here}, so step {road.here + 1} comes next."
        )
    _write(road, number)
    log(f"Step {number} of {len(road.steps)}: {road.steps[number - 1].forth.commit.title}.")
    log("Now run `gpuplan render`, look at `gpuplan plan`, and merge; the runbook says what to do before and after.")


def _roll_back(road: stack.Road, number: int) -> None:
    _numbered(road, number, "--rollback-step")
    if number > road.here:
        log(f"Step {number} is not done: there is nothing to take back.")
        return
    if number < road.here:
        raise click.UsageError(f"--rollback-step {number}: the spec is at step {road.here}, which comes back first.")
    _write(road, number - 1)
    log(f"Step {number} of {len(road.steps)} is taken back: {road.steps[number - 1].back.commit.title}.")
    log("Now run `gpuplan render`, look at `gpuplan plan`, and merge; the runbook says what to do before and after.")


def _write(road: stack.Road, goal: int) -> None:
    """Write the texts of a place that differ from those that are there, and name the files."""
    old = road.texts[road.here]
    changed = {path: text for path, text in road.texts[goal].items() if text != old[path]}
    write_all({path.resolve(): text for path, text in changed.items()})
    for path in changed:
        say(named(path))
