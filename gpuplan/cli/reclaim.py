"""`gpuplan reclaim`."""

from __future__ import annotations

import datetime
import functools
import gc
import re
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import click

from gpuplan import conventions
from gpuplan.cli.options import cluster_option, colour, fleet_option, json_option, log, say, today
from gpuplan.cli.outcome import report_findings, selected
from gpuplan.cli.server import NOT_REACHED, prometheus_options
from gpuplan.cluster.access import Access, address
from gpuplan.model.reclaim import ReclaimMode
from gpuplan.model.reclaim_policy import ReclaimPolicy, policy, read
from gpuplan.reclaim.decide import Decision, decide
from gpuplan.report import console, reclaim
from gpuplan.report.machine import json_text

if TYPE_CHECKING:
    from gpuplan.cluster.prometheus import Prometheus
    from gpuplan.reclaim.acting import Actor

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_DURATION = re.compile(r"([0-9]+)(s|m|h)")
_SECONDS = {"s": 1, "m": 60, "h": 3600}


def _seconds(_ctx: click.Context, _param: click.Parameter, written: str | None) -> int:
    """Read a duration such as `5m`; 0 where none is given."""
    match = _DURATION.fullmatch(written or "0s")
    if match is None or (written and not int(match[1])):
        raise click.BadParameter(f"{written!r} is no duration such as 5m or 30s.")
    return int(match[1]) * _SECONDS[match[2]]


def _listen(_ctx: click.Context, _param: click.Parameter, written: str | None) -> tuple[str, int] | None:
    """Read an address such as `:8080`."""
    if written is None:
        return None
    host, _, port = written.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter(f"{written!r} is no address such as :8080 or 127.0.0.1:8080.")
    return host or "0.0.0.0", int(port)  # noqa: S104 - Prometheus comes from outside the pod


def _time(_ctx: click.Context, _param: click.Parameter, written: str | None) -> datetime.datetime | None:
    if written is None:
        return None
    try:
        at = datetime.datetime.fromisoformat(written)
    except ValueError:
        at = datetime.datetime.min  # noqa: DTZ901 - refused below, since it has no zone
    if at.tzinfo is None:
        raise click.BadParameter(f"{written!r} is no time such as 2026-11-30T14:00:00Z.")
    return at


@click.command("reclaim")
@fleet_option
@cluster_option
@click.option(
    "--policy", "policy_file", type=_FILE, metavar="FILE", help="A rendered policy instead of a fleet and a cluster."
)
@prometheus_options
@click.option("--alertmanager", metavar="URL", help="Where notices go instead of the fleet's Alertmanager.")
@click.option("--kubeconfig", type=_FILE, metavar="FILE", help="How the cluster is reached; as kubectl by default.")
@click.option("--context", default="", metavar="NAME", help="Context of the kubeconfig.")
@click.option("--act/--dry-run", default=False, show_default=True, help="Do it, or only say what would be done.")
@click.option("--explain", is_flag=True, help="Say of all work why it is taken or spared.")
@json_option
@click.option("--every", callback=_seconds, metavar="DURATION", help="Look again after so long (5m), for ever.")
@click.option("--listen", callback=_listen, metavar="ADDRESS", help="Give metrics out there (:8080); with --every.")
@click.option("--now", "at", callback=_time, hidden=True, help="The time to look at, for tests.")
def command(access: Access, **options: Any) -> None:
    """Find idle work in a cluster, give notice, and suspend it when the grace is over.

    Without --act it only says what it would do. It looks at whole owners: a job of eight pods of which one works is spared.

    Exit codes: 0 fine, 1 something could not be done or not be seen, 2 wrong usage, 3 a server could not be reached.
    """
    from gpuplan.cluster.prometheus import Prometheus  # noqa: PLC0415 - start-up: --help needs no HTTP

    said = _Options(**options)
    if said.listen and not said.every:
        raise click.UsageError("--listen is for --every: a single look is over before anybody asks.")
    held = _file(said.policy_file) if said.policy_file else _fleet(said.fleet_dir, said.clusters)
    if said.act and held.mode is not ReclaimMode.SUSPEND:
        raise click.UsageError(f"governance.reclaim.mode is {held.mode.value}: --act needs `mode: suspend`.")
    actor = _actor(said, held)
    show = _shown(held, said.output_format, act=said.act, explain=said.explain)
    with Prometheus(access) as prometheus:
        run = _Run(actor=actor, prometheus=prometheus, act=said.act, show=show)
        if said.every:
            _for_ever(run, said.every, said.listen)
        raise SystemExit(_once(run, said.at))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """The options as they were read, but for those of Prometheus."""

    fleet_dir: Path
    clusters: tuple[str, ...]
    policy_file: Path | None
    alertmanager: str | None
    kubeconfig: Path | None
    context: str
    output_format: str
    every: int
    """Seconds; 0 to look once."""
    listen: tuple[str, int] | None
    at: datetime.datetime | None
    act: bool
    explain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Who acts, whom it asks, and how what it sees is shown."""

    actor: Actor
    prometheus: Prometheus
    act: bool
    show: Callable[[Decision, datetime.datetime], None]


def _actor(said: _Options, held: ReclaimPolicy) -> Actor:
    """Return who acts. Raises UsageError where no cluster is configured, or Alertmanager's address is none."""
    from gpuplan.cluster.alertmanager import Alertmanager  # noqa: PLC0415 - see above
    from gpuplan.cluster.kube import Fault, connect  # noqa: PLC0415
    from gpuplan.cluster.metrics import ReclaimMetrics  # noqa: PLC0415
    from gpuplan.reclaim.acting import Actor  # noqa: PLC0415
    from gpuplan.reclaim.looking import owners_in  # noqa: PLC0415

    kube = connect(conventions.RECLAIMER, said.kubeconfig, said.context)
    if isinstance(kube, Fault):
        raise click.UsageError(kube.summary)
    url = said.alertmanager or held.alertmanager_url
    where = address(url) if url else None
    if isinstance(where, str):
        raise click.UsageError(f"The address of Alertmanager is none: {where}.")
    return Actor(
        policy=held,
        kube=kube,
        alertmanager=Alertmanager(where) if where else None,
        metrics=ReclaimMetrics(),
        again=functools.partial(owners_in, held, kube),
    )


def _file(path: Path) -> ReclaimPolicy:
    held = read(path.read_text(encoding="utf-8", errors="replace"))
    if isinstance(held, str):
        raise click.UsageError(f"{path} holds no policy: {held}.")
    return held


def _fleet(fleet_dir: Path, clusters: tuple[str, ...]) -> ReclaimPolicy:
    """Return the policy of the one cluster that is named, or of the only one."""
    from gpuplan import pipeline  # noqa: PLC0415 - start-up: a rendered policy needs no compiler

    checked = pipeline.check(fleet_dir, today())
    if checked.fleet is None or not checked.ok:
        report_findings(checked.findings, "full", stream=sys.stderr)
        raise SystemExit(1)
    chosen = selected(checked.fleet, clusters)
    if len(chosen) != 1:
        names = ", ".join(one.name for one in checked.fleet.clusters)
        raise click.UsageError(f"One run looks at one cluster; name it with --cluster ({names}).")
    return policy(checked.fleet, chosen[0])


def _shown(
    held: ReclaimPolicy, output_format: str, *, act: bool, explain: bool
) -> Callable[[Decision, datetime.datetime], None]:
    def show(decision: Decision, now: datetime.datetime) -> None:
        if output_format == "json":
            say(json_text(reclaim.data(held, decision, now, act=act)), nl=False)
        else:
            say(
                console.drawn(reclaim.overview(decision, explain=explain, act=act), colour=colour(sys.stdout)), nl=False
            )

    return show


def _once(run: _Run, at: datetime.datetime | None = None) -> int:
    """Look once, now unless `at` is given, and act where that is asked for; return the exit code."""
    from gpuplan.cluster.kube import Fault  # noqa: PLC0415 - see above
    from gpuplan.reclaim.looking import look  # noqa: PLC0415

    def clock() -> datetime.datetime:
        return at or datetime.datetime.now(tz=datetime.UTC)

    actor, now = run.actor, clock()
    sight = look(actor.policy, actor.kube, run.prometheus, clock, at)
    if isinstance(sight, Fault):
        log(f"gpuplan: {sight.summary}")
        return NOT_REACHED
    seen = actor.remembering(sight.observations, now)
    decision = decide(actor.policy, seen, now)
    actor.report(decision)
    run.show(decision, now)
    faults = [*sight.faults, *(actor.act(seen, decision, now, clock, log) if run.act else ())]
    if decision.blind:
        faults.append(
            f"{run.prometheus.url} knows nothing new of any card of cluster {actor.policy.cluster}: look at its rules, its "
            "clock, and where it keeps several clusters at the external label `cluster`"
        )
    for fault in faults:
        log(f"gpuplan: {fault}")
    if seen.distrust:
        return NOT_REACHED
    if not faults:
        actor.metrics.last_success.set(now.timestamp())
    return 1 if faults else 0


def _end(_signal: int, _frame: FrameType | None) -> NoReturn:
    """End at once: whatever is left undone, the next look does."""
    raise SystemExit(0)


def _for_ever(run: _Run, every: int, listen: tuple[str, int] | None) -> NoReturn:
    """Look again and again. A look that fails is said and forgotten: the next one begins anew."""
    # The first process of a container is not ended by a signal that it does not handle.
    signal.signal(signal.SIGTERM, _end)
    gc.enable()
    metrics = run.actor.metrics
    run.actor.begin()
    metrics.dry_run.set(int(not run.act))
    if listen:
        try:
            log(f"gpuplan: metrics at port {metrics.serve(*listen)}")
        except OSError as error:
            raise click.UsageError(f"--listen: {error.strerror}") from None
    while True:
        _once(run)
        sys.stdout.flush()
        time.sleep(every)
