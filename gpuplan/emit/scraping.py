"""How every exporter of cards is scraped: the labels of the pod that holds a card, and never the exporter's own.

`honorLabels` keeps the holder's pod and namespace; dropping the target's keeps a card that nobody holds from looking as if
the exporter held it. The node comes from the exporter's pod.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplan.manifests.kinds.monitoring import Endpoint, RelabelConfig
from gpuplan.model.monitoring import Monitoring

_LONGEST_SCRAPE_SECONDS = 10
_TARGETS_OWN = "(pod|namespace|container|service|endpoint)"
"""Labels of the exporter's own pod."""


def endpoint(monitoring: Monitoring, pool: Iterable[RelabelConfig]) -> Endpoint:
    """Return all of an endpoint but its port. The label `pool` comes from the given steps."""
    return {
        "path": "/metrics",
        "scheme": "http",
        "interval": f"{monitoring.interval_seconds}s",
        "scrapeTimeout": f"{min(monitoring.interval_seconds, _LONGEST_SCRAPE_SECONDS)}s",
        "honorLabels": True,
        "relabelings": [
            {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node", "action": "replace"},
            *pool,
            {"regex": _TARGETS_OWN, "action": "labeldrop"},
        ],
    }
