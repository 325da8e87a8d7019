"""`governance.reclaim:` and `taskPools.<name>.reclaim:`: what happens to work that holds cards and leaves them idle."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from gpuplan.spec.base import Positive, SpecModel, Text


class IdleSpec(SpecModel):
    """When work counts as idle, and how long it is waited for. What is left out is taken from `governance.reclaim.idle`."""

    threshold_percent: Annotated[int, Field(ge=1, le=50)] | None = None
    """Utilisation that no card of the work may have reached; 2 by default."""
    idle_minutes: Annotated[int, Field(ge=10, le=7 * 24 * 60)] | None = None
    """Minutes that are looked at; 60 by default."""
    coverage_percent: Annotated[int, Field(ge=50, le=100)] | None = None
    """Part of the samples of each card that must be there; 80 by default."""
    minimum_age_minutes: Annotated[int, Field(ge=1, le=30 * 24 * 60)] | None = None
    """Age below which work is spared; 90 by default."""
    grace_minutes: Annotated[int, Field(ge=0, le=7 * 24 * 60)] | None = None
    """Minutes between the notice and the end of the work; 30 by default."""


class TaskPoolReclaimSpec(IdleSpec):
    """Reclaiming of a task pool's idle work."""

    enabled: bool | None = None
    """By default on, but off for guaranteed work, stateful work and online inference."""


class ReclaimSpec(SpecModel):
    """Reclaiming of idle work."""

    mode: Literal["off", "dryRun", "suspend"] = "off"
    """`dryRun`: only tell what would happen. `suspend`: give notice, wait, suspend the work."""
    image: Text | None = None
    """Container image with gpuplan; needed unless `mode` is `off`."""
    idle: IdleSpec = IdleSpec()
    """When work counts as idle, where its task pool does not say."""
    notice: Annotated[list[Literal["event", "alertmanager"]], Field(min_length=1, max_length=2)] = [
        "event",
        "alertmanager",
    ]
    """How people are told; Alertmanager at `monitoring.alertmanager.url` where that is set."""
    every_minutes: Annotated[int, Field(ge=1, le=60)] = 5
    """Minutes between two looks."""
    max_per_hour: Positive = 10
    """Workloads that are suspended within an hour at most, in a cluster."""
    max_share_percent: Annotated[int, Field(ge=1, le=100)] = 50
    """Part of the watched workloads that may be idle at once; beyond it measurement is not trusted and nothing happens."""
