"""How Kueue's series are read: from the replica that leads, each number once, and counters from their birth.

Facts: Kueue 0.19 (pkg/metrics). With several replicas every one has every series; those that do not lead say so by
`replica_role="follower"` and may be stale. At a change of leaders two may speak for a moment, so the larger number is taken
before anything is added up. Versions without that label have no followers.
"""

from __future__ import annotations

from gpuplan.catalog import Catalog
from gpuplan.model.fleet import Cluster
from gpuplan.model.queues import TaskPool

LEADER = 'replica_role!="follower"'
PENDING = "kueue_pending_workloads"
QUOTA = "kueue_cluster_queue_nominal_quota"
USAGE = "kueue_cluster_queue_resource_usage"
SUBTREE = "kueue_cohort_subtree_quota"
STATUS = "kueue_cluster_queue_status"
WAIT = "kueue_admission_wait_time_seconds"
START = "kueue_admitted_until_ready_wait_time_seconds"
RESOURCE_PENDING = "kueue_cluster_queue_resource_pending"
LOCAL_EVICTED = "kueue_local_queue_evicted_workloads_total"


JOB_FRAMEWORKS = frozenset({"job", "jobset", "mpijob"})
"""Kinds of work whose end is that of a Kubernetes Job, whole or in part."""


def selected(metric: str, *matchers: str, **labels: str) -> str:
    """Select a metric of the replica that leads, with further matchers, or labels of given values."""
    wanted = (f'{label}="{value}"' for label, value in labels.items())
    return f"{metric}{{{', '.join((LEADER, *matchers, *wanted))}}}"


def cards(cluster: Cluster) -> str:
    """Match the resources of cards by the names that queues count them by: quotas of processors and memory are no cards."""
    names = sorted({resource for flavor in cluster.flavors for resource in flavor.capacity})
    return f'resource=~"{"|".join(name.replace(".", "[.]") for name in names)}"'


def grown(counter: str, window: str, watched: str) -> str:
    """Return by how much each series of a counter grew in a window, its first value included.

    `increase` starts from the first value that it sees, so what is counted rarely would be counted as nothing. A series that
    did not exist a window ago began at 0, provided that `watched`, a series of the same exporter, was there. `increase` stretches
    what it saw over the window, but what is counted is whole, so that it is rounded.
    """
    born = f"({counter} unless {counter} offset {window} and on () count({watched} offset {window}))"
    return f"(round({born} >= increase({counter}[{window}]) or increase({counter}[{window}])))"


def has(catalog: Catalog, cluster: Cluster, metric: str) -> bool:
    """Tell whether the cluster's Kueue has a metric."""
    since = catalog.metrics[metric].since
    return since is None or cluster.kueue.version >= since


def runs_jobs(task_pool: TaskPool) -> bool:
    """Tell whether what a task pool runs are Jobs."""
    return bool(JOB_FRAMEWORKS.intersection(task_pool.frameworks))
