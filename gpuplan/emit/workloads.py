"""The workload kinds that hold pods: how the spec, Kueue and the API server name them, and where their pods stand.

Task pools name the kinds with a `framework`, Kueue's configuration with an `integration`. The others make pods too,
past every queue, so guard rails look at them as well.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A kind whose objects make pods, in the version that we match on."""

    kind: str
    group: str
    version: str
    resource: str
    """Plural name."""
    framework: str = ""
    """Its name in a task pool's `frameworks`; empty where Kueue cannot queue it."""
    integration: str = ""
    """Kueue's name of the framework."""
    companions: tuple[str, ...] = ()
    """Resources of its group that people who run it handle too."""


WORKLOADS: tuple[Workload, ...] = (
    Workload(
        framework="job",
        integration="batch/job",
        kind="Job",
        group="batch",
        version="v1",
        resource="jobs",
        companions=("cronjobs",),
    ),
    Workload(framework="pod", integration="pod", kind="Pod", group="", version="v1", resource="pods"),
    Workload(
        framework="deployment",
        integration="deployment",
        kind="Deployment",
        group="apps",
        version="v1",
        resource="deployments",
        companions=("deployments/scale",),
    ),
    Workload(
        framework="statefulset",
        integration="statefulset",
        kind="StatefulSet",
        group="apps",
        version="v1",
        resource="statefulsets",
        companions=("statefulsets/scale",),
    ),
    Workload(
        framework="jobset",
        integration="jobset.x-k8s.io/jobset",
        kind="JobSet",
        group="jobset.x-k8s.io",
        version="v1alpha2",
        resource="jobsets",
    ),
    Workload(
        framework="leaderworkerset",
        integration="leaderworkerset.x-k8s.io/leaderworkerset",
        kind="LeaderWorkerSet",
        group="leaderworkerset.x-k8s.io",
        version="v1",
        resource="leaderworkersets",
        companions=("leaderworkersets/scale",),
    ),
    Workload(
        framework="mpijob",
        integration="kubeflow.org/mpijob",
        kind="MPIJob",
        group="kubeflow.org",
        version="v2beta1",
        resource="mpijobs",
    ),
    Workload(kind="ReplicaSet", group="apps", version="v1", resource="replicasets"),
    Workload(kind="DaemonSet", group="apps", version="v1", resource="daemonsets"),
    Workload(kind="ReplicationController", group="", version="v1", resource="replicationcontrollers"),
)


GATED_BY_POD = frozenset({"deployment", "statefulset", "leaderworkerset"})
"""Frameworks whose pods Kueue holds back one by one, by its webhook for pods."""


def integrations(frameworks: tuple[str, ...]) -> list[str]:
    """Return Kueue's names of frameworks, in the order of the table.

    `pod` comes with those that are gated by it. Kueue works without it being named, but its chart then lets the webhook for
    pods fail open: what starts while Kueue is down would run past its queue (chart 0.19.2, webhook manifests).
    """
    gating = {"pod"} if GATED_BY_POD.intersection(frameworks) else set()
    return [kind.integration for kind in WORKLOADS if kind.framework and kind.framework in {*frameworks, *gating}]


def kinds(frameworks: tuple[str, ...]) -> list[str]:
    """Return the object kinds of frameworks, in the order of the table."""
    return [kind.kind for kind in WORKLOADS if kind.framework in frameworks]
