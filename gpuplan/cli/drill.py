"""`gpuplan drill`."""

from __future__ import annotations

import datetime
import sys
import threading
import uuid
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpuplan.cli.drilling import Asked, access_of, drill_options, pool_facts, where_options
from gpuplan.cli.options import colour, json_option, log, say
from gpuplan.cli.server import NOT_REACHED
from gpuplan.cluster.access import Access
from gpuplan.conventions import DRILLER
from gpuplan.report import console, drill
from gpuplan.report.machine import json_text

if TYPE_CHECKING:
    from gpuplan.cluster.kube import Fault, Kube
    from gpuplan.drill.checks import Check, Scenery
    from gpuplan.drill.expectations import Report
    from gpuplan.drill.plan import Plan, Pool


@click.group("drill")
def command() -> None:
    """Try on purpose what happens when a node is drained, or when its GPUs break.

    Without --yes a drill only says what it would do. What it changes it takes back, also where it is killed.

    Exit codes: 0 all met, 1 something was not met, 2 wrong usage, 3 a server could not be reached, 130 stopped by Ctrl-C.
    """


@command.command("maintenance")
@drill_options
def maintenance(**options: Any) -> None:
    """Drain nodes of a pool, one after the other, as for maintenance.

    Each node is cordoned, its pods are evicted as their disruption budgets allow and with their own grace, and the next one is
    taken when their successors are ready. It says what moved where, how long it was away, and which sessions were lost.
    """
    _drill("maintenance", Asked(**options))


@command.command("fault")
@drill_options
def fault(**options: Any) -> None:
    """Make a node of a pool look as if its GPUs were broken.

    A condition of the node says so; the hardware is not touched. Expected: the node is isolated before anything on it starts
    anew, an alert fires, its work goes on elsewhere, and the node comes back. The drill isolates nothing itself.
    """
    _drill("fault", Asked(**options))


@command.command("clean-up")
@where_options
@click.option("--yes", is_flag=True, help="Do it, rather than say which drills have left something.")
@json_option
def clean_up(*, kubeconfig: Path | None, context: str, yes: bool, output_format: str) -> None:
    """Take back what drills have left that were killed together with their guardians.

    A drill that may still be alive is watched until its time is up; one that shows a sign of life is left alone.
    """
    from gpuplan.cluster.kube import Fault  # noqa: PLC0415 - start-up: --help needs no HTTP
    from gpuplan.drill import cleaning  # noqa: PLC0415

    kube = _connected(kubeconfig, context)
    found = cleaning.marked(kube)
    if isinstance(found, Fault):
        raise SystemExit(_failed(found))
    if not yes:
        _marks(found, output_format)
        return
    dead = cleaning.dead(kube, _now, _sleep)
    if isinstance(dead, Fault):
        raise SystemExit(_failed(dead))
    alive = {one.mark.drill for one in found if one.mark} - dead
    done = cleaning.take_back(kube, lambda _node, mark: mark.drill in dead, _now, _sleep)
    if output_format == "json":
        say(json_text(drill.cleaned_data(done, alive)), nl=False)
    else:
        say(console.drawn(drill.cleaned(done), colour=colour(sys.stdout)), nl=False)
    for line in (*done.faults, *(f"drill {name} still runs: it is left alone" for name in sorted(alive))):
        log(f"gpuplan: {line}")
    raise SystemExit(NOT_REACHED if done.unreachable else int(bool(done.faults or alive)))


@command.command("guard", hidden=True)
@where_options
@click.option("--drill", "name", required=True)
def guard(*, kubeconfig: Path | None, context: str, name: str) -> None:
    """Watch over a drill: its process holds the other end of standard input."""
    from gpuplan.drill import cleaning, guardian  # noqa: PLC0415 - see above

    with guardian.undisturbed():
        kube = _connected(kubeconfig, context)
        say(guardian.READY)
        sys.stdout.flush()
        if guardian.watch(sys.stdin):
            return
        # Twice: a request that the drill sent as it died may arrive after the first.
        for again in (True, False):
            done = cleaning.take_back(kube, lambda _node, mark: mark.drill == name, _now, _sleep)
            for line in (*done.done, *done.kept, *done.faults):
                log(f"gpuplan: the drill was killed; {line}")
            if again:
                _sleep(guardian.LATE_SECONDS)


def _drill(kind: Any, asked: Asked) -> None:
    from gpuplan.cluster import drilling  # noqa: PLC0415 - see above
    from gpuplan.cluster.kube import Fault  # noqa: PLC0415

    watchers = {name: access_of(name, getattr(asked, name)) for name in ("prometheus", "alertmanager")}
    pool = pool_facts(asked)
    kube = _connected(asked.kubeconfig, asked.context)
    look = drilling.everything(kube)
    if isinstance(look, Fault):
        raise SystemExit(_failed(look))
    if asked.yes and _took_back(kube, pool):
        look = drilling.everything(kube)
        if isinstance(look, Fault):
            raise SystemExit(_failed(look))
    plan, checks = _planned(kind, pool, asked, look)
    if not asked.yes or drill.refused(checks):
        _show_plan(plan, checks, asked)
        raise SystemExit(int(asked.yes))
    raise SystemExit(_done(plan, kube, asked, watchers))


def _planned(kind: Any, pool: Pool, asked: Asked, look: Any) -> tuple[Plan, tuple[Check, ...]]:
    from gpuplan.drill import guardian, seen  # noqa: PLC0415 - see above
    from gpuplan.drill.checks import Scenery, checks, chosen  # noqa: PLC0415
    from gpuplan.drill.plan import Limits, Plan  # noqa: PLC0415

    scene: Scenery = Scenery(
        nodes=seen.nodes(look.nodes), pods=seen.pods(look.pods), budgets=tuple(map(seen.budget, look.budgets))
    )
    names = chosen(pool, scene, asked.nodes)
    plan = Plan(
        drill=uuid.uuid4().hex[:8],
        who=guardian.name(),
        kind=kind,
        pool=pool,
        nodes=names,
        limits=replace(Limits(), **asked.limits),
        watches_alert=bool(asked.prometheus),
        watches_receipt=bool(asked.alertmanager),
        pause=asked.pause,
    )
    return plan, checks(pool, scene, names, asked.nodes, _now())


def _took_back(kube: Kube, pool: Pool) -> bool:
    """Take back what drills have left on the pool that are dead; return whether there was something."""
    from gpuplan.drill import cleaning  # noqa: PLC0415 - see above

    done = cleaning.take_back(
        kube, lambda _node, mark: mark.pool == pool.name and not mark.seems_alive(_now()), _now, _sleep
    )
    for line in (*done.done, *done.kept, *done.faults):
        log(f"gpuplan: an earlier drill was killed; {line}")
    return bool(done.done)


def _done(plan: Plan, kube: Kube, asked: Asked, watchers: Mapping[str, Access | None]) -> int:
    """Run the drill under the eyes of its guardian; return the exit code."""
    from gpuplan.cli import stopping  # noqa: PLC0415 - see above
    from gpuplan.cluster.alertmanager import AlertmanagerStatus  # noqa: PLC0415
    from gpuplan.cluster.prometheus import Prometheus  # noqa: PLC0415
    from gpuplan.drill import guardian  # noqa: PLC0415
    from gpuplan.drill.running import Runner  # noqa: PLC0415

    watching = guardian.start(plan.drill, asked.kubeconfig, asked.context)
    if isinstance(watching, str):
        raise click.ClickException(f"{watching}; nothing was changed")
    with stopping.stoppable() as stop:
        runner = Runner(
            plan=plan,
            kube=kube,
            prometheus=Prometheus(metrics) if (metrics := watchers["prometheus"]) else None,
            alertmanager=AlertmanagerStatus(alerts) if (alerts := watchers["alertmanager"]) else None,
            clock=_now,
            sleep=stop.sleep,
            stopped=lambda: stop.why or ("" if watching.alive else "its guardian has died"),
            say=lambda text: log(f"{_now():%H:%M:%S} {text}"),
        )
        report = runner.run()
        if not report.left:
            watching.dismiss()
    _show(report, asked)
    if stop.code:
        return stop.code
    return NOT_REACHED if report.left else int(report.failed)


def _show(report: Report, asked: Asked) -> None:
    texts = {"json": lambda: json_text(drill.data(report)), "markdown": lambda: drill.markdown(report)}
    text = texts.get(asked.output_format, lambda: console.drawn(drill.overview(report), colour=colour(sys.stdout)))()
    say(text, nl=False)


def _show_plan(plan: Plan, checks: tuple[Check, ...], asked: Asked) -> None:
    if asked.output_format == "json":
        say(json_text(drill.plan_data(plan, checks)), nl=False)
    elif asked.output_format == "markdown":
        say(drill.plan_markdown(plan, checks, act=asked.yes), nl=False)
    else:
        say(console.drawn(drill.planned(plan, checks, act=asked.yes), colour=colour(sys.stdout)), nl=False)


def _marks(found: Any, output_format: str) -> None:
    if output_format == "json":
        say(json_text(drill.marked_data(found, _now())), nl=False)
    else:
        say(console.drawn(drill.marked(found, _now()), colour=colour(sys.stdout)), nl=False)


def _connected(kubeconfig: Path | None, context: str) -> Kube:
    """Return the client. Raises UsageError where no cluster is configured."""
    from gpuplan.cluster.kube import Fault, connect  # noqa: PLC0415 - see above

    kube = connect(DRILLER, kubeconfig, context)
    if isinstance(kube, Fault):
        raise click.UsageError(kube.summary)
    return kube


def _failed(fault: Fault) -> int:
    log(f"gpuplan: {fault.summary}")
    return NOT_REACHED if fault.unreachable else 1


def _now() -> datetime.datetime:
    return datetime.datetime.now(tz=datetime.UTC)


def _sleep(seconds: float) -> None:
    threading.Event().wait(seconds)
