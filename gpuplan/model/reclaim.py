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
