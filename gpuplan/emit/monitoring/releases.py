"""Releases: syncs of Argo CD and rollouts of Argo Rollouts, which succeed or fail, by the team whose namespace they reach.

Facts: argoproj/argo-cd 3.6, controller/metrics; argoproj/argo-rollouts, controller/metrics and its events. Releases are rare,
so they are counted over a day and a week rather than judged by a rate. Their counters begin to exist with the first event,
which `increase` then does not see: a series that was not there in the window before, and whose first value is 1, has seen one
more. One that begins higher was there before Prometheus looked. Dry runs are none. A rollout fails when it is aborted, and
when it is degraded without that; one that is both is counted once.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.monitoring import release_cases, scrapes, series
from gpuplan.emit.monitoring.alerts import PLATFORM_TEAM, Alert, Group, record
from gpuplan.emit.monitoring.release_series import APPLICATION, APPLICATION_INFO, EVENTS, ROLLOUT, ROLLOUT_INFO, SYNCS
from gpuplan.manifests.kinds.monitoring import RecordingRule
from gpuplan.model.fleet import Cluster, Fleet

INTERVAL = "4m"
"""Days are long: less often than others, and within the five minutes for which Prometheus remembers a sample."""
KEYS = {APPLICATION: "namespace, name, project", ROLLOUT: "namespace, name"}
"""Labels by which a controller knows what it releases."""
_RESULTS = {
    APPLICATION: {
        "succeeded": 'phase="Succeeded", dry_run!="true"',
        "failed": 'phase=~"Failed|Error", dry_run!="true"',
    },
    ROLLOUT: {"succeeded": 'reason="RolloutCompleted"', "failed": 'reason="RolloutAborted"'},
}
_COUNTERS = {APPLICATION: SYNCS, ROLLOUT: EVENTS}
_INFOS = {APPLICATION: APPLICATION_INFO, ROLLOUT: ROLLOUT_INFO}
_KIND_OF = {"argocd": APPLICATION, "rollouts": ROLLOUT}
_ALL_KEYS = "kind, namespace, name, project"


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield what is recorded and alerted on of releases; nothing where no controller is watched."""
    kinds = tuple(_KIND_OF[name] for name in scrapes.release_controllers(fleet, cluster))
    if kinds:
        yield Group(
            name="gpuplan-releases",
            interval=INTERVAL,
            records=tuple(_records(cluster, kinds)),
            alerts=(_alert(fleet.monitoring.thresholds.release_failures, cluster, kinds),),
        )


def _records(cluster: Cluster, kinds: tuple[str, ...]) -> Iterator[RecordingRule]:
    yield record(series.RELEASE_TEAM, _joined(_team(cluster, kind) for kind in kinds))
    hourly = (_tagged(_counted(kind, result, "1h"), kind, result) for kind in kinds for result in _RESULTS[kind])
    yield record(series.RELEASES_1H, _joined(hourly))
    yield record(series.RELEASE_FAILURES, _joined(_tagged(_counted(kind, "failed", "1d"), kind) for kind in kinds))
    # A week in steps of an hour: seven days of a counter for each application would be millions of samples each time.
    yield record(series.RELEASES, f"sum_over_time({series.RELEASES_1H}[7d:1h])")
    every = f"sum by ({_ALL_KEYS}) ({series.RELEASES})"
    good = f'sum by ({_ALL_KEYS}) ({series.RELEASES}{{result="succeeded"}})'
    yield record(series.RELEASE_SUCCESS, _of_team(f"(({good} or {every} * 0) / ({every} > 0))"))


def _counted(kind: str, result: str, window: str) -> str:
    """Count events of a window, by what is released. Two monitors on one controller are no two controllers."""
    counter = f"{_COUNTERS[kind]}{{{_RESULTS[kind][result]}}}"
    first = f"(min_over_time({counter}[{window}]) == 1) unless count_over_time({counter}[{window}] offset {window})"
    events = f'increase({counter}[{window}])\n  or label_replace({first}, "first", "yes", "", "")'
    counted = f"round(max by ({KEYS[kind]}) (sum by (job, {KEYS[kind]}) (\n  {events}\n)))"
    return _with_degraded(counted, window) if (kind, result) == (ROLLOUT, "failed") else counted


def _with_degraded(aborted: str, window: str) -> str:
    """Add rollouts that became degraded without being aborted, such as those that ran out of time."""
    degraded = f'{ROLLOUT_INFO}{{phase="Degraded"}}'
    before = f"max by (namespace, name) (max_over_time({degraded}[15m] offset 5m))"
    became = f"count_over_time((max by (namespace, name) ({degraded}) unless {before})[{window}:5m])"
    return (
        "max by (namespace, name) (\n"
        f'label_replace({aborted}, "by", "events", "", "")\n'
        f'or label_replace({became}, "by", "phase", "", "")\n)'
    )


def _team(cluster: Cluster, kind: str) -> str:
    """Whose a release is: the team's that owns the namespace that it reaches, else the platform's."""
    keys, info = KEYS[kind], _INFOS[kind]
    platform = f'label_replace(max by ({keys}) ({info}), "team", "{PLATFORM_TEAM}", "", "")'
    if not cluster.teams:
        return _tagged(platform, kind)
    reached = "dest_namespace" if kind == APPLICATION else "namespace"
    owner, known = f"{series.NAMESPACE_TEAM}", keys
    if reached != "namespace":
        owner, known = f'label_replace({owner}, "{reached}", "$1", "namespace", "(.+)")', f"{keys}, {reached}"
    owned = f"max by ({keys}, team) (max by ({known}) ({info}) * on ({reached}) group_left (team) {owner})"
    return _tagged(f"({owned}\nor on ({keys}) {platform})", kind)


def _tagged(expression: str, kind: str, result: str = "") -> str:
    made = f'label_replace({expression}, "kind", "{kind}", "", "")'
    return f'label_replace({made}, "result", "{result}", "", "")' if result else made


def _joined(expressions: Iterator[str]) -> str:
    return "\nor\n".join(expressions)


def _of_team(expression: str) -> str:
    return f"{expression}\n* on ({_ALL_KEYS}) group_left (team) {series.RELEASE_TEAM}"


def _alert(least: int, cluster: Cluster, kinds: tuple[str, ...]) -> Alert:
    return Alert(
        name="ReleaseFailing",
        expr=_of_team(f"({series.RELEASE_FAILURES} >= {least})"),
        severity="warning",
        team="",
        summary="Releases of one application fail again and again.",
        description="{{ $labels.kind }} {{ $labels.namespace }}/{{ $labels.name }} failed {{ $value }} times within a day. "
        "Read the message of the last sync (`argocd app get`) or of the rollout (`kubectl argo rollouts get rollout`), and "
        "take back the change that broke it before the next one comes on top.",
        cases=tuple(release_cases.cases(least, cluster, kinds)),
    )
