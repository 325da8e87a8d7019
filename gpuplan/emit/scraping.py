"""The scrape contract: whose labels series bear, and which labels they never have.

`honorLabels` keeps the labels that an exporter writes, the pod that holds a card or the namespace of a queue; dropping the
target's own keeps a card that nobody holds from looking as if the exporter held it. On series of cards, the node comes from
the exporter's pod. What says the same of every series of an exporter, or splits all of them at an upgrade, goes.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplan.manifests.kinds.monitoring import Endpoint, RelabelConfig
from gpuplan.model.monitoring import Monitoring

_LONGEST_SCRAPE_SECONDS = 10
TARGETS_OWN: RelabelConfig = {"regex": "(pod|namespace|container|service|endpoint)", "action": "labeldrop"}
"""Drops the labels of the exporter's own pod."""
_DRIVERS = ("DCGM_FI_DRIVER_VERSION", "DCGM_FI_SYSTEM_DRIVER_VERSION")
_NOISE = ("[Hh]ostname", "pod_uid")
"""The exporter's own idea of its node, renamed between versions, and what tells apart pods that names tell apart."""


def endpoint(monitoring: Monitoring, pool: Iterable[RelabelConfig]) -> Endpoint:
    """Return all of an endpoint of cards but its port. The label `pool` comes from the given steps."""
    node: RelabelConfig = {
        "sourceLabels": ["__meta_kubernetes_pod_node_name"],
        "targetLabel": "node",
        "action": "replace",
    }
    return {
        "path": "/metrics",
        "scheme": "http",
        **timing(monitoring),
        "honorLabels": True,
        "relabelings": [node, *pool, TARGETS_OWN],
        "metricRelabelings": [_without_noise(monitoring)],
    }


def timing(monitoring: Monitoring) -> Endpoint:
    """Return how often to scrape, and how long that may take."""
    return {
        "interval": f"{monitoring.interval_seconds}s",
        "scrapeTimeout": f"{min(monitoring.interval_seconds, _LONGEST_SCRAPE_SECONDS)}s",
    }


def _without_noise(monitoring: Monitoring) -> RelabelConfig:
    """Drop the driver's version from all series unless the spec asks for it."""
    drivers = [name for name in _DRIVERS if name not in monitoring.extra_counters]
    return {"regex": f"({'|'.join((*drivers, *_NOISE))})", "action": "labeldrop"}
