"""What the drills have in common on the command line: their options, and the pool that is meant."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gpuplan.cli.options import F, cluster_option, fleet_option, today
from gpuplan.cli.outcome import report_findings, selected
from gpuplan.cluster.access import Access, address
from gpuplan.report.drill import FORMATS
from gpuplan.suggest import meant

if TYPE_CHECKING:
    from gpuplan.drill.plan import Pool

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_SECONDS = click.FloatRange(0.01, 86_400)
_LIMITS = {
    "budget": "for a disruption budget to allow an eviction",
    "ready": "for the successors of a node's pods to be ready",
    "isolate": "for a node that looks broken to be isolated (fault drill)",
    "alert": "for the alert (fault drill)",
    "back": "for a node to take work as before",
}
_QUIET_LIMITS = ("hold", "unreachable")
_WHERE = (
    click.option("--kubeconfig", type=_FILE, metavar="FILE", help="How the cluster is reached; as kubectl by default."),
    click.option("--context", default="", metavar="NAME", help="Context of the kubeconfig."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options of a drill as they were read."""

    fleet_dir: Path
    clusters: tuple[str, ...]
    pool: str
    nodes: int
    yes: bool
    kubeconfig: Path | None
    context: str
    prometheus: str | None
    alertmanager: str | None
    output_format: str
    limits: Mapping[str, float]
    """Seconds by the name of a limit, where one was given."""
    pause: float


def where_options(function: F) -> F:
    """Add the options that say how a cluster is reached."""
    made: Any = function
    for option in reversed(_WHERE):
        made = option(made)
    return made  # type: ignore[no-any-return]  # click's decorators are typed for commands alone


def drill_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a drill; the function takes them as those of `Asked`."""

    @functools.wraps(function)
    def asked(**options: Any) -> None:
        names = (*_LIMITS, *_QUIET_LIMITS)
        given = {name: options.pop(f"{name}_seconds") for name in names}
        function(**options, limits={name: value for name, value in given.items() if value is not None})

    made: Any = asked
    for option in reversed(_options()):
        made = option(made)
    wrapped: Callable[..., None] = fleet_option(cluster_option(where_options(made)))
    return wrapped


def _options() -> tuple[Callable[..., Any], ...]:
    limits = (
        click.option(f"--{name}-seconds", type=_SECONDS, metavar="SECONDS", help=f"How long to wait {why}.")
        for name, why in _LIMITS.items()
    )
    quiet = (click.option(f"--{name}-seconds", type=_SECONDS, hidden=True) for name in _QUIET_LIMITS)
    return (
        click.option("--pool", required=True, metavar="NAME", help="The node pool of the fleet to drill on."),
        click.option("--nodes", type=click.IntRange(1), default=1, show_default=True, help="How many of its nodes, one by one."),
        click.option("--yes", is_flag=True, help="Do it; without it only the plan is printed."),
        click.option(
            "--prometheus", metavar="URL", envvar="GPUPLAN_PROMETHEUS", show_envvar=True,
            help="Asked for alerts and running requests; a token comes from GPUPLAN_PROMETHEUS_TOKEN.",
        ),
        click.option("--alertmanager", metavar="URL", help="Asked whether the alert came there (fault drill)."),
        click.option("--output-format", type=click.Choice(FORMATS), default="text", show_default=True, help="For whom to write."),
        *limits,
        *quiet,
        click.option("--pause", type=_SECONDS, default=2.0, hidden=True),
    )  # fmt: skip


def access_of(option: str, written: str | None) -> Access | None:
    """Return how Prometheus or Alertmanager is asked, None where none is named. Raises UsageError."""
    if not written:
        return None
    place = address(written)
    if isinstance(place, str):
        raise click.UsageError(f"--{option} is no address: {place}. Write it as https://{option}.example.")
    token = "" if place.user else os.environ.get(f"GPUPLAN_{option.upper()}_TOKEN", "").strip()
    return Access(url=place.url, token=token, user=place.user, password=place.password, timeout=10.0)


def pool_facts(asked: Asked) -> Pool:
    """Return what the fleet says of the pool. Raises UsageError for a name that it does not have."""
    from gpuplan import pipeline  # noqa: PLC0415 - start-up: --help needs no compiler
    from gpuplan.drill.plan import pool_of  # noqa: PLC0415

    checked = pipeline.check(asked.fleet_dir, today())
    if checked.fleet is None or not checked.ok:
        report_findings(checked.findings, "full", stream=sys.stderr)
        raise SystemExit(1)
    chosen = selected(checked.fleet, asked.clusters)
    found = [(cluster, pool) for cluster in chosen for pool in cluster.pools if pool.name == asked.pool]
    if not found:
        names = sorted(pool.name for cluster in chosen for pool in cluster.pools)
        hint = meant(asked.pool, names, f"There are {', '.join(names) or 'none'}.")
        raise click.UsageError(f"No node pool is called {asked.pool!r}. {hint}")
    ((cluster, pool),) = found  # a pool belongs to one cluster
    return pool_of(checked.fleet, cluster, pool)
