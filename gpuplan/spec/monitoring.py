"""`monitoring:`: what is scraped, what raises an alert and who hears of it, and what dashboards show."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from gpuplan.spec.base import Count, Labels, LabelValue, Name, Positive, SpecModel, Text, exactly_one

DcgmField = Annotated[str, StringConstraints(pattern=r"^DCGM_(FI|EXP)_[A-Z0-9_]+$")]
Minutes = Annotated[int, Field(ge=1, le=7 * 24 * 60)]
"""A stretch of time in an alert, up to a week."""
Percent = Annotated[int, Field(ge=0, le=100)]
Xid = Annotated[int, Field(ge=1, le=999)]
ClockTime = Annotated[str, StringConstraints(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
"""A time of day, `09:00`."""
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
SecretName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", max_length=253)]
SecretKey = Annotated[str, StringConstraints(pattern=r"^[-._a-zA-Z0-9]+$", max_length=253)]
MailAddress = Annotated[str, StringConstraints(pattern=r"^[^@\s]+@[^@\s]+$")]
HttpAddress = Annotated[str, StringConstraints(pattern=r"^https?://[^\s{}]+$")]
WORKDAYS: list[Day] = ["mon", "tue", "wed", "thu", "fri"]


class ExporterSpec(SpecModel):
    """What the DCGM exporter collects."""

    interval_seconds: Annotated[int, Field(ge=1, le=3600)] = 30
    """Seconds between samples."""
    counters: Annotated[list[DcgmField], Field(min_length=1)] | None = None
    """The DCGM fields to collect, exactly; by default the exporter's own list and what gpuplan's rules read. A rule or alert
    that reads a field which is not among them is not rendered."""
    extra_counters: list[DcgmField] = []
    """DCGM fields beyond that list."""
    profiling: bool = True
    """Collect DCGM_FI_PROF_* fields, which need SYS_ADMIN."""


class ThresholdsSpec(SpecModel):
    """Numbers in the alerts."""

    exporter_down_minutes: Minutes = 10
    """Minutes without an exporter before the alert."""
    card_missing_minutes: Minutes = 5
    """Minutes with fewer cards than the spec says before the alert."""
    thermal_margin_celsius: Count = 3
    """Distance to the slowdown temperature that raises the alert."""
    throttled_percent: Annotated[int, Field(ge=1, le=99)] = 50
    """Part of ten minutes for which a card is slowed down by heat or power brake before the alert."""
    pcie_replays_per_minute: Positive = 31
    """Packets sent again over PCIe before the alert."""
    nvlink_errors_per_second: Positive = 100
    """Checksum errors over NVLink before the alert."""
    queue_wait_minutes: Minutes = 30
    """Wait for admission of the slowest twentieth of the jobs before the alert."""
    queue_stuck_minutes: Annotated[int, Field(ge=30, le=7 * 24 * 60)] = 90
    """Minutes with waiting work and no admission in a queue before the alert."""
    start_minutes: Minutes = 15
    """Time from admission to ready pods of the slowest twentieth of the jobs before the alert."""
    job_success_percent: Percent = 80
    """Least part of a team's jobs in a day that succeeds."""
    job_samples: Positive = 5
    """Jobs in a day below which their success says nothing."""
    idle_percent: Annotated[int, Field(ge=1, le=99)] = 30
    """Part of a team's cards that is idle before the alert."""
    idle_cards: Positive = 4
    """Cards of a team in a pool below which idle ones raise no alert."""
    congested_percent: Annotated[int, Field(ge=1, le=1000)] = 100
    """Used and asked for, against the quota of a shared task pool, before the alert."""
    reclaimed_per_day: Positive = 20
    """Workloads of a namespace that lose their cards in a day before the alert."""
    starved_minutes: Minutes = 15
    """Minutes for which a team waits below its own quota at peak hours before the alert."""
    throughput_drop_percent: Annotated[int, Field(ge=1, le=99)] = 20
    """Loss of training throughput against the week before that raises the alert."""
    release_failures: Positive = 2
    """Failed syncs or rollouts in a day before the alert."""


class XidsSpec(SpecModel):
    """XID codes that the fleet judges otherwise than the catalogue."""

    drain: list[Xid] = []
    """Codes after which a node is drained."""
    ignore: list[Xid] = []
    """Codes that raise no alert."""


class PeakHoursSpec(SpecModel):
    """When guarantees are measured: hours of the day in a time zone, summer time included."""

    time_zone: Text = "UTC"
    """Time zone, such as `Europe/Berlin`."""
    days: Annotated[list[Day], Field(min_length=1, max_length=7)] = WORKDAYS
    """Days of the week."""
    start: Annotated[ClockTime, Field(alias="from")] = "09:00"
    """First minute, `09:00`."""
    end: Annotated[ClockTime, Field(alias="to")] = "18:00"
    """Minute after the last, `18:00`."""


class PrometheusSpec(SpecModel):
    """The Prometheus of each cluster, as it is found from inside."""

    namespace: Name = "monitoring"
    """Namespace of its service account, and of Grafana's dashboards."""
    service_account: Name = "kube-prometheus-stack-prometheus"
    """Service account that scrapes; it is allowed to read Kueue's metrics."""
    url: HttpAddress = "http://kube-prometheus-stack-prometheus.monitoring:9090"
    """Address of its API, or of Thanos, Mimir or VictoriaMetrics; `gpuplan reclaim` asks there."""
    tenant: LabelValue | None = None
    """Tenant, sent as `X-Scope-OrgID`; none by default."""


class ReceiverSpec(SpecModel):
    """How one receiver is told; exactly one way. Addresses and keys are in Secrets, never here."""

    slack: SlackSpec | None = None
    """By a message in a channel."""
    pagerduty: SecretKeySpec | None = None
    """By PagerDuty; the Secret holds the integration's routing key."""
    webhook: SecretKeySpec | None = None
    """By a webhook; the Secret holds its address."""
    email: EmailSpec | None = None
    """By mail."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        exactly_one(self, "slack", "pagerduty", "webhook", "email")
        return self


class SecretKeySpec(SpecModel):
    """A key of a Secret in Alertmanager's namespace."""

    secret: SecretName
    """Name of the Secret."""
    key: SecretKey = "value"
    """Its key."""


class SlackSpec(SpecModel):
    """A channel of Slack."""

    channel: Text
    """The channel, `#gpu-alerts`."""
    secret: SecretName
    """Secret that holds the address of the webhook."""
    key: SecretKey = "value"
    """Its key."""


class EmailSpec(SpecModel):
    """An address for mail, which goes through the server of `smtp`."""

    to: MailAddress
    """Where to."""


class SmtpLoginSpec(SecretKeySpec):
    """How Alertmanager logs in to the server; the Secret holds the password."""

    username: Text
    """Its name there."""


class SmtpSpec(SpecModel):
    """The server that mail goes through, by STARTTLS."""

    server: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9.-]+:\d{1,5}$")]
    """Its host and port, `mail.acme.io:587`."""
    sender: Annotated[MailAddress, Field(alias="from")]
    """Address that mail comes from."""
    login: SmtpLoginSpec | None = None
    """How Alertmanager logs in; by default it does not."""


class AlertmanagerSpec(SpecModel):
    """Who hears of which alert. Without receivers gpuplan renders no configuration of Alertmanager."""

    receivers: dict[Name, ReceiverSpec] = {}
    """Receivers by name; a team's `alerts.receiver` is one of them."""
    smtp: SmtpSpec | None = None
    """The server that mail goes through; needed where a receiver is told by mail."""
    platform: Name | None = None
    """Receiver of alerts on nodes and cards, and of teams without one of their own."""
    office_hours: PeakHoursSpec | None = None
    """When alerts that can wait (warning and info) are sent; at any time by default."""
    url: HttpAddress | None = None
    """Address of its API, where `gpuplan reclaim` announces what it is about to do; none by default."""


class ReleasesSpec(SpecModel):
    """Where releases are watched: the clusters whose Prometheus sees the controllers."""

    argocd: list[Name] = []
    """Clusters in which Argo CD runs."""
    rollouts: list[Name] = []
    """Clusters in which Argo Rollouts runs."""


class DashboardsSpec(SpecModel):
    """Dashboards for Grafana, as ConfigMaps that its sidecar finds."""

    enabled: bool = True
    """Whether they are rendered."""
    labels: Annotated[Labels, Field(min_length=1)] = {"grafana_dashboard": "1"}
    """Labels by which the sidecar finds them."""
    folder: Text = "GPU fleet"
    """Folder in Grafana."""


class MonitoringSpec(SpecModel):
    """`monitoring:`."""

    selector_labels: Labels = {"release": "kube-prometheus-stack"}
    """Labels by which Prometheus finds monitors and rules."""
    prometheus: PrometheusSpec = PrometheusSpec()
    """The Prometheus of each cluster."""
    exporter: ExporterSpec = ExporterSpec()
    """What the DCGM exporter collects."""
    thresholds: ThresholdsSpec = ThresholdsSpec()
    """Numbers in the alerts."""
    xids: XidsSpec = XidsSpec()
    """XID codes that the fleet judges otherwise than the catalogue."""
    peak_hours: PeakHoursSpec = PeakHoursSpec()
    """When guarantees are measured."""
    alertmanager: AlertmanagerSpec = AlertmanagerSpec()
    """Who hears of which alert."""
    releases: ReleasesSpec = ReleasesSpec()
    """Where releases are watched."""
    dashboards: DashboardsSpec = DashboardsSpec()
    """Dashboards for Grafana."""
    runbook_base: Text | None = None
    """URL to which the name of an alert is added; by default the runbooks in `rendered/` of the repository."""
