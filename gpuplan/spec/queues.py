"""`taskPools:` and `teams:`: who runs what, and how many cards each may count on."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from gpuplan.spec.base import Count, LabelKey, LabelValue, Name, Positive, SpecModel, Text
from gpuplan.spec.pools import TaskKindName, TierName, exactly_one

Address = Annotated[str, StringConstraints(min_length=1, max_length=200)]
"""A tier, or a tier with a card, a way of sharing or a MIG profile behind slashes: `lab/1g.5gb` (design §4)."""

Framework = Literal["job", "pod", "deployment", "statefulset", "jobset", "leaderworkerset", "mpijob"]


class LargestJobSpec(SpecModel):
    """The largest job that the task pool must be able to start."""

    pods: Positive = 1
    cards_per_pod: Positive = 1


class TopologyRequestSpec(SpecModel):
    """The level within which the pods of a job must, or should, sit together."""

    required: LabelKey | None = None
    preferred: LabelKey | None = None

    @model_validator(mode="after")
    def _one_wish(self) -> Self:
        exactly_one(self, "required", "preferred")
        return self


class StatefulSpec(SpecModel):
    """Pods that hold state, such as a KV cache, and need time to hand it over."""

    drain_seconds: Positive = 300


class PoolSharesSpec(SpecModel):
    """Numbers by address, for the only cluster that has the tier, or cluster by cluster."""

    model_config = {"extra": "allow"}
    __pydantic_extra__: dict[str, Count]

    clusters: dict[Name, dict[Address, Count]] = {}


class TaskPoolSpec(SpecModel):
    """A kind of work with one service class."""

    kind: TaskKindName
    service: Literal["guaranteed", "queued", "shared", "reclaimable"]
    tiers: Annotated[list[TierName], Field(min_length=1)]
    fallback: Literal["nextTier", "lastResort"] | None = None
    queueing: Literal["strict", "bestEffort"] = "bestEffort"
    largest_job: LargestJobSpec = LargestJobSpec()
    topology: TopologyRequestSpec | None = None
    stateful: StatefulSpec | None = None
    pool: PoolSharesSpec | None = None
    pool_borrow: PoolSharesSpec | None = None
    frameworks: Annotated[list[Framework], Field(min_length=1)] | None = None


class AmountSpec(SpecModel):
    """What a team gets at one address."""

    guaranteed: Count | None = None
    borrow: Count | None = None
    lend: Count | None = None
    cap: Count | None = None


class TeamQuotaSpec(SpecModel):
    """A team's part in one task pool."""

    model_config = {"extra": "allow"}
    __pydantic_extra__: dict[str, AmountSpec]

    weight: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    clusters: dict[Name, dict[Address, AmountSpec]] = {}


class AlertsSpec(SpecModel):
    """Who answers a team's alerts."""

    receiver: Text


class TeamSpec(SpecModel):
    """People, their namespaces and their quotas."""

    namespaces: Annotated[list[Name], Field(min_length=1)]
    groups: list[Text] = []
    cost_center: LabelValue | None = None
    alerts: AlertsSpec | None = None
    quotas: dict[Name, TeamQuotaSpec] = {}
