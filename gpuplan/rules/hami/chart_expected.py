"""What somebody else installs, where HAMi shares cards.

HAMi brings a device plugin, a scheduler and a webhook that sends pods to it. gpuplan does not install it, but renders the
values of its chart beside the provisioner's snippets: so that its plugin runs on just the nodes of these pools, by a label of
ours, and splits cards as the quotas say. The webhook is off there: it takes every pod of the cluster that asks for
`nvidia.com/gpu`, also those for cards of other pools, where HAMi's scheduler finds no node. Pods say `schedulerName:
hami-scheduler` themselves, as a guard rail tells those who forget. The DCGM exporter watches the cards as everywhere; but it
cannot tell which pods share one. That, and how much of it each uses, HAMi's own monitors say.

Source: Project-HAMi/HAMi v2.10.0, charts/hami/values.yaml and pkg/device/nvidia (MutateAdmission); Project-HAMi/HAMi #112.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import sharing_path
from gpuplan.rules.splits import hami_pools

DOC = RuleDoc(
    id="hami/chart-expected",
    severity=Severity.INFO,
    summary="HAMi, which somebody else installs",
    why="Without HAMi these nodes offer nothing; with its chart's own values its plugin would run on other nodes than these.",
    fix="Install its Helm chart with the values that are named here.",
    bad="nodePools:\n  a: {sharing: {hami: {split: 4}}}",
    good="nodePools:\n  a: {sharing: {timeSlicing: {replicas: 4}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that HAMi shares."""
    hami = fleet.catalog.hami
    ports = " and ".join(map(str, hami.monitor_ports))
    detail = f"{DOC.why} Which pods use how much of a card is told by its monitors (node ports {ports}), not by the exporter."
    for cluster, pool in hami_pools(fleet):
        values = f": install its chart {hami.version} with `provisioner/{cluster.name}/hami/values.yaml`"
        yield DOC.found(
            f"HAMi has to run on the nodes of pool `{pool.name}`{'' if pool.stack == 'external' else values}",
            at=fleet.places.key(sharing_path(pool)),
            detail=detail,
        )
