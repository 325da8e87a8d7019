"""What a rule group is made of: recorded series, alerts, and the cases by which each alert is tested.

An alert comes with its test, as data: what Prometheus has seen, minute by minute, and which alerts then fire. We run
the cases, and users' CI can (`rendered/prometheus/<cluster>/*.test.yaml`). The runbook of an alert is a template of
its name (`gpuplan/report/templates/alerts/`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gpuplan.emit.monitoring.series import Series
from gpuplan.manifests.kinds.monitoring import RecordingRule

PLATFORM_TEAM = "platform"
"""Whom alerts on nodes and cards are for; those on a program or a queue go to its team."""

Severity = Literal["critical", "warning", "info"]
CaseKind = Literal["firing", "healthy", "absent", "edge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test of one alert.

    `inputs` maps a series with its labels to promtool's notation of its values, one a minute (`1x60`, `0x4 1x5 stale`).
    At `at` (`20m`) exactly the alerts `fires` fire; each maps the labels that it carries besides alertname, severity and
    a fixed team to their values. `absent` cases leave out an input that the alert reads.
    """

    kind: CaseKind
    name: str
    """What it shows, as a sentence without a period."""
    inputs: Mapping[str, str]
    at: str
    fires: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """An alert. `wait` is Prometheus' `for`, `hold` its `keep_firing_for`; both may be empty.

    `team` is empty where the expression yields a label `team`. The summary is a sentence without templates that ends with a
    period; the description says what is wrong with what, and what to do first.
    """

    name: str
    expr: str
    severity: Severity
    summary: str
    description: str
    wait: str = ""
    hold: str = ""
    team: str = PLATFORM_TEAM
    cases: tuple[Case, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Rules that are evaluated together, records first. `interval` is empty for Prometheus' own."""

    name: str
    records: tuple[RecordingRule, ...] = ()
    alerts: tuple[Alert, ...] = ()
    interval: str = ""


RuleGroups = Mapping[str, tuple[Group, ...]]
"""The groups of each cluster of a fleet, by the cluster's name."""


def record(series: Series, expr: str, **labels: str) -> RecordingRule:
    """Return the rule that records a series."""
    made: RecordingRule = {"record": series.name, "expr": expr}
    if labels:
        made["labels"] = dict(sorted(labels.items()))
    return made
