"""The whole spec, `gpuplan.dev/v1alpha1`, as one model."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from gpuplan.spec.adopted import AdoptedClusterSpec
from gpuplan.spec.base import Name, SpecModel, partial
from gpuplan.spec.clusters import ClusterSpec, MetadataSpec
from gpuplan.spec.delivery import DeliverySpec
from gpuplan.spec.monitoring import MonitoringSpec
from gpuplan.spec.names import NamesSpec
from gpuplan.spec.policy import GovernanceSpec, MovedSpec, SuppressionSpec
from gpuplan.spec.pools import CardName, CardSpec, CardTierSpec, NodePoolSpec
from gpuplan.spec.queues import TaskPoolSpec, TeamSpec

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
    """For every entry of `clusters`."""
    card_tier: partial(CardTierSpec) | None = None  # type: ignore[valid-type]
    """For every entry of `cardTiers`."""
    node_pool: partial(NodePoolSpec) | None = None  # type: ignore[valid-type]
    """For every entry of `nodePools`."""
    task_pool: partial(TaskPoolSpec) | None = None  # type: ignore[valid-type]
    """For every entry of `taskPools`."""
    team: partial(TeamSpec) | None = None  # type: ignore[valid-type]
    """For every entry of `teams`."""


class FleetSpec(SpecModel):
    """Everything that `fleet/` says, merged."""

    api_version: Literal["gpuplan.dev/v1alpha1"]
    """Version of this format."""
    kind: Literal["Fleet"] = "Fleet"
    """Always `Fleet`."""
    metadata: MetadataSpec
    """The fleet itself."""
    defaults: DefaultsSpec = DefaultsSpec()
    """Keys that every entry of a section has unless it sets them; a key is taken whole."""
    clusters: dict[Name, ClusterSpec] = Field(min_length=1)
    """Kubernetes clusters by name."""
    cards: dict[CardName, CardSpec] = {}
    """Cards that the catalogue does not know."""
    card_tiers: dict[Name, CardTierSpec] = Field(min_length=1)
    """Classes of cards that task pools ask for by name."""
    node_pools: dict[Name, NodePoolSpec] = Field(min_length=1)
    """Nodes with one card model and one way of sharing."""
    task_pools: dict[Name, TaskPoolSpec] = {}
    """Kinds of work with one service class."""
    teams: dict[Name, TeamSpec] = {}
    """Teams, their namespaces and their quotas."""
    monitoring: MonitoringSpec = MonitoringSpec()
    """What is scraped and alerted on."""
    governance: GovernanceSpec = GovernanceSpec()
    """Fleet-wide policy."""
    delivery: DeliverySpec = DeliverySpec()
    """How the output reaches the clusters."""
    names: NamesSpec = NamesSpec()
    """Names in use, where gpuplan would give others."""
    adopted: dict[Name, AdoptedClusterSpec] = {}
    """Kueue's objects and priority classes that stay as they were, by cluster."""
    moved: list[MovedSpec] = []
    """Entries that have a new name, for `gpuplan plan`; harmless once the change is merged."""
    suppress: list[SuppressionSpec] = []
    """Findings that the owner accepts, with a reason."""
