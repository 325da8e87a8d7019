"""Alerts on idle work and on the reclaimer itself, by the reclaimer's own metrics; only where one is rendered.

A reclaimer that does not run, or cannot see, takes nothing: its silence costs money, not work. So both alerts on it can wait.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit import reclaim
from gpuplan.emit.monitoring.alerts import Alert, Case, Group
from gpuplan.emit.monitoring.promql import of_namespace_team
from gpuplan.emit.monitoring.scenes import series
from gpuplan.emit.monitoring.series import NAMESPACE_TEAM
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.reclaim import ReclaimMode
from gpuplan.model.reclaim_metrics import CIRCUIT_OPEN, IDLE, IDLE_LABELS, LAST_SUCCESS

MISSED_LOOKS = 3
"""Looks that may fail in a row before somebody hears of it."""


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield the alerts of a cluster with a reclaimer."""
    if reclaim.watched(fleet, cluster):
        yield Group(name="gpuplan-reclaim", alerts=(_idle(fleet, cluster), _down(), _blind(fleet)))


def _idle(fleet: Fleet, cluster: Cluster) -> Alert:
    team = cluster.teams[0]
    who = {"namespace": team.namespaces[0], "owner": "a", "owner_kind": "Job", "task_pool": _task_pool(cluster)}
    work = series(IDLE, **who)
    known = {series(NAMESPACE_TEAM, namespace=team.namespaces[0], team=team.name): "1x60"}
    suspends = fleet.governance.reclaim.mode is ReclaimMode.SUSPEND
    return Alert(
        name="GpuWorkIdle",
        expr=of_namespace_team(f"max by ({', '.join(IDLE_LABELS)}) ({IDLE}) == 1"),
        wait="5m",
        severity="warning" if suspends else "info",
        team="",
        summary="Work holds GPUs and does not use them.",
        description="{{ $labels.owner_kind }} {{ $labels.namespace }}/{{ $labels.owner }} in {{ $labels.task_pool }} has not "
        + (
            "used its GPUs for long and will be suspended when its notice is over. Use them, end it, or exempt it."
            if suspends
            else "used its GPUs for long. End it if nobody needs it; nothing is suspended, since the reclaimer only looks."
        ),
        cases=(
            Case(
                kind="firing",
                name="a job is idle",
                inputs={work: "1x30", **known},
                at="20m",
                fires=({**who, "team": team.name},),
            ),
            Case(kind="healthy", name="a job was used again", inputs={work: "1x9 stale", **known}, at="20m"),
            Case(kind="absent", name="the reclaimer is silent", inputs=known, at="20m"),
            Case(kind="edge", name="work in a namespace of no team is nobody's alert", inputs={work: "1x30"}, at="20m"),
        ),
    )


def _task_pool(cluster: Cluster) -> str:
    return cluster.cohorts_with_queues[0].task_pool.name


def _down() -> Alert:
    success = series(LAST_SUCCESS)
    return Alert(
        name="GpuReclaimerDown",
        expr=f"absent({LAST_SUCCESS})",
        wait="15m",
        severity="warning",
        summary="The reclaimer of idle GPUs does not run.",
        description=f"Nothing is reclaimed. Look at Deployment {reclaim.NAME} in its namespace, at its image, and whether "
        "Prometheus scrapes it.",
        cases=(
            Case(kind="firing", name="its pod is gone", inputs={success: "600x4 stale"}, at="25m", fires=({},)),
            Case(kind="healthy", name="it runs", inputs={success: "0+60x60"}, at="40m"),
            Case(kind="absent", name="it never ran", inputs={}, at="20m", fires=({},)),
            Case(kind="edge", name="it is replaced in a few minutes", inputs={success: "0x9 _x10 1x30"}, at="22m"),
        ),
    )


def _blind(fleet: Fleet) -> Alert:
    """The first look of a new pod may fail too: a time of success of 0 is long ago."""
    late = fleet.governance.reclaim.every_minutes * MISSED_LOOKS
    return Alert(
        name="GpuReclaimerBlind",
        expr=f"time() - max({LAST_SUCCESS}) > {late * 60} or max({CIRCUIT_OPEN}) == 1",
        wait="10m",
        severity="warning",
        summary="The reclaimer of idle GPUs cannot tell which work is idle.",
        description="Nothing is reclaimed: the API server, Prometheus or Alertmanager did not answer in full for "
        f"{late} min, or so much seems idle at once that measurement is not trusted. Its log says which.",
        cases=tuple(_blind_cases(late)),
    )


def _blind_cases(late: int) -> Iterator[Case]:
    """Yield cases by when a look last succeeded; `late` is how many minutes ago is too long."""
    success, circuit = series(LAST_SUCCESS), series(CIRCUIT_OPEN)
    always, end = f"0+60x{late + 60}", f"{late + 30}m"
    never = {success: f"0x{late + 60}"}
    yield Case(kind="firing", name="no look succeeds", inputs=never, at=f"{late + 20}m", fires=({},))
    trusted = {success: always, circuit: f"0x{late + 60}"}
    yield Case(kind="healthy", name="it looks in time", inputs=trusted, at=end)
    yield Case(kind="absent", name="it does not run at all", inputs={}, at="60m")
    strange = {success: always, circuit: f"1x{late + 60}"}
    yield Case(kind="edge", name="all looks succeed, but everything seems idle", inputs=strange, at=end, fires=({},))
