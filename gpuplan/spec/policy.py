"""`monitoring:`, `governance:` and `suppress:`: fleet-wide policy."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from gpuplan.spec.base import Count, Labels, SpecModel, Text

DcgmField = Annotated[str, StringConstraints(pattern=r"^DCGM_(FI|EXP)_[A-Z0-9_]+$")]
Enforcement = Literal["off", "warn", "deny"]
Minutes = Annotated[int, Field(ge=1, le=7 * 24 * 60)]
"""A stretch of time in an alert, up to a week."""


class ExporterSpec(SpecModel):
    """What the DCGM exporter collects."""

    interval_seconds: Annotated[int, Field(ge=1, le=3600)] = 30
    """Seconds between samples."""
    extra_counters: list[DcgmField] = []
    """DCGM fields beyond the default list."""
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


class MonitoringSpec(SpecModel):
    """`monitoring:`."""

    selector_labels: Labels = {"release": "kube-prometheus-stack"}
    """Labels by which Prometheus finds monitors and rules."""
    exporter: ExporterSpec = ExporterSpec()
    """What the DCGM exporter collects."""
    thresholds: ThresholdsSpec = ThresholdsSpec()
    """Numbers in the alerts."""
    runbook_base: Text | None = None
    """URL to which the name of an alert is added."""


class GuardRailsSpec(SpecModel):
    """How strictly admission policies act."""

    queue_required: Enforcement = "warn"
    """What happens to GPU work without a queue."""
    produced_resources: Enforcement = "warn"
    """What happens to work that asks for a resource which its queue's tiers do not offer."""
    exempt_users: list[Text] = []
    """Users whose pods need no queue, such as operators of the platform."""


class GovernanceSpec(SpecModel):
    """`governance:`."""

    guard_rails: GuardRailsSpec = GuardRailsSpec()
    """How strictly admission policies act."""
    pod_security: Literal["privileged", "baseline", "restricted"] = "baseline"
    """Pod Security level of team namespaces."""


def _iso_date(text: str) -> str:
    datetime.date.fromisoformat(text)
    return text


IsoDate = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_iso_date)]


class SuppressionSpec(SpecModel):
    """A finding that the fleet's owner accepts."""

    rule: Annotated[str, StringConstraints(pattern=r"^[a-z]+/[a-z0-9-]+$")]
    """Id of the rule."""
    at: Text | None = None
    """Path below which the finding is accepted: `nodePools.lab`; the whole fleet by default."""
    reason: Annotated[str, StringConstraints(min_length=10)]
    """Why; at least ten characters."""
    until: IsoDate | None = None
    """Last day, as `2027-01-31`; no end by default."""
