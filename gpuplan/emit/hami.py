"""HAMi, where it shares NVIDIA cards in the place of NVIDIA's device plugin: the values of its chart, which others install.

Kueue counts the shares alone (`nvidia.com/gpu`, so many times a card): memory and cores are asked for beside them, stand in
no node's allocatable, and are left to HAMi's scheduler. HAMi's webhook would send every pod that asks for `nvidia.com/gpu` to
that scheduler, also those for cards of other pools, which it does not know: so it is off, and pods name the scheduler.
Facts: HAMi v2.10.0 (charts/hami/values.yaml).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.catalog import Hami
from gpuplan.emit import agents, base
from gpuplan.manifests.set import TextFile
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, agent_tolerations
from gpuplan.model.sharing import SharingMode

Values = dict[str, object]

CHARTS_LABEL = "gpu"
"""The chart's own choice of label. Helm merges maps, so that it has to be taken out."""


def texts(fleet: Fleet, cluster: Cluster) -> Iterator[TextFile]:
    """Yield the Helm values of HAMi for a cluster in which it shares cards, unless others run all agents there."""
    pools = [pool for pool in cluster.pools if pool.sharing.mode is SharingMode.HAMI and pool.stack != "external"]
    if pools:
        yield base.chart_values(fleet, cluster, "hami", values(fleet.catalog.hami, cluster, pools), pools)


def values(hami: Hami, cluster: Cluster, pools: list[NodePool]) -> Values:
    """Return the chart's values: its plugin on nodes with our label alone, tolerating just the taints of these pools.

    One split serves the whole cluster; the rules have refused pools that differ. Memory is not oversold, since a share would
    then hold less than it says. HAMi's plugin, too, needs the RuntimeClass to see a card.
    """
    runtime_class = conventions.RUNTIME_CLASS if agents.needs_runtime_class(cluster) else ""
    return {
        "global": {"imageTag": str(hami.version)},
        "platform": {"openshift": cluster.distribution == "openshift"},
        "schedulerName": hami.scheduler,
        "scheduler": {"admissionWebhook": {"enabled": False}},
        "resourceName": hami.card,
        "devicePlugin": {
            "deviceSplitCount": pools[0].sharing.pieces[0].per_card,
            "deviceMemoryScaling": 1,
            "runtimeClassName": runtime_class,
            "nvidiaNodeSelector": {CHARTS_LABEL: None, conventions.LABEL_HAMI: conventions.HAMI_ON},
            "tolerations": [dict(base.toleration(one)) for one in agent_tolerations(pools)],
        },
    }
