"""How inference engines and release controllers are scraped.

Engines run in the teams' pods, whose Services are theirs: so a PodMonitor for each task pool selects the pods of its queue.
Kueue 0.19 sees to it that they bear the queue's name: it puts the label into the templates of Deployments and
LeaderWorkerSets and on the pods of StatefulSets, and a bare pod must bear it itself.

A port in a PodMonitor selects pods that declare it, and many servers declare none. So none is given: every target of a pod
gets the engine's address, and those of one pod, now equal, are one. `namespace` and `pod` must be the target's, since the
team follows from them; labels of those names in what an engine exports give way (`honorLabels: false`).

Release controllers name the namespace of what they release in their own series, so there the exporter's labels are honoured
and the target's dropped, as with exporters of cards.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.catalog.serving import Controller
from gpuplan.emit import base
from gpuplan.manifests.kinds import PodMonitor, ServiceMonitor
from gpuplan.manifests.kinds.monitoring import NamespaceSelector, RelabelConfig
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.monitoring import Serving
from gpuplan.model.queues import Cohort

INTERVAL = "30s"
"""A tenth of the shortest range of our rules on these series."""
RELEASE_INTERVAL = "60s"
"""Releases are counted by the day; a controller has a series for each application."""
TIMEOUT = "10s"
_IP = "__meta_kubernetes_pod_ip"
_WORKER = "__meta_kubernetes_pod_label_leaderworkerset_sigs_k8s_io_worker_index"
"""Prometheus' name of the label that numbers the pods of a LeaderWorkerSet's group; 0 is the leader, which serves."""


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the monitors of a cluster's task pools that serve, and of its release controllers."""
    for cohort, serving in serving_pools(cluster):
        made = _pod_monitor(fleet, cohort, serving)
        yield base.manifest(fleet, cluster, base.MONITORING, made, serving.path, fleet.monitoring.path)
    for name in release_controllers(fleet, cluster):
        controller = fleet.catalog.serving.controllers[name]
        monitor = _service_monitor(fleet, controller)
        yield base.manifest(fleet, cluster, base.MONITORING, monitor, (*fleet.monitoring.path, "releases", name))


def serving_pools(cluster: Cluster) -> Iterator[tuple[Cohort, Serving]]:
    """Yield the task pools that a team can serve from, with their engines."""
    for cohort in cluster.cohorts_with_queues:
        if cohort.task_pool.serving:
            yield cohort, cohort.task_pool.serving


def release_controllers(fleet: Fleet, cluster: Cluster) -> tuple[str, ...]:
    """Return the names of the release controllers that are watched in a cluster; none where it has no pools of ours."""
    said = fleet.monitoring.releases
    named = (("argocd", said.argocd), ("rollouts", said.rollouts))
    return tuple(name for name, clusters in named if cluster.pools and cluster.name in clusters)


def port(fleet: Fleet, serving: Serving) -> int:
    """Return the port of an engine's metrics."""
    return serving.port or fleet.catalog.serving.engines[serving.engine].port


def _pod_monitor(fleet: Fleet, cohort: Cohort, serving: Serving) -> PodMonitor:
    namespaces = sorted({name for queue in cohort.queues for name in queue.team.namespaces})
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": base.namespaced(
            conventions.serving_monitor_name(cohort.task_pool.name),
            conventions.SYSTEM_NAMESPACE,
            base.MONITORING,
            labels=fleet.monitoring.selector_labels,
        ),
        "spec": {
            "namespaceSelector": {"matchNames": namespaces},
            "podMetricsEndpoints": [
                {
                    "path": "/metrics",
                    "scheme": "http",
                    "interval": INTERVAL,
                    "scrapeTimeout": TIMEOUT,
                    "honorLabels": False,
                    "relabelings": list(_steps(cohort, port(fleet, serving))),
                }
            ],
            "selector": {"matchLabels": {conventions.LABEL_QUEUE_NAME: cohort.local_queue}},
        },
    }


def _steps(cohort: Cohort, number: int) -> Iterator[RelabelConfig]:
    """Yield the steps from a pod's ports to one target: an address of IPv6 needs brackets."""
    if "leaderworkerset" in cohort.task_pool.frameworks:
        yield {"sourceLabels": [_WORKER], "regex": "0?", "action": "keep"}
    for pattern, address in (("([0-9.]+)", f"$1:{number}"), ("(.*:.*)", f"[$1]:{number}")):
        yield {
            "sourceLabels": [_IP],
            "regex": pattern,
            "targetLabel": "__address__",
            "replacement": address,
            "action": "replace",
        }
    yield {"targetLabel": "task_pool", "replacement": cohort.task_pool.name, "action": "replace"}
    yield {"regex": "container", "action": "labeldrop"}


def _service_monitor(fleet: Fleet, controller: Controller) -> ServiceMonitor:
    """By the number of the pod's port: manifests and charts name it differently."""
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": base.namespaced(
            conventions.release_monitor_name(controller.name),
            conventions.SYSTEM_NAMESPACE,
            base.MONITORING,
            labels=fleet.monitoring.selector_labels,
        ),
        "spec": {
            "endpoints": [
                {
                    "targetPort": controller.port,
                    "path": "/metrics",
                    "scheme": "http",
                    "interval": RELEASE_INTERVAL,
                    "scrapeTimeout": TIMEOUT,
                    "honorLabels": True,
                    "relabelings": [{"regex": "(pod|namespace|container|service|endpoint)", "action": "labeldrop"}],
                }
            ],
            "namespaceSelector": _namespaces(fleet, controller),
            "selector": {
                "matchExpressions": [
                    {"key": conventions.LABEL_APP_NAME, "operator": "In", "values": sorted(controller.service_names)}
                ]
            },
        },
    }


def _namespaces(fleet: Fleet, controller: Controller) -> NamespaceSelector:
    """Argo CD is where the fleet is delivered from; Rollouts wherever its people put it, known by its Service."""
    return {"matchNames": [fleet.delivery.namespace]} if controller.name == "argocd" else {"any": True}
