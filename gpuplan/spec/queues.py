"""`taskPools:` and `teams:`: who runs what, and how many cards each may count on."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from gpuplan.spec.base import Count, LabelKey, LabelValue, Name, Positive, SpecModel, Text, exactly_one
from gpuplan.spec.pools import TaskKindName, TierName
from gpuplan.spec.reclaim import TaskPoolReclaimSpec
from gpuplan.spec.serving import ServingSpec

Address = Annotated[str, StringConstraints(min_length=1, max_length=200)]
"""A tier, or a tier with a card, a way of sharing or a MIG profile behind slashes: `lab/1g.5gb`."""

Framework = Literal["job", "pod", "deployment", "statefulset", "jobset", "leaderworkerset", "mpijob"]


class LargestJobSpec(SpecModel):
    """The largest job that the task pool must be able to start."""

    pods: Positive = 1
    """Pods that run at once."""
    cards_per_pod: Positive = 1
    """Cards of each pod; shares or instances where the tier is shared or cut."""


class TopologyRequestSpec(SpecModel):
    """The level within which the pods of a job must, or should, sit together. An admission policy refuses work whose pod
    templates with cards lack the annotation by which Kueue learns of it."""

    required: LabelKey | None = None
    """Level within which all pods must sit; pod templates carry `kueue.x-k8s.io/podset-required-topology: LEVEL`."""
    preferred: LabelKey | None = None
    """Level within which they should; pod templates carry `kueue.x-k8s.io/podset-preferred-topology: LEVEL`."""

    @model_validator(mode="after")
    def _one_wish(self) -> Self:
        exactly_one(self, "required", "preferred")
        return self


class StatefulSpec(SpecModel):
    """Pods that hold state, such as a KV cache, and need time to hand it over."""

    drain_seconds: Positive = 300
    """Seconds that a pod needs to hand over its state."""


class PoolSharesSpec(SpecModel):
    """Numbers by address, for the only cluster that has the tier, or cluster by cluster."""

    model_config = {"extra": "allow"}
    __pydantic_extra__: dict[str, Count]

    clusters: dict[Name, dict[Address, Count]] = {}
    """Numbers by cluster and address, where a tier exists in several clusters."""


class TaskPoolSpec(SpecModel):
    """A kind of work with one service class."""

    kind: TaskKindName
    """What it runs."""
    service: Literal["guaranteed", "queued", "shared", "reclaimable"]
    """What its work can count on: `guaranteed`, `queued`, `shared` or `reclaimable`."""
    tiers: Annotated[list[TierName], Field(min_length=1)]
    """Card tiers in the order of preference."""
    fallback: Literal["nextTier", "lastResort"] | None = None
    """How work moves along several tiers: `nextTier` before borrowing or preempting, `lastResort` after."""
    queueing: Literal["strict", "bestEffort"] = "bestEffort"
    """`strict`: nobody overtakes the first in the queue. `bestEffort`: smaller jobs may."""
    largest_job: LargestJobSpec = LargestJobSpec()
    """The largest job that must be able to start; rules check it against quota and nodes."""
    topology: TopologyRequestSpec | None = None
    """How near to each other its pods sit."""
    stateful: StatefulSpec | None = None
    """Its pods hold state, such as a KV cache."""
    pool: PoolSharesSpec | None = None
    """Cards that a shared task pool owns as a whole, by address."""
    pool_borrow: PoolSharesSpec | None = None
    """Cards that it may borrow beyond them; 0 by default."""
    frameworks: Annotated[list[Framework], Field(min_length=1)] | None = None
    """Workload kinds it runs; by default the usual ones of its kind."""
    serving: ServingSpec | None = None
    """The engine that answers requests, for `kind: onlineInference`."""
    reclaim: TaskPoolReclaimSpec = TaskPoolReclaimSpec()
    """What happens to its work where that leaves its cards idle."""


class AmountSpec(SpecModel):
    """What a team gets at one address."""

    guaranteed: Count | None = None
    """Cards that are there at any moment."""
    borrow: Count | None = None
    """Cards beyond them that may be borrowed while idle; 0 by default."""
    lend: Count | None = None
    """Part of the guaranteed cards that others may use while idle; all by default."""
    cap: Count | None = None
    """Most cards at once, in a shared or reclaimable task pool."""


class TeamQuotaSpec(SpecModel):
    """A team's part in one task pool."""

    model_config = {"extra": "allow"}
    __pydantic_extra__: dict[str, AmountSpec]

    weight: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Share of a shared task pool, relative to other teams; 1 by default."""
    clusters: dict[Name, dict[Address, AmountSpec]] = {}
    """Amounts by cluster and address; the team's queue exists only in the clusters named."""


class AlertsSpec(SpecModel):
    """Who answers a team's alerts."""

    receiver: Text
    """Alertmanager receiver of the team."""


class TeamSpec(SpecModel):
    """People, their namespaces and their quotas."""

    namespaces: Annotated[list[Name], Field(min_length=1)]
    """Namespaces of the team, in every cluster where it has a queue."""
    groups: list[Text] = []
    """Groups of the identity provider whose members may work in them."""
    cost_center: LabelValue | None = None
    """Label for the bill."""
    alerts: AlertsSpec | None = None
    """Who answers its alerts."""
    owners: list[Text] = []
    """Who is asked before a change takes something from the team, as the code host knows them: `@acme/nlp-leads`."""
    quotas: dict[Name, TeamQuotaSpec] = {}
    """The task pools it may use, and what it gets in each."""
