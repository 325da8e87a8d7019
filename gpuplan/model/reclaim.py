"""What happens to work that holds cards and leaves them idle, resolved."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Literal

from gpuplan.diagnostics import KeyPath

Notice = Literal["event", "alertmanager"]


class ReclaimMode(enum.Enum):
    """What is done; the value is the spelling in the spec."""

    OFF = "off"
    DRY_RUN = "dryRun"
    SUSPEND = "suspend"


@dataclass(frozen=True, slots=True, kw_only=True)
class IdlePolicy:
    """When work of a task pool counts as idle, and how long it is waited for."""

    enabled: bool
    threshold_percent: int
    idle_minutes: int
    coverage_percent: int
    minimum_age_minutes: int
    grace_minutes: int
    path: KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclaim:
    """Reclaiming of idle work in all clusters; the policy of each task pool is its own (`TaskPool.idle`)."""

    mode: ReclaimMode
    image: str
    """Empty where the spec names none; a rule refuses that unless the mode is off."""
    notice: tuple[Notice, ...]
    every_minutes: int
    max_per_hour: int
    max_share_percent: int
    path: KeyPath


class ReclaimReason(enum.Enum):
    """Why work lost its cards: the closed list by which metrics, Events and annotations say it.

    The reclaimer itself acts for `idle` alone; the others are what Kueue and Kubernetes do, in the same words, so that the
    totals of both can be compared.
    """

    IDLE = "idle"
    MAX_RUNTIME = "max_runtime"
    QUOTA_RECLAIM = "quota_reclaim"
    PRIORITY = "priority"
    NODE_FAILURE = "node_failure"
    PODS_READY_TIMEOUT = "pods_ready_timeout"
    QUEUE_STOPPED = "queue_stopped"
    SCHEDULE = "schedule"
    MANUAL = "manual"
