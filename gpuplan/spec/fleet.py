"""The whole spec, `gpuplan.dev/v1alpha1`, as one model."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpuplan.spec.base import Name, SpecModel, partial
from gpuplan.spec.clusters import ClusterSpec, DeliverySpec, MetadataSpec
from gpuplan.spec.policy import GovernanceSpec, MonitoringSpec, SuppressionSpec
from gpuplan.spec.pools import CardName, CardSpec, CardTierSpec, NodePoolSpec
from gpuplan.spec.queues import TaskPoolSpec, TeamSpec

API_VERSION = "gpuplan.dev/v1alpha1"
KIND = "Fleet"

DEFAULTABLE = {
    "cluster": ("clusters", ClusterSpec),
    "cardTier": ("cardTiers", CardTierSpec),
    "nodePool": ("nodePools", NodePoolSpec),
    "taskPool": ("taskPools", TaskPoolSpec),
    "team": ("teams", TeamSpec),
}
"""Key under `defaults:` -> the section whose entries it fills in, and their model."""


class DefaultsSpec(SpecModel):
    """`defaults:`: keys that every entry of a section has unless it sets them itself."""

    cluster: partial(ClusterSpec) | None = None  # type: ignore[valid-type]  # made by a function
    card_tier: partial(CardTierSpec) | None = None  # type: ignore[valid-type]
    node_pool: partial(NodePoolSpec) | None = None  # type: ignore[valid-type]
    task_pool: partial(TaskPoolSpec) | None = None  # type: ignore[valid-type]
    team: partial(TeamSpec) | None = None  # type: ignore[valid-type]


class FleetSpec(SpecModel):
    """Everything that `fleet/` says, merged."""

    api_version: Literal["gpuplan.dev/v1alpha1"]
    kind: Literal["Fleet"] = "Fleet"
    metadata: MetadataSpec
    defaults: DefaultsSpec = DefaultsSpec()
    clusters: dict[Name, ClusterSpec] = Field(min_length=1)
    cards: dict[CardName, CardSpec] = {}
    card_tiers: dict[Name, CardTierSpec] = Field(min_length=1)
    node_pools: dict[Name, NodePoolSpec] = Field(min_length=1)
    task_pools: dict[Name, TaskPoolSpec] = {}
    teams: dict[Name, TeamSpec] = {}
    monitoring: MonitoringSpec = MonitoringSpec()
    governance: GovernanceSpec = GovernanceSpec()
    delivery: DeliverySpec = DeliverySpec()
    suppress: list[SuppressionSpec] = []
