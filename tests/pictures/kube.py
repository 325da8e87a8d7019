"""What kube-state-metrics says of the day: nodes, pods and jobs."""

from __future__ import annotations

import numpy as np

from gpuplan import conventions
from gpuplan.emit import amd, base
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool, allocatable, node_labels
from gpuplan.model.queues import TaskKind
from tests.pictures.cards import GONE, unlucky_node
from tests.pictures.day import Day, Job, Pod
from tests.pictures.samples import MINUTES, START, Samples, between, during

REPAIR = (GONE[0] + 5, GONE[1])
"""When the node with the lost card is cordoned."""
CONDITIONS = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")


def add(samples: Samples, day: Day) -> None:
    """Add nodes, our agents on them, pods and jobs."""
    for pool in day.cluster.pools:
        for node in day.nodes[pool.name]:
            _node(samples, pool, node, ill=node == unlucky_node(day))
            _agents(samples, day.cluster, pool, node)
    for job in day.jobs:
        for pod in job.pods:
            _pod(samples, job, pod)
        if job.pods and job.cohort.task_pool.kind is not TaskKind.ONLINE_INFERENCE:
            _job(samples, job)


def _node(samples: Samples, pool: NodePool, node: str, *, ill: bool) -> None:
    repaired = ill & during(*REPAIR)
    for one in allocatable(pool):
        labels = {"node": node, "resource": base.prometheus_label(one.resource), "unit": "integer"}
        samples.add("kube_node_status_capacity", labels, float(one.per_node))
        samples.add("kube_node_status_allocatable", labels, np.where(repaired, one.per_node - 1.0, float(one.per_node)))
    samples.add("kube_node_spec_unschedulable", {"node": node}, np.where(repaired, 1.0, 0.0))
    down = repaired & during(REPAIR[1] - 40, REPAIR[1])
    for condition in CONDITIONS:
        good = np.where(down, 0.0, 1.0) if condition == "Ready" else np.zeros(MINUTES)
        labels = {"node": node, "condition": condition}
        samples.add("kube_node_status_condition", {**labels, "status": "true"}, good)
        samples.add("kube_node_status_condition", {**labels, "status": "false"}, 1 - good)
    names = {f"label_{base.prometheus_label(key)}": value for key, value in node_labels(pool).items()}
    samples.add("kube_node_labels", {"node": node, **names}, 1.0)


def _agents(samples: Samples, cluster: Cluster, pool: NodePool, node: str) -> None:
    """By the DaemonSets that bear the pool's name the rules know whose a node is."""
    if pool in amd.operator_pools(cluster):
        names = [f"{conventions.device_config_name(pool.name)}-{part}" for part in (amd.PLUGIN, amd.EXPORTER)]
        namespace = amd.namespace(cluster)
    else:
        agents = (conventions.DEVICE_PLUGIN, conventions.DCGM_EXPORTER)
        names = [conventions.daemon_set_name(agent, pool.name) for agent in agents]
        namespace = conventions.SYSTEM_NAMESPACE
    for name in names:
        labels = {"namespace": namespace, "pod": f"{name}-{node}", "node": node, "uid": f"{name}-{node}"}
        samples.add("kube_pod_info", {**labels, "created_by_kind": "DaemonSet", "created_by_name": name}, 1.0)


def _pod(samples: Samples, job: Job, pod: Pod) -> None:
    """A finished pod stays for a while, and asks for as much as before.

    Samples of a file do not say that a series ends, and Prometheus looks back for five minutes: phases end as much earlier.
    """
    name = {"namespace": job.namespace, "pod": pod.name, "uid": pod.name}
    first, last, kept = job.admitted, job.ended, job.ended + 30
    resource = {"resource": base.prometheus_label(job.resource), "unit": "integer"}
    labels = {**name, "container": "main", "node": pod.node, **resource}
    samples.add("kube_pod_container_resource_requests", labels, between(first, kept, float(len(pod.slots))))
    owner = {"created_by_kind": "Job", "created_by_name": job.name}
    samples.add("kube_pod_info", {**name, "node": pod.node, **owner}, between(first, kept))
    owned = {"owner_kind": "Job", "owner_name": job.name, "owner_is_controller": "true"}
    samples.add("kube_pod_owner", {"namespace": job.namespace, "pod": pod.name, **owned}, between(first, kept))
    ended = "Succeeded" if job.succeeds else "Failed"
    for phase, start, end in (("Pending", first, job.ready), ("Running", job.ready, last), (ended, last, kept)):
        samples.add("kube_pod_status_phase", {**name, "phase": phase}, between(start, end - 4))
    for metric, minute in (
        ("kube_pod_created", first),
        ("kube_pod_start_time", first),
        ("kube_pod_status_scheduled_time", first),
        ("kube_pod_status_ready_time", job.ready),
    ):
        samples.add(metric, name, between(max(first, minute), kept, float(START + 60 * minute)))


def _job(samples: Samples, job: Job) -> None:
    """A failed job has no time of completion."""
    name = {"namespace": job.namespace, "job_name": job.name}
    forever = MINUTES
    created = between(job.submitted, forever, float(START + 60 * job.submitted))
    samples.add("kube_job_created", name, created)
    samples.add("kube_job_status_start_time", name, between(job.admitted, forever, float(START + 60 * job.admitted)))
    samples.add("kube_job_status_suspended", {**name, "condition": "true"}, between(job.submitted, job.admitted))
    if job.succeeds:
        done = between(job.ended, forever, float(START + 60 * job.ended))
        samples.add("kube_job_status_completion_time", name, done)
    verdict = "kube_job_complete" if job.succeeds else "kube_job_failed"
    samples.add(verdict, {**name, "condition": "true"}, between(job.ended, forever))
