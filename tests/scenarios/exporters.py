"""What the exporters beside the cards' own say: kube-state-metrics, Kueue, an engine, Argo CD. Formats of the real ones."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.model.fleet import Cluster
from tests.scenarios.exposition import Shown, Values, always, shown
from tests.scenarios.world import AGENTS, YESTERDAY, Node, Pod, Queue, World

PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
OFFERED = {
    "whole": ("nvidia_com_gpu", 2),
    "cut": ("nvidia_com_mig_1g_5gb", 14),
    "sliced": ("nvidia_com_gpu_shared", 8),
    "serving": ("nvidia_com_gpu", 2),
}
"""What each node of a pool lists as capacity."""
WAIT_BOUNDS = (
    "1",
    "2.5",
    "5",
    "10",
    "20",
    "40",
    "80",
    "160",
    "320",
    "640",
    "1280",
    "2560",
    "5120",
    "10240",
    "20480",
    "40960",
)
TTFT_BOUNDS = (
    "0.001",
    "0.005",
    "0.01",
    "0.02",
    "0.04",
    "0.06",
    "0.08",
    "0.1",
    "0.25",
    "0.5",
    "0.75",
    "1.0",
    "2.5",
    "5.0",
    "7.5",
    "10.0",
    "20.0",
    "40.0",
    "80.0",
    "160.0",
    "640.0",
    "2560.0",
)
"""Python's client prints whole bounds with a point."""


def kube_state_metrics(world: World) -> Iterator[Shown]:
    """Yield all that kube-state-metrics shows of nodes, pods and jobs."""
    for node in world.nodes.values():
        yield from _node(node)
        for agent in AGENTS:
            yield from _agent(node, agent)
    for pod in world.pods.values():
        yield from _pod(pod)
    for name, (namespace, start, end) in world.jobs.items():
        yield from _job(name, namespace, start, end)


def _node(node: Node) -> Iterator[Shown]:
    resource, count = OFFERED[node.pool]
    there = node.present
    yield shown("kube_node_info", _if(there, 1), node=node.name, kernel_version="6.8.0", kubelet_version="v1.36.3")
    yield shown("kube_node_created", _if(there, YESTERDAY), node=node.name)
    for metric in ("kube_node_status_capacity", "kube_node_status_allocatable"):
        yield shown(metric, _if(there, count), node=node.name, resource=resource, unit="integer")
    yield shown(
        "kube_node_spec_unschedulable", lambda minute: node.cordoned(minute) if there(minute) else None, node=node.name
    )
    for condition, good in (("Ready", "true"), ("MemoryPressure", "false")):
        for status in ("true", "false", "unknown"):
            yield shown(
                "kube_node_status_condition",
                _if(there, float(status == good)),
                node=node.name,
                condition=condition,
                status=status,
            )
    yield shown("kube_node_labels", _if(there, 1), node=node.name)


def _agent(node: Node, agent: str) -> Iterator[Shown]:
    name = f"{agent}-{node.pool}"
    yield shown(
        "kube_pod_info", _if(node.present, 1), namespace="gpu-system", pod=f"{name}-{node.name}", uid=f"{name}-{node.name}",
        node=node.name, created_by_kind="DaemonSet", created_by_name=name, host_ip="10.0.0.1", pod_ip="10.1.0.1",
    )  # fmt: skip


def _pod(pod: Pod) -> Iterator[Shown]:
    kind, owner = pod.owner
    key = {"namespace": pod.namespace, "pod": pod.name, "uid": f"uid-{pod.name}"}
    there = pod.present
    yield shown("kube_pod_info", _if(there, 1), **key, node=pod.node, created_by_kind=kind, created_by_name=owner)
    yield shown("kube_pod_owner", _if(there, 1), **key, owner_kind=kind, owner_name=owner, owner_is_controller="true")
    for phase in PHASES:
        yield shown("kube_pod_status_phase", _if(there, float(phase == pod.phase)), **key, phase=phase)
    for metric in ("kube_pod_created", "kube_pod_start_time", "kube_pod_status_scheduled_time"):
        yield shown(metric, _if(there, pod.started), **key)
    yield shown("kube_pod_status_ready_time", _if(there, pod.started + 20), **key)
    yield shown(
        "kube_pod_container_resource_requests", _if(there, pod.units), **key, container="main", node=pod.node,
        resource=pod.resource, unit="integer",
    )  # fmt: skip


def _job(name: str, namespace: str, start: float, end: float) -> Iterator[Shown]:
    """A job that succeeded where it has an end, else one that failed: those have none."""
    key = {"namespace": namespace, "job_name": name}
    yield shown("kube_job_status_start_time", start, **key)
    if end:
        yield shown("kube_job_status_completion_time", end, **key)
        yield shown("kube_job_complete", 1, **key, condition="true")
        yield shown("kube_job_complete", 0, **key, condition="false")
    else:
        yield shown("kube_job_failed", 1, **key, condition="true")
        yield shown("kube_job_failed", 0, **key, condition="false")


def _if(there: Values, value: float) -> Values:
    return lambda minute: value if there(minute) else None


def kueue(cluster: Cluster, world: World, role: str) -> Iterator[Shown]:
    """Yield what one replica of Kueue's manager shows; a follower knows quotas, and usage from some time ago."""
    for cohort in cluster.cohorts_with_queues:
        for queue in cohort.queues:
            said = world.queues[queue.name]
            yield from _queue(cluster, cohort.task_pool.name, queue.name, said, role)
            if role != "follower":
                yield from _admissions(queue.name, said, role)
                yield from _evictions(queue.name, queue.team.namespaces[0], cohort.task_pool.name, said, role)


def _queue(cluster: Cluster, cohort: str, name: str, said: Queue, role: str) -> Iterator[Shown]:
    limits = cluster.quota.queues[name].limits
    own = next(iter(limits))
    stale = role == "follower"
    for (flavor, resource), limit in limits.items():
        key = {"cohort": cohort, "cluster_queue": name, "flavor": flavor, "resource": resource, "replica_role": role}
        usage = said.usage if (flavor, resource) == own and not stale else always(0)
        yield shown("kueue_cluster_queue_nominal_quota", limit.nominal, **key)
        yield shown("kueue_cluster_queue_resource_usage", usage, **key)
        yield shown("kueue_cluster_queue_resource_reservation", usage, **key)
    waiting = always(40) if stale else said.pending
    for status in ("active", "inadmissible"):
        yield shown(
            "kueue_pending_workloads",
            waiting if status == "active" else 0,
            cluster_queue=name,
            status=status,
            replica_role=role,
        )
    pending = always(80) if stale else said.pending_units
    yield shown("kueue_cluster_queue_resource_pending", pending, cluster_queue=name, resource=own[1], replica_role=role)


def _admissions(name: str, said: Queue, role: str) -> Iterator[Shown]:
    key = {"cluster_queue": name, "priority_class": "", "replica_role": role}
    yield shown("kueue_admitted_workloads_total", said.admitted, **key)
    yield from _histogram("kueue_admission_wait_time_seconds", WAIT_BOUNDS, said.admitted, said.wait_seconds, key)
    yield from _histogram(
        "kueue_admitted_until_ready_wait_time_seconds", WAIT_BOUNDS, said.admitted, said.start_seconds, key
    )


def _evictions(name: str, namespace: str, local: str, said: Queue, role: str) -> Iterator[Shown]:
    for (reason, cause), count in said.evicted.items():
        why = {"reason": reason, "underlying_cause": cause, "priority_class": "", "replica_role": role}
        yield shown("kueue_evicted_workloads_total", count, cluster_queue=name, **why)
        yield shown("kueue_local_queue_evicted_workloads_total", count, name=local, namespace=namespace, **why)


def _histogram(name: str, bounds: tuple[str, ...], count: Values, value: float, key: dict[str, str]) -> Iterator[Shown]:
    """Yield a histogram all of whose observations are of one value."""
    for bound in (*bounds, "+Inf"):
        yield shown(f"{name}_bucket", count if value <= float(bound) else 0, **key, le=bound)
    yield shown(f"{name}_count", count, **key)
    yield shown(f"{name}_sum", lambda minute: (count(minute) or 0) * value, **key)


def vllm(world: World) -> Iterator[Shown]:
    """Yield what vLLM shows: fast requests, and slow ones of twenty seconds."""
    key = {"model_name": "llama", "engine": "0"}
    fast, slow = world.requests, world.slow_requests

    def both(minute: int) -> float:
        return (fast(minute) or 0) + (slow(minute) or 0)

    for metric in ("vllm:time_to_first_token_seconds", "vllm:e2e_request_latency_seconds"):
        for bound in (*TTFT_BOUNDS, "+Inf"):
            values: Values = both if float(bound) >= 20 else fast if float(bound) >= 0.5 else always(0)
            yield shown(f"{metric}_bucket", values, **key, le=bound)
        yield shown(f"{metric}_count", both, **key)
        yield shown(f"{metric}_sum", lambda minute: (fast(minute) or 0) * 0.4 + (slow(minute) or 0) * 20, **key)
    for metric, number in (("running", 3.0), ("waiting", 0.0)):
        yield shown(f"vllm:num_requests_{metric}", number, **key)
    yield shown("vllm:kv_cache_usage_perc", 0.4, **key)
    yield shown("vllm:request_success_total", both, **key, finished_reason="stop")


def argocd(world: World) -> Iterator[Shown]:
    """Yield what Argo CD's application controller shows of one application; its `namespace` is the application's."""
    key = {"namespace": "argocd", "name": "chat", "project": "default", "dest_server": "https://eu.acme.io:6443"}
    for phase, count in world.syncs.items():
        yield shown("argocd_app_sync_total", count, **key, phase=phase, dry_run="false")
    yield shown("argocd_app_sync_total", 1000, **key, phase="Failed", dry_run="true")
    yield shown(
        "argocd_app_info", 1, **key, dest_namespace="nlp", repo="https://git.acme.io/chat.git", sync_status="Synced",
        health_status="Healthy", operation="", autosync_enabled="true",
    )  # fmt: skip
