"""Work as a team would write it, for trials that keep nothing: right in everything, or wrong in one thing.

Its pods keep to Pod Security's strictest level, so that nothing but the one thing can be held against them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gpuplan import conventions
from gpuplan.catalog import Hami
from gpuplan.emit.guardrails import cel, offers
from gpuplan.emit.workloads import WORKLOADS, Workload
from gpuplan.model.claims import claim_templates
from gpuplan.model.queues import Cohort
from gpuplan.verify.observed import Object

NAME = "gpuplan-verify-"
IMAGE = "registry.k8s.io/pause:3.10"
APP = {conventions.LABEL_APP_NAME: NAME.rstrip("-")}
USER = 65534


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A workload in the parts that guard rails look at. `object` writes it down."""

    kind: Workload
    namespace: str
    labels: Mapping[str, str]
    """Queue and priority class, on the workload and, for a pod, on itself."""
    card: str
    """Resource that its container asks one of; empty where it claims devices."""
    claim: str = ""
    """ResourceClaimTemplate that its pod names."""
    annotations: Mapping[str, str]
    """Of its pod template: the wish for a topology."""
    scheduler: str = ""
    pod_class: str = ""
    grace_seconds: int = 30
    ready: bool = False
    """Whether its container has a readiness probe."""

    @property
    def object(self) -> Object:
        """The workload as an object that can be created."""
        metadata = {"generateName": NAME, "namespace": self.namespace, "labels": {**self.labels, **APP}}
        template = {"metadata": {"labels": APP, "annotations": dict(self.annotations)}, "spec": _pod_spec(self)}
        version = f"{self.kind.group}/{self.kind.version}" if self.kind.group else self.kind.version
        made = {"apiVersion": version, "kind": self.kind.kind}
        if self.kind.kind == "Pod":
            return {
                **made,
                "metadata": {**metadata, "annotations": dict(self.annotations)},
                "spec": template["spec"],
            }
        return {**made, "metadata": metadata, "spec": SPECS[self.kind.kind](template)}

    def without(self, label: str) -> Work:
        """Return it without a label."""
        return replace(self, labels={key: value for key, value in self.labels.items() if key != label})

    def labelled(self, label: str, value: str) -> Work:
        """Return it with a label of another value."""
        return replace(self, labels={**self.labels, label: value})


def kind_of(framework: str) -> Workload:
    """Return the kind of a framework, such as `job`."""
    return next(one for one in WORKLOADS if one.framework == framework)


def kinds_of(cohort: Cohort) -> tuple[Workload, ...]:
    """Return the kinds that a task pool runs; those that every cluster serves come first."""
    return tuple(one for one in WORKLOADS if one.framework and one.framework in cohort.task_pool.frameworks)


def good(cohort: Cohort, kind: Workload, namespace: str, hami: Hami) -> Work:
    """Return work that all guard rails take, in the queue of a task pool."""
    pool = cohort.task_pool
    templates = claim_templates(cohort)
    card = card_of(cohort, hami)
    wish = pool.topology
    return Work(
        kind=kind,
        namespace=namespace,
        labels={
            conventions.LABEL_QUEUE_NAME: cohort.local_queue,
            conventions.LABEL_PRIORITY_CLASS: next(iter(pool.priority_classes)),
        },
        card=card,
        claim="" if card or not templates else templates[0].name,
        annotations={conventions.topology_annotation(wish.mode): wish.level} if wish.level else {},
        scheduler=hami.scheduler if offers.shares_by_hami(cohort.flavors) else "",
        grace_seconds=max(pool.drain_seconds, 30),
        ready=pool.stateful,
    )


def card_of(cohort: Cohort, hami: Hami) -> str:
    """Return a resource that pods of a task pool may ask for; empty where they claim devices."""
    if offers.shares_by_hami(cohort.flavors):
        return hami.card
    return next((name for name in offers.offered(cohort, hami) if name != cel.CLAIM), "")


def _pod_spec(work: Work) -> dict[str, Any]:
    looping = work.kind.kind not in {"Job", "JobSet", "MPIJob"}
    spec: dict[str, Any] = {
        "restartPolicy": "Always" if looping else "Never",
        "terminationGracePeriodSeconds": work.grace_seconds,
        "automountServiceAccountToken": False,
        "securityContext": {"runAsNonRoot": True, "runAsUser": USER, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [_container(work)],
    }
    if work.claim:
        spec["resourceClaims"] = [{"name": "cards", "resourceClaimTemplateName": work.claim}]
    if work.scheduler:
        spec["schedulerName"] = work.scheduler
    if work.pod_class:
        spec["priorityClassName"] = work.pod_class
    return spec


def _container(work: Work) -> dict[str, Any]:
    asked: dict[str, Any] = {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"cpu": "10m", "memory": "16Mi"}}
    if work.card:
        asked = {key: {**amounts, work.card: "1"} for key, amounts in asked.items()}
    if work.claim:
        asked["claims"] = [{"name": "cards"}]
    made: dict[str, Any] = {
        "name": "main",
        "image": IMAGE,
        "resources": asked,
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    return {**made, "readinessProbe": {"tcpSocket": {"port": 8000}}} if work.ready else made


def _without_cards(template: Mapping[str, Any]) -> dict[str, Any]:
    """Return a template whose container asks for nothing, and without the wishes of pods with cards: a launcher's."""
    spec = {key: value for key, value in template["spec"].items() if key != "resourceClaims"}
    containers = [{key: value for key, value in one.items() if key != "resources"} for one in spec["containers"]]
    return {"metadata": {"labels": APP}, "spec": {**spec, "containers": containers}}


Template = Mapping[str, Any]
SPECS: Mapping[str, Callable[[Template], dict[str, Any]]] = {
    "Job": lambda template: {"parallelism": 1, "completions": 1, "backoffLimit": 0, "template": template},
    "Deployment": lambda template: {"replicas": 1, "selector": {"matchLabels": APP}, "template": template},
    "StatefulSet": lambda template: {
        "replicas": 1,
        "selector": {"matchLabels": APP},
        "serviceName": NAME.rstrip("-"),
        "template": template,
    },
    "JobSet": lambda template: {
        "replicatedJobs": [{"name": "main", "replicas": 1, "template": {"spec": {"template": template}}}]
    },
    "LeaderWorkerSet": lambda template: {
        "replicas": 1,
        "startupPolicy": "LeaderCreated",
        "rolloutStrategy": {
            "type": "RollingUpdate",
            "rollingUpdateConfiguration": {"maxUnavailable": 1, "maxSurge": 0},
        },
        "leaderWorkerTemplate": {"size": 1, "restartPolicy": "RecreateGroupOnPodRestart", "workerTemplate": template},
    },
    "MPIJob": lambda template: {
        "mpiReplicaSpecs": {
            "Launcher": {"replicas": 1, "template": _without_cards(template)},
            "Worker": {"replicas": 1, "template": template},
        }
    },
}
"""The spec of each kind around its pod template."""
