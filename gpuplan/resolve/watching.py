"""`monitoring:`, and what task pools say of serving and of idle work."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from gpuplan.catalog.metrics import PROFILING_PREFIX
from gpuplan.diagnostics import KeyPath
from gpuplan.model.monitoring import (
    Alertmanager,
    DailyHours,
    Dashboards,
    MailServer,
    Monitoring,
    Prometheus,
    Receiver,
    Releases,
    Serving,
    Slo,
    Thresholds,
    Xids,
)
from gpuplan.model.reclaim import IdlePolicy, Reclaim, ReclaimMode
from gpuplan.resolve.scope import Scope
from gpuplan.spec.monitoring import (
    AlertmanagerSpec,
    ExporterSpec,
    PeakHoursSpec,
    PrometheusSpec,
    ReceiverSpec,
    SmtpSpec,
    ThresholdsSpec,
)
from gpuplan.spec.queues import TaskPoolSpec
from gpuplan.spec.reclaim import ReclaimSpec

PATH: KeyPath = ("monitoring",)
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
"""Days of the week as the spec spells them, by Prometheus' numbers."""
IDLE: Mapping[str, int] = {
    "threshold_percent": 2,
    "idle_minutes": 60,
    "coverage_percent": 80,
    "minimum_age_minutes": 90,
    "grace_minutes": 30,
}
"""What counts as idle where nobody says."""


def monitoring(scope: Scope, known: Mapping[str, object]) -> Monitoring:
    """Return what is scraped and alerted on. `known` holds the clusters by name."""
    said = scope.spec.monitoring
    return Monitoring(
        selector_labels=dict(sorted(said.selector_labels.items())),
        prometheus=_prometheus(said.prometheus),
        interval_seconds=said.exporter.interval_seconds,
        counters=tuple(dict.fromkeys(said.exporter.counters or ())),
        extra_counters=tuple(said.exporter.extra_counters),
        profiling=said.exporter.profiling and _profiles(said.exporter),
        thresholds=_thresholds(said.thresholds),
        xids=Xids(drain=tuple(said.xids.drain), ignore=tuple(said.xids.ignore)),
        peak_hours=_hours(said.peak_hours, (*PATH, "peakHours")),
        alertmanager=_alertmanager(said.alertmanager, (*PATH, "alertmanager")),
        releases=Releases(
            argocd=scope.clusters(known, said.releases.argocd, (*PATH, "releases", "argocd")),
            rollouts=scope.clusters(known, said.releases.rollouts, (*PATH, "releases", "rollouts")),
        ),
        dashboards=Dashboards(
            enabled=said.dashboards.enabled,
            labels=dict(sorted(said.dashboards.labels.items())),
            folder=said.dashboards.folder,
        ),
        runbook_base=said.runbook_base or "",
        path=PATH,
    )


def _profiles(said: ExporterSpec) -> bool:
    """Tell whether any profiling field can be asked for: where the spec names all fields, one of them must be such."""
    return said.counters is None or any(
        one.startswith(PROFILING_PREFIX) for one in (*said.counters, *said.extra_counters)
    )


def _prometheus(said: PrometheusSpec) -> Prometheus:
    return Prometheus(
        namespace=said.namespace,
        service_account=said.service_account,
        url=said.url,
        tenant=said.tenant or "",
    )


def _thresholds(said: ThresholdsSpec) -> Thresholds:
    """Take them over one by one: their names are the same on both sides."""
    return Thresholds(**said.model_dump())


def _hours(said: PeakHoursSpec, path: KeyPath) -> DailyHours:
    return DailyHours(
        time_zone=said.time_zone,
        days=tuple(sorted({DAYS.index(day) for day in said.days})),
        start=_minute(said.start),
        end=_minute(said.end),
        path=path,
    )


def _minute(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def _alertmanager(said: AlertmanagerSpec, path: KeyPath) -> Alertmanager:
    return Alertmanager(
        receivers=tuple(_receiver(name, one, (*path, "receivers", name)) for name, one in said.receivers.items()),
        mail=_mail(said.smtp) if said.smtp else None,
        platform=said.platform or "",
        office_hours=_hours(said.office_hours, (*path, "officeHours")) if said.office_hours else None,
        url=said.url or "",
        path=path,
    )


def _mail(said: SmtpSpec) -> MailServer:
    return MailServer(
        address=said.server,
        sender=said.sender,
        username=said.login.username if said.login else "",
        secret=said.login.secret if said.login else "",
        key=said.login.key if said.login else "",
    )


def _receiver(name: str, said: ReceiverSpec, path: KeyPath) -> Receiver:
    """Return a receiver; its model has seen to it that exactly one way is given."""
    if said.slack:
        return Receiver(
            name=name, kind="slack", secret=said.slack.secret, key=said.slack.key, to=said.slack.channel, path=path
        )
    if said.pagerduty:
        return Receiver(
            name=name, kind="pagerduty", secret=said.pagerduty.secret, key=said.pagerduty.key, to="", path=path
        )
    if said.webhook:
        return Receiver(name=name, kind="webhook", secret=said.webhook.secret, key=said.webhook.key, to="", path=path)
    return Receiver(name=name, kind="email", secret="", key="", to=said.email.to if said.email else "", path=path)


def serving(spec: TaskPoolSpec, path: KeyPath) -> Serving | None:
    """Return the engine of a task pool."""
    said = spec.serving
    if said is None:
        return None
    promise = None
    if said.slo:
        budget = 1 - Fraction(said.slo.objective_percent) / 100
        promise = Slo(latency_milliseconds=said.slo.latency_milliseconds, budget=budget)
    return Serving(
        engine=said.engine,
        version=said.version or "",
        port=said.port or 0,
        bounds_milliseconds=tuple(sorted(set(said.bounds_milliseconds))),
        slo=promise,
        path=(*path, "serving"),
    )


def idle(scope: Scope, spec: TaskPoolSpec, path: KeyPath) -> IdlePolicy:
    """Return when work of a task pool counts as idle: as it says, else as the fleet says, else the usual."""
    said = spec.reclaim
    spared = spec.service == "guaranteed" or spec.stateful is not None or spec.kind == "onlineInference"
    fleets = scope.spec.governance.reclaim.idle
    chosen = {name: _first(getattr(said, name), getattr(fleets, name), usual) for name, usual in IDLE.items()}
    return IdlePolicy(enabled=not spared if said.enabled is None else said.enabled, path=(*path, "reclaim"), **chosen)


def _first(*values: int | None) -> int:
    """Return the first value that is given."""
    return next(value for value in values if value is not None)


def reclaim(said: ReclaimSpec) -> Reclaim:
    """Return what is done about idle work."""
    return Reclaim(
        mode=ReclaimMode(said.mode),
        image=said.image or "",
        notice=tuple(dict.fromkeys(said.notice)),
        every_minutes=said.every_minutes,
        max_per_hour=said.max_per_hour,
        max_share_percent=said.max_share_percent,
        path=("governance", "reclaim"),
    )
