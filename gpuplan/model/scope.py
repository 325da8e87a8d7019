"""A fleet narrowed to one cluster: all that the cluster's own files may depend on, and nothing of other clusters.

Emitters of a cluster get such a fleet, so what they can see is what they depend on: a cluster whose narrowed fleet is the
same has the same files.
"""

from __future__ import annotations

import datetime
import functools
from collections.abc import Collection
from dataclasses import replace

from gpuplan.model.fleet import Approvals, Cluster, Fleet, Governance, Window
from gpuplan.model.monitoring import Monitoring
from gpuplan.model.queues import Team

NO_DAY = datetime.date.min
"""The day of a narrowed fleet: dates are for rules, and no file depends on them."""

NOBODY: tuple[str, ...] = ()
ANY_APPROVAL = Approvals(owners=NOBODY, since="low")
"""Who is asked before a change is a matter of plans, and no file depends on it."""


def only(fleet: Fleet, cluster: Cluster) -> Fleet:
    """Return the fleet as one of its clusters may know it."""
    here = replace(cluster, owners=NOBODY)
    return replace(
        fleet,
        clusters=(here,),
        task_pools=tuple(cohort.task_pool for cohort in cluster.cohorts),
        teams=tuple(map(_known, fleet.teams)),
        monitoring=_monitoring(fleet.monitoring, cluster.name),
        governance=_governance(fleet.governance, cluster.name),
        delivery=replace(fleet.delivery, as_set=False, rollout=()),
        suppressions=(),
        today=NO_DAY,
    )


@functools.lru_cache(maxsize=4096)  # each cluster may know of every team
def _known(team: Team) -> Team:
    """Return what a cluster may know of the fleet's teams: who hears of their alerts, since each can have the Alertmanager.

    Those with a queue in the cluster are among its own teams as a whole.
    """
    return replace(team, namespaces=(), groups=(), cost_center="", owners=NOBODY)


def _monitoring(said: Monitoring, cluster: str) -> Monitoring:
    releases = replace(
        said.releases,
        argocd=_here(said.releases.argocd, cluster),
        rollouts=_here(said.releases.rollouts, cluster),
    )
    return replace(said, releases=releases)


def _governance(said: Governance, cluster: str) -> Governance:
    return replace(
        said,
        approvals=ANY_APPROVAL,
        windows=tuple(_window(window, cluster) for window in said.windows if cluster in window.clusters),
        node_health=replace(said.node_health, clusters=_here(said.node_health.clusters, cluster)),
    )


def _window(window: Window, cluster: str) -> Window:
    return replace(window, clusters=(cluster,), named=_here(window.named, cluster))


def _here(names: Collection[str], cluster: str) -> tuple[str, ...]:
    return (cluster,) if cluster in names else ()
