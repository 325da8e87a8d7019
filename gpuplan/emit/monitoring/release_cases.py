"""Cases of the alert on failing releases: the fleet's own application, and a rollout of its first team."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan import conventions
from gpuplan.emit.monitoring import series
from gpuplan.emit.monitoring.alerts import PLATFORM_TEAM, Case
from gpuplan.emit.monitoring.release_series import APPLICATION, APPLICATION_INFO, EVENTS, ROLLOUT, ROLLOUT_INFO, SYNCS
from gpuplan.emit.monitoring.scenes import series as written
from gpuplan.model.fleet import Cluster

AT = "300m"
ALWAYS = "1x400"
PROJECT = "default"


def cases(least: int, cluster: Cluster, kinds: tuple[str, ...]) -> Iterator[Case]:
    """Yield the cases of each kind of release that is watched. `least` is how many failures make the alert."""
    if APPLICATION in kinds:
        yield from _applications(least, cluster)
    if ROLLOUT in kinds:
        yield from _rollouts(least, cluster)


def _events(count: int) -> str:
    """Return a counter that begins to exist with its first event, after an hour, and sees so many of them."""
    return f"_x60 1+1x{count - 1} {count}x300" if count else "0x400"


def _applications(least: int, cluster: Cluster) -> Iterator[Case]:
    name = conventions.application_name(cluster.name)
    app = {"namespace": conventions.ARGOCD_NAMESPACE, "name": name, "project": PROJECT}
    info = {written(APPLICATION_INFO, **app, health_status="Healthy", sync_status="Synced"): ALWAYS}
    fires = ({"kind": APPLICATION, **app, "team": PLATFORM_TEAM},)

    def syncs(phase: str, values: str, dry_run: str = "false") -> Mapping[str, str]:
        return {written(SYNCS, **app, phase=phase, dry_run=dry_run): values}

    failed = syncs("Failed", _events(least))
    yield Case(
        kind="firing", name="syncs fail, the first since ever among them", inputs={**info, **failed}, at=AT, fires=fires
    )
    fewer = {**info, **syncs("Succeeded", "0+1x400"), **syncs("Failed", _events(least - 1))}
    yield Case(kind="healthy", name="syncs succeed, and one failure less is none too many", inputs=fewer, at=AT)
    yield Case(kind="absent", name="the application is gone", inputs=failed, at=AT)
    dry = {**info, **syncs("Failed", _events(least), dry_run="true")}
    yield Case(kind="edge", name="dry runs are no releases", inputs=dry, at=AT)
    old = {**info, **syncs("Failed", f"_x60 {least + 7}x400")}
    yield Case(kind="edge", name="failures from before Prometheus looked are not of this day", inputs=old, at=AT)


def _rollouts(least: int, cluster: Cluster) -> Iterator[Case]:
    team = cluster.teams[0] if cluster.teams else None
    rollout = {"namespace": team.namespaces[0] if team else "web", "name": "web"}
    owner = {written(series.NAMESPACE_TEAM, namespace=rollout["namespace"], team=team.name): ALWAYS} if team else {}
    info = {**owner, written(ROLLOUT_INFO, **rollout, strategy="canary", phase="Healthy"): ALWAYS}
    fires = ({"kind": ROLLOUT, **rollout, "team": team.name if team else PLATFORM_TEAM},)

    def events(reason: str, values: str) -> Mapping[str, str]:
        return {written(EVENTS, **rollout, type="Warning", reason=reason): values}

    aborted = events("RolloutAborted", _events(least))
    yield Case(
        kind="firing",
        name="rollouts are aborted, the first since ever among them",
        inputs={**info, **aborted},
        at=AT,
        fires=fires,
    )
    degraded = " ".join(["_x40 1x20"] * least + ["_x400"])
    late = {**info, written(ROLLOUT_INFO, **rollout, strategy="canary", phase="Degraded"): degraded}
    yield Case(
        kind="edge", name="rollouts that run out of time count, too", inputs=late, at=f"{62 * least + 60}m", fires=fires
    )
    done = {**info, **events("RolloutCompleted", "0+1x400")}
    yield Case(kind="healthy", name="rollouts complete", inputs=done, at=AT)
    yield Case(kind="absent", name="the rollout is gone", inputs={**owner, **aborted}, at=AT)
