"""How much work a cluster is, before it is done: what shards and processes are balanced by.

In thousandths of a second, as measured on the fleet of `make bench`; only ratios and sums of seconds matter.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplan.model.fleet import Cluster
from gpuplan.pipeline.workers import CAN_FORK, usable_cpus

OF_CLUSTER = 40
OF_POOL = 2
OF_QUEUE = 0.5
LEAST_FOR_A_WORKER = 600
"""Less than this is done sooner by one process than it takes to start another and hand the result over."""


def weight(cluster: Cluster) -> float:
    """Return the milliseconds that a cluster takes, roughly."""
    queues = sum(len(cohort.queues) for cohort in cluster.cohorts)
    return OF_CLUSTER + OF_POOL * len(cluster.pools) + OF_QUEUE * queues


def workers_for(clusters: Iterable[Cluster], most: int | None) -> int:
    """Return how many processes some clusters are worth; at most `most`, or as there are processors where it is None."""
    if not CAN_FORK:
        return 1
    weights = [weight(cluster) for cluster in clusters]
    worth = int(sum(weights) // LEAST_FOR_A_WORKER)
    return max(1, min(worth, len(weights), usable_cpus() if most is None else most))
