"""What somebody else installs, where pods claim cards.

NVIDIA's DRA driver finds the cards of a node, publishes them and hands them to pods. gpuplan does not install it. Where its
other agents are gpuplan's (`stack: manual`), the values for its Helm chart are rendered beside the provisioner's snippets, so
that it runs on just the nodes of these pools. A claim may be for any device; so every claim outside a queue counts as one on a
card in the guard rails.

Source: kubernetes-sigs/dra-driver-nvidia-gpu v0.5.0, deployments/helm.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.claims import dra_pools
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="dra/driver-expected",
    severity=Severity.INFO,
    summary="A DRA driver that somebody else installs",
    why="Without NVIDIA's DRA driver on these nodes there is no device to claim, and on others it would collide with the plugin.",
    fix="Install its Helm chart with the values that are named here.",
    bad="nodePools:\n  a: {exposure: dra}",
    good="nodePools:\n  a: {exposure: devicePlugin}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool that pods claim from."""
    for cluster in fleet.clusters:
        for pool in dra_pools(cluster):
            if pool.stack != "operator" and pool.card.vendor is Vendor.NVIDIA:
                yield DOC.found(
                    f"NVIDIA's DRA driver has to run on the nodes of pool `{pool.name}`{_how(cluster, pool)}",
                    at=fleet.places.value((*pool.path, "exposure")),
                    fix=None
                    if pool.stack == "manual"
                    else "See that whoever runs the agents there installs it, and no device plugin.",
                )


def _how(cluster: Cluster, pool: NodePool) -> str:
    if pool.stack != "manual":
        return ", beside no device plugin"
    driver = cluster.components.get("draDriver")
    version = f" {driver.version}" if driver else ""
    return f": install its chart{version} with `provisioner/{cluster.name}/dra-driver/values.yaml`"
