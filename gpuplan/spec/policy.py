"""`governance:` and `suppress:`: fleet-wide policy."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from gpuplan.spec.base import Name, SpecModel, Text
from gpuplan.spec.reclaim import ReclaimSpec
from gpuplan.spec.words import MOVABLE

Enforcement = Literal["off", "warn", "deny"]
MAX_DESCRIPTION = 255
"""Bytes in the description of a sync window that Argo CD takes."""


class GuardRailsSpec(SpecModel):
    """How strictly admission policies act."""

    queue_required: Enforcement = "warn"
    """What happens to GPU work without a queue."""
    produced_resources: Enforcement = "warn"
    """What happens to work that asks for a resource which its queue's tiers do not offer."""
    stateful_serving: Enforcement = "warn"
    """What happens to work in a stateful task pool without a readiness probe, or with less grace than its `drainSeconds`."""
    exempt_users: list[Text] = []
    """Users whose pods need no queue, such as operators of the platform."""


class WindowSpec(SpecModel):
    """A time in which Argo CD may, or may not, bring changes to clusters."""

    name: Text | None = None
    """What people call it; shown by Argo CD."""
    schedule: Text
    """When it opens, as cron with five fields: minute, hour, day of month, month, day of week (0 is Sunday)."""
    duration: Text
    """How long it stays open: `4h`, `1h30m`."""
    time_zone: Text = "UTC"
    """Time zone of the schedule, such as `Europe/Berlin`."""
    clusters: Annotated[list[Name], Field(min_length=1)] | None = None
    """Clusters that it holds for; all by default."""
    kind: Literal["allow", "deny"] = "allow"
    """`allow`: changes come in such windows only. `deny`: never in this one, whatever others allow."""
    manual_sync: bool = False
    """Whether a person may still sync by hand while the window keeps changes off."""
    sync_overrun: bool = False
    """Whether a sync that is under way when its time ends goes on to its end; otherwise it stops between two waves."""
    reason: Text | None = None
    """Why; shown by Argo CD."""

    @model_validator(mode="after")
    def _short_description(self) -> Self:
        length = len(f"{self.name or ''}: {self.reason or ''}".encode())
        if length > MAX_DESCRIPTION:
            together = f"name and reason may have {MAX_DESCRIPTION} bytes together (they have {length})"
            raise PydanticCustomError("too_long_together", "{together}", {"together": together})
        return self


class MaintenanceSpec(SpecModel):
    """When changes may reach the nodes."""

    windows: list[WindowSpec] = []
    """Times in which Argo CD may, or may not, sync; at any time where there are none."""


class NodeConditionSpec(SpecModel):
    """A condition of a node, as node-problem-detector or another reporter sets it."""

    type: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?$", max_length=316)]
    """Its type, such as `GpuHealthy`."""
    healthy_when: bool = True
    """Status of a healthy node: `true`, or `false` for a condition that names a problem, such as `GpuMissing`."""


class NodeHealthSpec(SpecModel):
    """How a node whose GPUs are not healthy stops taking new pods."""

    controller: Literal["nodeReadiness", "none"] = "none"
    """Who sets the taint: the node readiness controller by rules that gpuplan renders, or people and tools of your own."""
    conditions: Annotated[list[NodeConditionSpec], Field(max_length=32)] = []
    """Conditions that must all be as on a healthy node; a node that lacks one counts as unhealthy."""
    clusters: Annotated[list[Name], Field(min_length=1)] | None = None
    """Clusters in which the controller runs; all by default."""
    dry_run: bool = False
    """Only report which nodes would be tainted."""

    @model_validator(mode="after")
    def _conditions_to_judge_by(self) -> Self:
        if self.controller == "nodeReadiness" and not self.conditions:
            message = "controller nodeReadiness needs at least one of conditions"
            raise PydanticCustomError("needs_another", "{message}", {"message": message, "key": "conditions"})
        return self


class ApprovalsSpec(SpecModel):
    """Who is asked before a change is merged, besides the owners of teams and clusters that lose by it."""

    owners: list[Text] = []
    """Who answers for the platform as a whole, as the code host knows them: `@acme/gpu-platform`."""
    since: Annotated[Literal["low", "disruptive", "destructive"], Field(alias="from")] = "disruptive"
    """Lowest risk of a plan from which they are asked."""


class GovernanceSpec(SpecModel):
    """`governance:`."""

    approvals: ApprovalsSpec = ApprovalsSpec()
    """Who is asked before a change is merged."""

    guard_rails: GuardRailsSpec = GuardRailsSpec()
    """How strictly admission policies act."""
    maintenance: MaintenanceSpec = MaintenanceSpec()
    """When changes may reach the nodes."""
    node_health: NodeHealthSpec = NodeHealthSpec()
    """How a node whose GPUs are not healthy stops taking new pods."""
    reclaim: ReclaimSpec = ReclaimSpec()
    """What happens to work that holds cards and leaves them idle."""
    pod_security: Literal["privileged", "baseline", "restricted"] = "baseline"
    """Pod Security level of team namespaces."""


class MovedSpec(SpecModel):
    """An entry that has a new name: what it owns goes over, instead of one entry that ends and another that begins."""

    old: Annotated[str, StringConstraints(pattern=MOVABLE), Field(alias="from")]
    """Where it was: `teams.nlp`."""
    new: Annotated[str, StringConstraints(pattern=MOVABLE), Field(alias="to")]
    """Where it is now: `teams.language`."""

    @model_validator(mode="after")
    def _one_section(self) -> Self:
        if self.old.partition(".")[0] != self.new.partition(".")[0]:
            raise ValueError(f"`{self.old}` cannot become `{self.new}`: both must be of one section")
        return self


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
