"""How the operator's exporters are scraped, so that alerts mean the same as those on our own: `node` and `pool` on each series.

The operator runs one exporter for all nodes, so its pods know nothing of pools; the labels of their nodes do. That is why
its own ServiceMonitor, which cannot look at nodes, is off, and why Prometheus must be allowed to list and watch nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gpuplan import conventions
from gpuplan.emit import base, dcgm
from gpuplan.manifests.kinds import ServiceMonitor
from gpuplan.manifests.kinds.monitoring import RelabelConfig
from gpuplan.model.fleet import Cluster
from gpuplan.model.monitoring import Monitoring
from gpuplan.model.pools import NodePool, SelectedBy, node_labels

EXPORTER_APP = "nvidia-dcgm-exporter"
"""Value of the label `app` on the Service of the operator's exporters."""
EXPORTER_PORT = "gpu-metrics"
_NODE_LABEL = "__meta_kubernetes_node_label_"


def service_monitor(monitoring: Monitoring, cluster: Cluster) -> ServiceMonitor:
    """Return the monitor of the operator's exporters, beside them."""
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": base.namespaced(
            conventions.OPERATOR_EXPORTER,
            cluster.gpu_operator.namespace,
            base.MONITORING,
            labels=monitoring.selector_labels,
        ),
        "spec": {
            "attachMetadata": {"node": True},
            "endpoints": [dcgm.scrape(monitoring, EXPORTER_PORT, pool_steps(cluster.operator_pools))],
            "selector": {"matchLabels": {"app": EXPORTER_APP}},
        },
    }


def pool_steps(pools: Iterable[NodePool]) -> Iterator[RelabelConfig]:
    """Yield the steps that name a node's pool: by our label where nodes bear it, else by the labels that select it."""
    yield {"sourceLabels": [_meta(conventions.LABEL_POOL)], "targetLabel": "pool", "action": "replace"}
    for pool in pools:
        if pool.selection.by is SelectedBy.LABELS:
            labels = node_labels(pool)
            yield {
                "sourceLabels": [_meta(key) for key in labels],
                "separator": ";",
                "regex": ";".join(re.escape(value).replace(r"\-", "-") for value in labels.values()),
                "targetLabel": "pool",
                "replacement": pool.name,
                "action": "replace",
            }


def _meta(key: str) -> str:
    """Return Prometheus' name of a node label."""
    return _NODE_LABEL + base.prometheus_label(key)
