"""What the advice for one pool is made from: plain facts, each with the place where it is said."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from gpuplan.diagnostics import Span
from gpuplan.rules.judgement import Judgement

Way = Literal["manual", "operator"]
"""The two ways between which a team may choose for NVIDIA cards that nobody else runs."""
Privilege = Literal["allowed", "reviewed", "forbidden"]
DriverFrom = Literal["operator", "nodes"]
"""Who brings the driver where the operator runs the agents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One stated fact in words, and where it is said: in `fleet/`, in the answers file, or nowhere, being assumed."""

    name: str
    says: str
    at: tuple[Span, ...] = ()
    assumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The facts of one pool, and those of the fleet around it, as values.

    `nodes` counts nodes with NVIDIA cards whose agents no third party runs, in all clusters; `driver_nodes` those among
    them whose driver an operator would install. `growth` is in percent a year, `releases` on a day. `people` and
    `controllers` are None where the team does not say. `kinds` are pairs of architecture and driver branch among the
    cluster's pools. `drain_seconds` is the longest grace of stateful work on the pool, 0 where there is none.
    """

    nodes: int
    driver_nodes: int
    growth: int
    releases: int
    people: float | None
    controllers: int | None
    privileged: Privilege
    air_gapped: bool
    clouds: int
    kinds: int
    teams: int
    drain_seconds: int
    driver: DriverFrom
    in_service: bool
    now: Way
    beside_operator: bool
    """Whether the operator serves other pools of the cluster today."""
    kept_off: bool
    """Whether the operator leaves its nodes alone while they are on scripts."""
    claims: bool
    """Whether pods claim its devices (DRA), which the operator's device plugin would give away, too."""
    manual_trouble: str
    """Why our own agents do not do well on the distribution; empty where they do."""
    judged: tuple[Judgement, ...]
    """How the operator goes together with the cluster's versions."""
    image: Judgement
    """Whether the operator has an image of the driver for the nodes."""

    @property
    def horizon(self) -> int:
        """Nodes in twelve months."""
        return grown(self.nodes, self.growth)

    @property
    def driver_horizon(self) -> int:
        """Those of them whose driver an operator would install."""
        return min(self.horizon, grown(self.driver_nodes, self.growth))

    def with_nodes(self, nodes: int) -> Case:
        """Return the case of a fleet with more or fewer nodes of this pool's kind."""
        more = nodes - self.nodes if self.driver == "operator" else 0
        return replace(self, nodes=nodes, driver_nodes=min(nodes, max(0, self.driver_nodes + more)))

    def with_driver(self, driver: DriverFrom) -> Case:
        """Return the case in which all drivers of the fleet are brought another way."""
        return replace(self, driver=driver, driver_nodes=self.nodes if driver == "operator" else 0)


def grown(number: int, percent: int) -> int:
    """Return a number after a growth, rounded down.

    >>> grown(24, 150)
    60
    """
    return number * (100 + percent) // 100
