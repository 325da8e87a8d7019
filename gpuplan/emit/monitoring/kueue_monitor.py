"""How Kueue is scraped, and that Prometheus may read there.

Facts: Kueue 0.17 and 0.19, chart and manifests alike: the Service of its metrics, the port's name, a certificate that Kueue
makes for itself, and that it asks the API server whether a reader may get `/metrics`. Kueue's own monitor stays off: it
honours no labels, so that the queue of a namespace would be a queue of Kueue's. Every replica answers; rules leave out those
that follow (`replica_role`).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.emit import base, scraping
from gpuplan.manifests.kinds import ClusterRole, ClusterRoleBinding, ServiceMonitor
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.monitoring import Monitoring, Prometheus

TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token"  # noqa: S105 - where Prometheus finds its own
SERVICE = {"app.kubernetes.io/component": "metrics-service", conventions.LABEL_APP_NAME: conventions.KUEUE_RELEASE}


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield Kueue's monitor and the right to read; nothing where nothing is queued."""
    if not cluster.cohorts_with_queues:
        return
    path = fleet.monitoring.path
    for made in (_monitor(fleet.monitoring), _role(), _binding(fleet.monitoring.prometheus)):
        yield base.manifest(fleet, cluster, base.MONITORING, made, path, cluster.path)


def _monitor(monitoring: Monitoring) -> ServiceMonitor:
    """It lies beside the other monitors, since Kueue's namespace may come later than this."""
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": base.namespaced(
            conventions.KUEUE_METRICS,
            conventions.SYSTEM_NAMESPACE,
            base.MONITORING,
            labels=monitoring.selector_labels,
        ),
        "spec": {
            "endpoints": [
                {
                    "port": "https",
                    "path": "/metrics",
                    "scheme": "https",
                    **scraping.timing(monitoring),
                    "honorLabels": True,
                    "bearerTokenFile": TOKEN,
                    "tlsConfig": {"insecureSkipVerify": True},
                    "relabelings": [scraping.TARGETS_OWN],
                }
            ],
            "namespaceSelector": {"matchNames": [conventions.KUEUE_NAMESPACE]},
            "selector": {"matchLabels": SERVICE},
        },
    }


def _role() -> ClusterRole:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": base.metadata(conventions.KUEUE_METRICS, base.MONITORING),
        "rules": [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}],
    }


def _binding(prometheus: Prometheus) -> ClusterRoleBinding:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": base.metadata(conventions.KUEUE_METRICS, base.MONITORING),
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": conventions.KUEUE_METRICS,
        },
        "subjects": [{"kind": "ServiceAccount", "name": prometheus.service_account, "namespace": prometheus.namespace}],
    }
