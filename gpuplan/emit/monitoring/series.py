"""The series that our rules record: the contract between rules, dashboards, cost and reclaim.

Each name stands here once, with the labels that it carries and what it says; everybody else writes the constant. Names that
are compiled from the spec and constant have no colon; computed ones are `gpuplan:<what>:<how>`, as Prometheus' conventions
have it. Cards are counted as physical cards, shared or cut ones by their share, unless a name says otherwise. `resource` is
kube-state-metrics' spelling (`nvidia_com_gpu`) on nodes and pods, and Kueue's (`nvidia.com/gpu`) on queues.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Series:
    """A recorded series: its name, the labels that it carries, and what it says. In text it is its name."""

    name: str
    labels: tuple[str, ...]
    says: str

    def __str__(self) -> str:
        return self.name


def _series(name: str, labels: str, says: str) -> Series:
    return Series(name, tuple(labels.split()), says)


# Facts of the spec (`info.py`).
NAMESPACE_TEAM = _series("gpuplan_namespace_team_info", "namespace team", "1 for each namespace of a team")
TEAM = _series("gpuplan_team_info", "team cost_center", "1 for each team; the cost centre is empty where none is named")
QUEUE_TEAM = _series(
    "gpuplan_clusterqueue_team_info", "cluster_queue team task_pool service", "1 for each ClusterQueue"
)
POOL = _series("gpuplan_pool_info", "pool tier card sharing", "1 for each node pool")
POOL_NODES = _series("gpuplan_pool_nodes", "pool", "nodes of a pool by the spec")
CARDS_PER_NODE = _series("gpuplan_pool_gpus_per_node", "pool", "cards that each node of a pool reports")
NODE_CAPACITY = _series("gpuplan_pool_node_cards", "pool", "cards of each node of a pool by the spec")
FRACTION = _series("gpuplan_pool_gpu_fraction", "pool resource", "part of a card that one unit of a resource is")
MIG_FRACTION = _series("gpuplan_pool_mig_fraction", "pool GPU_I_PROFILE", "part of a card that a MIG instance is")
PRICE = _series("gpuplan_pool_gpu_hourly_cost", "pool resource currency", "price of one unit of a resource for an hour")
CARD_PRICE = _series("gpuplan_pool_card_hourly_cost", "pool currency", "price of a whole card for an hour")
QUEUE_QUOTA = _series("gpuplan_clusterqueue_declared_quota", "cluster_queue resource", "nominal quota by the spec")
COHORT_QUOTA = _series("gpuplan_cohort_declared_quota", "cohort resource", "what a shared task pool owns by the spec")
PEAK_CLOCK = _series(
    "gpuplan:peak_clock:seconds", "", "clock of the peak hours' zone, put back so that days begin when the hours do"
)
PEAK_HOURS = _series("gpuplan_peak_hours:bool", "", "1 at peak hours, 0 otherwise")

# What everything else builds on (`base_rules.py`).
NODE_POOL = _series("gpuplan:node_pool:info", "node pool", "1 for each node with cards whose pool is known")
NODE_CARDS = _series("gpuplan:node_cards:count", "node", "cards that a node reports")
POD_REQUESTS = _series(
    "gpuplan:pod_gpu_requests:sum",
    "namespace pod node resource",
    "units that a pod with a node holds, finished ones not",
)
GPU_UTIL = _series(
    "gpuplan:gpu_util:ratio",
    "node pool gpu UUID GPU_I_ID GPU_I_PROFILE namespace pod container",
    "busy part of a card or instance, 0 to 1, once for each pod that holds it",
)
GPU_MEMORY = _series(
    "gpuplan:gpu_mem_util:ratio",
    "node pool gpu UUID GPU_I_ID GPU_I_PROFILE namespace pod container",
    "used part of the memory of a card or instance, 0 to 1",
)
CARD_UTIL = _series("gpuplan:card_util:ratio", "node pool gpu UUID", "busy part of a physical card, 0 to 1")
CARD_POWER = _series("gpuplan:card_power:watts", "node pool gpu UUID", "power draw of a physical card")
CARD_TEMPERATURE = _series("gpuplan:card_temperature:celsius", "node pool gpu UUID", "temperature of a physical card")
POOL_CAPACITY = _series("gpuplan:pool_gpus_capacity:sum", "pool", "cards of all nodes that are there")
POOL_ALLOCATED = _series("gpuplan:pool_gpus_allocated:sum", "pool", "cards that pods hold")
TEAM_ALLOCATED = _series("gpuplan:team_gpus_allocated:sum", "team pool", "cards that pods of a team hold")
PODS_WITHOUT_TEAM = _series("gpuplan:pods_without_team:count", "", "pods with cards in namespaces of no team")

# The state of cards (`state/`).
THROTTLED = _series(
    "gpuplan:card_throttled:bool",
    "node pool gpu UUID reason",
    "1 while a card is slowed down by hw_thermal, hw_power_brake, hw_slowdown or sw_thermal, else 0",
)

# Runs of tasks (`tasks.py`).
QUEUE_WAIT = _series(
    "gpuplan:queue_wait_seconds:p95", "cluster_queue", "wait for admission; with five jobs an hour or more"
)
QUEUE_START = _series("gpuplan:queue_start_seconds:p95", "cluster_queue", "time from admission to ready pods")
JOBS_ENDED = _series(
    "gpuplan:jobs_ended:count5m", "namespace result", "jobs of teams that ended in 5 min; succeeded or failed"
)
JOBS_RUN_TIME = _series("gpuplan:jobs_run_seconds:sum5m", "namespace", "time of jobs that succeeded in 5 min")
JOBS_FINISHED = _series(
    "gpuplan:jobs_finished:count1d", "namespace result", "jobs that ended in a day; succeeded or failed"
)
JOB_SUCCESS = _series(
    "gpuplan:job_success:ratio1d", "namespace", "succeeded part of a day's jobs, where they are enough"
)
JOB_DURATION = _series("gpuplan:job_duration_seconds:avg1d", "namespace", "mean time of jobs that succeeded in a day")

# Governance (`governance.py`).
POD_IDLE = _series(
    "gpuplan:pod_gpu_idle:bool", "namespace pod", "1 if no card of a pod did anything in an hour, else 0"
)
TEAM_IDLE = _series("gpuplan:team_gpus_idle:sum", "team pool", "cards that idle pods of a team hold")
TEAM_IDLE_SHARE = _series("gpuplan:team_gpu_idle:share", "team pool", "idle part of what a team holds, 0 to 1")
QUEUE_NOMINAL = _series("gpuplan:cq_gpu_quota:sum", "cluster_queue cohort resource", "nominal quota in Kueue")
QUEUE_USAGE = _series("gpuplan:cq_gpu_usage:sum", "cluster_queue cohort resource", "units that admitted work uses")
TEAM_QUOTA_GAP = _series("gpuplan:team_quota_gap:sum", "team resource", "usage minus quota; above 0 is borrowed")
CONGESTION = _series(
    "gpuplan:cohort_gpu_congestion:ratio", "cohort resource", "used and asked for, against what is owned"
)
EVICTED = _series(
    "gpuplan:kueue_evicted:increase1d",
    "namespace name reason underlying_cause",
    "workloads that Kueue evicted in a day",
)
PREEMPTED = _series("gpuplan:kueue_preempted:increase1d", "cluster_queue", "workloads of a queue preempted in a day")
EVICTED_WITHIN = _series(
    "gpuplan:kueue_preempted_within:share1d",
    "cluster_queue",
    "part of a queue's preempted workloads that gave way to work of the same queue",
)
DISRUPTED = _series(
    "gpuplan:workload_disrupted:bool",
    "namespace created_by_kind created_by_name reason",
    "1 while Kubernetes takes a pod with cards away from its workload",
)
RECLAIMED = _series(
    "gpuplan:reclaimed_workloads:increase1d", "namespace reason", "workloads that lost their cards in a day"
)
STARVED = _series(
    "gpuplan:team_starved_under_quota:bool", "cluster_queue team", "1 if work waits while quota is free, else 0"
)
STARVED_AT_PEAK = _series("gpuplan:team_starved_at_peak:bool", "cluster_queue team", "the same, at peak hours alone")
GUARANTEE = _series(
    "gpuplan:guarantee_at_peak:ratio7d", "cluster_queue team", "part of a week's peak hours without starving"
)

# Business (`serving.py`, `training.py`, `releases.py`).
LATENCY = _series("gpuplan:serving_latency_seconds:p95", "namespace team task_pool model", "latency; a mean for Triton")
SLOW_5M = _series(
    "gpuplan:serving_slow:ratio5m", "namespace team task_pool model", "requests beyond the promise in 5 min"
)
SLOW_1H = _series(
    "gpuplan:serving_slow:ratio1h", "namespace team task_pool model", "requests beyond the promise in 1 h"
)
SLOW_6H = _series(
    "gpuplan:serving_slow:ratio6h", "namespace team task_pool model", "requests beyond the promise in 6 h"
)
REQUESTS = _series("gpuplan:serving_requests:rate5m", "namespace team task_pool model", "requests a second")
TENSOR = _series(
    "gpuplan:team_tensor_active:avg", "team pool", "busy part of the tensor pipes of training work, 0 to 1"
)
THROUGHPUT_CHANGE = _series(
    "gpuplan:training_throughput_change:ratio", "team pool", "against the week before; -0.2 is a fifth less"
)
RELEASE_TEAM = _series(
    "gpuplan:release_team:info",
    "kind namespace name project team",
    "1 for each application and rollout, and whose it is",
)
RELEASES_1H = _series(
    "gpuplan:releases:increase1h", "kind namespace name project result", "releases of an hour; succeeded or failed"
)
RELEASES = _series(
    "gpuplan:releases:count7d", "kind namespace name project result", "releases of a week; succeeded or failed"
)
RELEASE_FAILURES = _series(
    "gpuplan:release_failures:increase1d", "kind namespace name project", "failed releases of a day"
)
RELEASE_SUCCESS = _series(
    "gpuplan:release_success:ratio7d", "kind namespace name project team", "succeeded part of a week's releases"
)

# Cost (`cost.py`); the currency is the fleet's.
TEAM_COST = _series("gpuplan:team_gpu_cost:per_hour", "team pool currency", "price of what a team holds")
TEAM_IDLE_COST = _series("gpuplan:team_gpu_idle_cost:per_hour", "team pool currency", "price of what a team holds idle")
POOL_COST = _series("gpuplan:pool_gpu_cost:per_hour", "pool currency", "price of all cards that are there")
UNALLOCATED_COST = _series("gpuplan:pool_gpu_unallocated_cost:per_hour", "pool currency", "price of what no pod holds")

# What `gpuplan cost` bills beside those (`showback.py`), in the same group, so that hours and money are of one minute.
FLAVOR_FRACTION = _series(
    "gpuplan_flavor_gpu_fraction", "flavor resource tier", "part of a card that a unit of a Kueue flavor is"
)
TEAM_BILLED = _series("gpuplan:team_gpus_billed:sum", "team pool", "cards that a team holds")
TEAM_IDLE_BILLED = _series("gpuplan:team_gpus_idle_billed:sum", "team pool", "cards that a team holds idle")
TEAM_USED = _series("gpuplan:team_gpus_used:sum", "team pool", "what a team holds times how busy it is")
TEAM_USED_COST = _series("gpuplan:team_gpu_used_cost:per_hour", "team pool currency", "price of that busy part")
POOL_BILLED = _series("gpuplan:pool_gpus_billed:sum", "pool", "cards that are there")
NO_TEAM = _series("gpuplan:pool_gpus_without_team:sum", "pool", "cards that pods in namespaces of no team hold")
NO_TEAM_COST = _series("gpuplan:pool_gpu_without_team_cost:per_hour", "pool currency", "price of those")
TEAM_RESERVED = _series("gpuplan_team_reserved_gpus", "team tier", "cards of a team's nominal quotas by the spec")
TEAM_RESERVED_COST = _series("gpuplan_team_reserved_gpu_cost", "team tier currency", "price of those for an hour")
TEAM_BORROWED = _series("gpuplan:team_gpus_borrowed:sum", "team tier", "cards that queues of a team use beyond quota")
TEAM_BORROWED_COST = _series("gpuplan:team_gpu_borrowed_cost:per_hour", "team tier currency", "price of those")

ALL: tuple[Series, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Series))
"""Every series above."""
