"""What a task pool asks of the work in it: topology, grace, size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan import conventions
from gpuplan.model.fleet import Cluster
from gpuplan.model.queues import LargestJob, TaskPool, TopologyRequest
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.parts import Effect, Risk
from gpuplan.words import counted


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what changes for the work of each task pool that both sides have in a cluster."""
    for before, after in comparison.clusters():
        old = _pools(before)
        for name, pool in _pools(after).items():
            was = old.get(comparison.moves.old_name("taskPools", name))
            if was is not None:
                yield from _demands(comparison, after.name, was, pool)


def _pools(cluster: Cluster) -> Mapping[str, TaskPool]:
    return {cohort.task_pool.name: cohort.task_pool for cohort in cluster.cohorts_with_queues}


def _demands(comparison: Comparison, cluster: str, old: TaskPool, new: TaskPool) -> Iterator[Effect]:
    if old.topology != new.topology:
        wish = _wish(new.topology)
        told = (
            f"pods with cards must ask for {wish} from now on, others are refused" if wish else "pods may sit anywhere"
        )
        asked = f"topology: {_wish(old.topology) or 'none'} → {wish or 'none'}; {told}; what was submitted before stays as it is"
        yield _effect(
            comparison, cluster, new, "task-pool/topology-changed", Risk.LOW, asked, conventions.POLICY_TOPOLOGY
        )
    if old.drain_seconds != new.drain_seconds:
        told = f"{old.drain_seconds} → {new.drain_seconds} seconds to hand over; pods keep the grace that they were made with"
        policy = conventions.POLICY_STATEFUL_SERVING
        yield _effect(comparison, cluster, new, "task-pool/drain-changed", Risk.LOW, told, policy)
    if old.largest_job != new.largest_job:
        told = (
            f"largest job {_job(old.largest_job)} → {_job(new.largest_job)}: what is checked, not what may be submitted"
        )
        yield _effect(comparison, cluster, new, "task-pool/largest-job", Risk.NONE, told)


def _wish(topology: TopologyRequest) -> str:
    return f"{topology.mode} {topology.level}" if topology.level else ""


def _job(job: LargestJob) -> str:
    return f"{counted(job.pods, 'pod')} of {job.per_pod}"


def _effect(
    comparison: Comparison, cluster: str, pool: TaskPool, fact: str, risk: Risk, told: str, *policies: str
) -> Effect:
    some = [
        change
        for change in comparison.of_kind("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
        if change.ref.cluster == cluster and change.ref.key.name in policies
    ]
    return Effect(
        fact=fact,
        risk=risk,
        cluster=cluster,
        subject=f"task pool {pool.name}",
        summary=f"task pool {pool.name}: {told}",
        objects=reading.refs(some),
        causes=tuple(change for change in comparison.spec if change.path[:2] == pool.path[:2]),
    )
