"""What is scraped, what raises an alert and who hears of it, resolved. Numbers are in the unit of their name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from gpuplan.diagnostics import KeyPath

Minute = int
"""A minute of the day: 0 is midnight, 1439 the last."""


REQUIRED = (
    "DCGM_EXP_XID_ERRORS_COUNT",
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    "DCGM_FI_DEV_FB_FREE",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_GPU_RECOVERY_ACTION",
    "DCGM_FI_DEV_GPU_TEMP",
    "DCGM_FI_DEV_GPU_TEMP_LIMIT",
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL",
    "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL",
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_ROW_REMAP_FAILURE",
    "DCGM_FI_DEV_ROW_REMAP_PENDING",
    "DCGM_FI_DEV_SLOWDOWN_TEMP",
)
"""What our rules read whether or not profiling is on; collected whatever the spec says, since the exporter's own list lacks
some of them."""
PROFILED = ("DCGM_FI_PROF_DRAM_ACTIVE", "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE")
"""What they read besides where profiling is on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Numbers in the alerts, in the unit of their name."""

    exporter_down_minutes: int
    card_missing_minutes: int
    thermal_margin_celsius: int
    throttled_percent: int
    pcie_replays_per_minute: int
    nvlink_errors_per_second: int
    queue_wait_minutes: int
    queue_stuck_minutes: int
    start_minutes: int
    job_success_percent: int
    job_samples: int
    idle_percent: int
    idle_cards: int
    congested_percent: int
    reclaimed_per_day: int
    starved_minutes: int
    throughput_drop_percent: int
    release_failures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Xids:
    """XID codes that the fleet judges otherwise than the catalogue, in the order of the spec."""

    drain: tuple[int, ...]
    ignore: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyHours:
    """Hours of some days of the week in a time zone, summer time included."""

    time_zone: str
    days: tuple[int, ...]
    """Days of the week, 0 is Sunday, sorted."""
    start: Minute
    """First minute."""
    end: Minute
    """Minute after the last; at or before `start` where the hours run past midnight."""
    path: KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Prometheus:
    """The Prometheus of each cluster, as it is found from inside."""

    namespace: str
    service_account: str
    url: str
    tenant: str
    """Sent as `X-Scope-OrgID`; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """How one receiver is told. Addresses and keys are in Secrets."""

    name: str
    kind: Literal["slack", "pagerduty", "webhook", "email"]
    secret: str
    """Name of the Secret in Alertmanager's namespace; empty for mail."""
    key: str
    to: str
    """Channel or mail address; empty for the others."""
    path: KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """The server that mail goes through. The password is in a Secret."""

    address: str
    """Host and port."""
    sender: str
    """Address that mail comes from."""
    username: str
    """Empty where Alertmanager does not log in; `secret` and `key` are then empty, too."""
    secret: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alertmanager:
    """Who hears of which alert."""

    receivers: tuple[Receiver, ...]
    """None where gpuplan renders no configuration."""
    mail: MailServer | None
    """None where the spec names no server; a rule refuses receivers by mail then."""
    platform: str
    """Receiver of the platform's alerts; the spec's, else empty (a rule says so where there are receivers)."""
    office_hours: DailyHours | None
    """When alerts that can wait are sent; None for any time."""
    url: str
    """Address of its API; empty where none is named."""
    path: KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Releases:
    """Names of the clusters whose Prometheus sees the controllers of releases."""

    argocd: tuple[str, ...]
    rollouts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboards:
    """How dashboards reach Grafana."""

    enabled: bool
    labels: Mapping[str, str]
    """Labels by which the sidecar finds them, sorted."""
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitoring:
    """What is scraped and alerted on."""

    selector_labels: Mapping[str, str]
    """Labels by which the fleet's Prometheus finds monitors and rules."""
    prometheus: Prometheus
    interval_seconds: int
    counters: tuple[str, ...]
    """The DCGM fields to collect, exactly; empty for the default list."""
    extra_counters: tuple[str, ...]
    """DCGM fields beyond that list."""
    profiling: bool
    """Whether DCGM profiling fields (DCGM_FI_PROF_*) are collected, which needs SYS_ADMIN."""
    thresholds: Thresholds
    xids: Xids
    peak_hours: DailyHours
    alertmanager: Alertmanager
    releases: Releases
    dashboards: Dashboards
    runbook_base: str
    """URL that an alert's lower-case name is appended to; empty where the spec names none."""
    path: KeyPath

    @property
    def named_counters(self) -> Iterator[tuple[KeyPath, str]]:
        """The fields that the spec names, each with its place below `exporter`."""
        for key, names in (("counters", self.counters), ("extraCounters", self.extra_counters)):
            yield from ((("exporter", key, index), name) for index, name in enumerate(names))


FAST_BURN, SLOW_BURN = Fraction(144, 10), Fraction(6)
"""How many times as fast as promised a budget of slow requests burns when InferenceLatencyBurnFast and …Slow fire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slo:
    """A promise on latency: at most `budget` of the requests take longer."""

    latency_milliseconds: int
    budget: Fraction
    """Part of the requests that may be slower, 1/100 for 99 percent."""

    def can_burn(self, factor: Fraction) -> bool:
        """Tell whether it can: a budget of a tenth burns ten times as fast at most, when every request is slow."""
        return factor * self.budget < 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The engine that answers requests in a task pool."""

    engine: Literal["vllm", "sglang", "triton", "tgi"]
    version: str
    """Empty where the spec names none."""
    port: int
    """0 for the engine's usual one."""
    bounds_milliseconds: tuple[int, ...]
    """Bounds that the engine is started with, sorted; empty for its usual ones."""
    slo: Slo | None
    """None where nothing is promised."""
    path: KeyPath
