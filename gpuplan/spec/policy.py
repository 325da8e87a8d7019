"""`monitoring:`, `governance:` and `suppress:`: fleet-wide policy."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from gpuplan.spec.base import Count, Labels, Positive, SpecModel, Text

DcgmField = Annotated[str, StringConstraints(pattern=r"^DCGM_(FI|EXP)_[A-Z0-9_]+$")]
Enforcement = Literal["off", "warn", "deny"]


class ExporterSpec(SpecModel):
    """What the DCGM exporter collects."""

    interval_seconds: Annotated[int, Field(ge=1, le=3600)] = 30
    extra_counters: list[DcgmField] = []
    profiling: bool = True


class ThresholdsSpec(SpecModel):
    """Numbers in the alerts."""

    exporter_down_minutes: Positive = 10
    card_missing_minutes: Positive = 5
    thermal_margin_celsius: Count = 3


class MonitoringSpec(SpecModel):
    """`monitoring:`."""

    selector_labels: Labels = {"release": "kube-prometheus-stack"}
    exporter: ExporterSpec = ExporterSpec()
    thresholds: ThresholdsSpec = ThresholdsSpec()
    runbook_base: Text | None = None


class GuardRailsSpec(SpecModel):
    """How strictly admission policies act."""

    queue_required: Enforcement = "warn"
    produced_resources: Enforcement = "warn"
    exempt_users: list[Text] = []


class GovernanceSpec(SpecModel):
    """`governance:`."""

    guard_rails: GuardRailsSpec = GuardRailsSpec()
    pod_security: Literal["privileged", "baseline", "restricted"] = "baseline"


def _iso_date(text: str) -> str:
    datetime.date.fromisoformat(text)
    return text


IsoDate = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_iso_date)]


class SuppressionSpec(SpecModel):
    """A finding that the fleet's owner accepts."""

    rule: Annotated[str, StringConstraints(pattern=r"^[a-z]+/[a-z0-9-]+$")]
    at: Text | None = None
    reason: Annotated[str, StringConstraints(min_length=10)]
    until: IsoDate | None = None
