"""What the panels of one dashboard need to know: whose it is, how its variables filter, and the numbers of the spec."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplan.emit.dashboards.scope import Scope
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.monitoring import Thresholds


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A cluster of a fleet, seen through the variables of one dashboard."""

    fleet: Fleet
    cluster: Cluster
    scope: Scope

    @property
    def thresholds(self) -> Thresholds:
        """Numbers of the alerts, at which panels draw their limits."""
        return self.fleet.monitoring.thresholds

    @property
    def money(self) -> str:
        """Grafana's unit of a price for an hour, in the fleet's one currency."""
        currencies = sorted({pool.tier.currency for pool in self.cluster.pools} - {""})
        return f"suffix: {currencies[0]}/h" if currencies else "short"
