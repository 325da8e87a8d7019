"""What kube-state-metrics must be told, as values of its chart, which others install.

Facts: prometheus-community/kube-state-metrics 5.20 and later. Only labels of nodes are asked for, by name: a list with `*`, or
of what tenants write, lets two labels that look alike to Prometheus stop the whole scrape (kubernetes/kube-state-metrics#1115).
Where no rule of the cluster needs a label, the list is empty. In kube-prometheus-stack they stand below `kube-state-metrics`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit import base, scraping
from gpuplan.emit.monitoring import node_pools
from gpuplan.manifests.set import TextFile
from gpuplan.model.fleet import Cluster, Fleet


def texts(fleet: Fleet, cluster: Cluster) -> Iterator[TextFile]:
    """Yield the values for a cluster with pools."""
    if cluster.pools:
        yield base.chart_values(fleet, cluster, "kube-state-metrics", values(fleet, cluster), cluster.pools)


def values(fleet: Fleet, cluster: Cluster) -> dict[str, object]:
    """Return the chart's values: labels of its own series stand, and none of its pod's."""
    keys = ",".join(node_pools.label_keys(cluster))
    http = {"honorLabels": True, "interval": f"{fleet.monitoring.interval_seconds}s"}
    return {
        "metricLabelsAllowlist": [f"nodes=[{keys}]"] if keys else [],
        "prometheus": {
            "monitor": {
                "enabled": True,
                "additionalLabels": dict(fleet.monitoring.selector_labels),
                "http": {**http, "relabelings": [scraping.TARGETS_OWN]},
            }
        },
    }
