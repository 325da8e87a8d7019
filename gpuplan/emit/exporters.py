"""How the exporters of vendors other than NVIDIA are scraped: one ServiceMonitor for each family of devices.

Facts: the catalogue's vendors. The exporters are the vendors' own, and stand where their charts put them; AMD's comes with
each DeviceConfig. The contract is that of `emit/scraping`: `node` on every series, and in `pod`, `namespace` and `container`
whoever holds the card. Where others run a pool's agents they also scrape them, and nothing is rendered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuplan import conventions
from gpuplan.catalog import Family, VendorExporter
from gpuplan.catalog.cards import Vendor
from gpuplan.emit import amd, base, scraping
from gpuplan.emit.monitoring import card_series
from gpuplan.manifests.kinds import ServiceMonitor
from gpuplan.manifests.kinds.meta import LabelSelector
from gpuplan.manifests.kinds.monitoring import Endpoint, NamespaceSelector, RelabelConfig
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.monitoring import Monitoring
from gpuplan.model.pools import NodePool


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the ServiceMonitor of each family that others than NVIDIA make and whose agents are not left to others."""
    pools = [pool for pool in cluster.pools if pool.stack != "external" and pool.card.vendor is not Vendor.NVIDIA]
    for family, members in card_series.families(fleet.catalog, pools).values():
        made = _service_monitor(fleet.monitoring, cluster, family, members)
        yield base.manifest(fleet, cluster, base.MONITORING, made, fleet.monitoring.path, cluster.path)


def _service_monitor(
    monitoring: Monitoring, cluster: Cluster, family: Family, pools: Sequence[NodePool]
) -> ServiceMonitor:
    exporter = family.exporter
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": base.namespaced(
            exporter.name,
            conventions.SYSTEM_NAMESPACE,
            base.MONITORING,
            labels=monitoring.selector_labels,
        ),
        "spec": {
            "endpoints": [_endpoint(monitoring, exporter)],
            "namespaceSelector": _namespaces(cluster, family),
            "selector": _services(exporter, pools),
        },
    }


def _namespaces(cluster: Cluster, family: Family) -> NamespaceSelector:
    """Where the vendor names no namespace, the Service's labels alone must tell it."""
    if family.vendor is Vendor.AMD:
        return {"matchNames": [amd.namespace(cluster)]}
    return {"matchNames": [family.exporter.namespace]} if family.exporter.namespace else {"any": True}


def _services(exporter: VendorExporter, pools: Sequence[NodePool]) -> LabelSelector:
    """Select the exporter's Services: by fixed labels, or by the name that each DeviceConfig gives its own."""
    if not exporter.service_label_key:
        return {"matchLabels": dict(exporter.service_labels)}
    names = sorted(amd.agent_name(pool, amd.EXPORTER) for pool in pools)
    return {"matchExpressions": [{"key": exporter.service_label_key, "operator": "In", "values": names}]}


def _endpoint(monitoring: Monitoring, exporter: VendorExporter) -> Endpoint:
    """A Service that leaves its port without a name is scraped by the number of the pod's port."""
    made = scraping.endpoint(monitoring, _pool(exporter))
    if exporter.port_name:
        made["port"] = exporter.port_name
    else:
        made["targetPort"] = exporter.port
    renamed = [_renamed(theirs, ours) for ours, theirs in sorted(exporter.holder.items())]
    made["metricRelabelings"] = [*renamed, *made["metricRelabelings"]]
    return made


def _pool(exporter: VendorExporter) -> Iterator[RelabelConfig]:
    """Take the pool from the exporter's pod where that knows it; elsewhere it follows from the node."""
    if exporter.pod_label:
        name = "__meta_kubernetes_pod_label_" + base.prometheus_label(exporter.pod_label)
        yield {"sourceLabels": [name], "targetLabel": "pool", "action": "replace"}


def _renamed(theirs: str, ours: str) -> RelabelConfig:
    """Take over the exporter's label under our name, unless it is empty."""
    return {"sourceLabels": [theirs], "regex": "(.+)", "targetLabel": ours, "action": "replace"}
