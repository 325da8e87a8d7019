"""`gpuplan plan`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from gpuplan.cli import live
from gpuplan.cli.options import cluster_option, colour, fleet_option, log, out_option, say
from gpuplan.cli.outcome import errors_of, refuse_unknown_clusters, report_findings
from gpuplan.cli.sides import compared, forbidden, sides
from gpuplan.cli.writing import form_of, write_all
from gpuplan.plan import Comparison, Plan, Risk, compare_states, plan
from gpuplan.plan.moves import unmatched
from gpuplan.report.plans import terminal
from gpuplan.report.plans.forms import ENDINGS, FORMS
from gpuplan.report.plans.parts import View
from gpuplan.report.plans.selection import only
from gpuplan.report.plans.view import view

CHANGES = 2
"""Exit code of a plan with changes, where it was asked for."""
RISKS = tuple(risk.value for risk in Risk if risk is not Risk.NONE)


@click.command("plan")
@click.option(
    "--base",
    metavar="REF|DIR",
    help="The state before: a git ref (by default HEAD), a folder with a spec, or a rendered tree.",
)
@click.option(
    "--against",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="The state after, instead of --fleet.",
)
@fleet_option
@out_option
@cluster_option
@click.option(
    "--output-format",
    type=click.Choice(("full", *FORMS)),
    default="full",
    show_default=True,
    help="How the plan is written.",
)
@click.option(
    "-o",
    "files",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help=f"Write it to a file too ({', '.join(ENDINGS)}); may be repeated.",
)
@click.option(
    "--live",
    "snapshots",
    multiple=True,
    metavar="[CLUSTER=]FILE",
    help="Count nodes and work in a snapshot by `kubectl get nodes,clusterqueues,workloads -A -o json`; may be repeated.",
)
@click.option("--full", is_flag=True, help="Name every object with its fields, and unchanged quotas.")
@click.option("--detailed-exitcode", is_flag=True, help="Exit 0 without changes, 1 on errors, 2 with changes.")
@click.option("--fail-on", type=click.Choice(RISKS), help="Exit 1 where the risk is that or worse.")
def command(  # noqa: PLR0913 - an option each
    base: str | None,
    against: Path | None,
    *,
    fleet_dir: Path,
    out_dir: Path,
    clusters: tuple[str, ...],
    output_format: str,
    files: tuple[Path, ...],
    snapshots: tuple[str, ...],
    full: bool,
    detailed_exitcode: bool,
    fail_on: str | None,
) -> None:
    """Say what a change means before it is merged: who gains and loses cards, what drains, what is destroyed.

    It compares two states and no cluster, so that the same two always give the same plan.

    Exit codes: 0 fine, 1 errors in the spec or --fail-on reached, 2 wrong usage or a fault of gpuplan; with
    --detailed-exitcode 2 stands for changes.
    """
    forms = {file: form_of(file, ENDINGS) for file in files}
    with sides(base, against, fleet_dir, out_dir) as (old, new):
        old_state, new_state = compared(old, new, output_format)
        comparison = compare_states(old_state, new_state, live.read(snapshots, old_state, new_state))
        made = plan(comparison)
    refuse_unknown_clusters(clusters, made.clusters)
    made = only(made, clusters)
    refused = errors_of(forbidden(old_state, new_state))
    trees = " and ".join(state.name for state in (old_state, new_state) if state.fleet is None)
    blind = (
        f"{trees}: a rendered tree without its spec, so that what happens to nodes is not told; the risk may be higher"
    )
    notes = (
        *old.notes,
        *new.notes,
        *([blind] if trees else []),
        *_not_renamed(comparison),
        *(f"what runs is counted in {snapshot}" for snapshot in snapshots),
    )
    prepared = view(made, full=full, notes=(*notes, *(f"a render refuses this: {one.summary}" for one in refused)))
    write_all({file: FORMS[form](prepared) for file, form in forms.items()})
    _say(prepared, output_format)
    if refused:
        report_findings(refused, "full", stream=sys.stderr)
        raise SystemExit(1)
    raise SystemExit(_exit_code(made, detailed=detailed_exitcode, fail_on=fail_on))


def _not_renamed(comparison: Comparison) -> Iterator[str]:
    """Say which renames pair nothing: the plan calls their entries new, and what they were before gone."""
    for move in unmatched(comparison.old, comparison.new, comparison.moves):
        old, before = f"{move.section}.{move.old}", comparison.old.name
        yield f"`moved` says that {move.new} was {old}, but {before} has neither: if {old} is misspelt, nothing is renamed"


def _say(prepared: View, output_format: str) -> None:
    if output_format == "full":
        say(terminal.drawn(prepared, colour=colour(sys.stdout)), nl=False)
    else:
        say(FORMS[output_format](prepared), nl=False)


def _exit_code(made: Plan, *, detailed: bool, fail_on: str | None) -> int:
    if fail_on is not None and made.risk.rank >= Risk(fail_on).rank:
        log(f"gpuplan: the risk is {made.risk.value}, and --fail-on is {fail_on}.")
        return 1
    return CHANGES if detailed and not made.empty else 0
