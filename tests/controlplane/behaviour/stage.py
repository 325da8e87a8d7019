"""From a spec text to a running cluster: the real pipeline renders, the real server takes it, kwok plays the nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from gpuplan import conventions, rules
from gpuplan.diagnostics import Severity
from gpuplan.emit import kueue
from gpuplan.emit.emitters import emit
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import (
    NodePool,
    agent_labels,
    allocatable,
    node_labels,
)
from tests import build
from tests.controlplane.acceptance import apply_manifests, rejection
from tests.controlplane.behaviour.scene import LIMIT_SECONDS, WRITERS, Scene
from tests.controlplane.behaviour.slices import resource_slices
from tests.controlplane.client import Client, Object
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.workloads import is_true, job

HEAD = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {main: {kubernetes: "1.36"}}
cardTiers:
  train: {cards: [h100-sxm-80gb], topology: {levels: [topology.gpuplan.dev/block, kubernetes.io/hostname]}}
  flat: {cards: [h200-141gb], topology: off}
  serve: {cards: [l40s]}
  lab: {cards: [a100-sxm-40gb]}
  desk: {cards: [t4]}
  probe: {cards: [l4]}
  ci: {cards: [a30]}
defaults:
  nodePool: {cluster: main, selectedBy: {nfd: {}}, topologyLabels: provided}
"""
"""What most tests share: one cluster and its tiers of cards. A test adds its pools, task pools and teams."""


@dataclass(slots=True)
class Stage:
    """A control plane on which one fleet after the other is played."""

    plane: ControlPlane
    configuration: Mapping[str, Any] | None = None
    """What Kueue runs with now."""

    def play(self, text: str, *, nodes_per_block: int = 1000, head: str = HEAD) -> Scene:
        """Render the spec, which stands behind `head`, apply all of its cluster's objects, and make its nodes.

        The first `nodes_per_block` nodes of a pool share a block, then the next.
        """
        fleet = accepted(f"{head}{text}")
        (cluster,) = fleet.clusters
        manifests = [one for one in emit(fleet, lambda *_: None) if one.cluster == cluster.name]
        self._start_kueue(cluster)
        with ThreadPoolExecutor(WRITERS) as makers:
            list(makers.map(lambda node: self.plane.add_node(**node), nodes(cluster, nodes_per_block)))
            list(makers.map(self.plane.client.create, resource_slices(cluster)))
        self._wait_for_an_open_door(cluster, [one.object for one in manifests if one.object["kind"] == "Namespace"])
        assert apply_manifests(self.plane.client, [{**one.object} for one in manifests]) == []
        self.plane.wait_for(lambda: inactive(self.plane.client) == [], LIMIT_SECONDS, what="all queues to be active")
        return Scene(self.plane, fleet, manifests)

    def _start_kueue(self, cluster: Cluster) -> None:
        """Start Kueue with the configuration of the cluster, unless it runs with just that."""
        wanted = kueue.manager_configuration(cluster)
        if wanted != self.configuration:
            self.plane.start_kueue(wanted)
            self.configuration = wanted

    def _wait_for_an_open_door(self, cluster: Cluster, namespaces: Sequence[Object]) -> None:
        """Make the namespaces, and wait until no policy of an earlier fleet judges work in them any more.

        The server looks at its policies once a second, and would refuse jobs in words about another fleet's queues.
        """
        assert apply_manifests(self.plane.client, namespaces) == []
        strangers = [
            job(namespace, "stranger", queue=queue, devices={conventions.RESOURCE_GPU: 1})
            for namespace in cluster.namespaces
            for queue in ("", "nobodys")
        ]
        self.plane.wait_for(
            lambda: not any(rejection(self.plane.client, one, dry_run=True) for one in strangers),
            LIMIT_SECONDS,
            what="earlier policies to go",
        )


def accepted(text: str) -> Fleet:
    """Resolve a spec in which no rule finds an error: only of such a fleet gpuplan promises that it works."""
    fleet = build.fleet(text)
    errors = [str(finding) for finding in rules.check(fleet) if finding.severity is Severity.ERROR]
    assert errors == []
    return fleet


def nodes(cluster: Cluster, nodes_per_block: int) -> Iterator[dict[str, Any]]:
    """Yield the nodes of every pool as the arguments of `ControlPlane.add_node`.

    They carry what the provider, NFD or the provisioner would set, and offer what the device plugin would; a DRA driver
    offers nothing there, but publishes slices.
    """
    for pool in cluster.pools:
        for number in range(pool.nodes):
            yield {
                "name": f"{pool.name}-{number}",
                "labels": {**node_labels(pool), **agent_labels(pool), **_domains(pool, number // nodes_per_block)},
                "taints": [_taint(taint.key, taint.value, taint.effect) for taint in pool.taints],
                "capacity": {
                    **{name: str(quantity) for name, quantity in pool.companions.items()},
                    **{made.resource: made.per_node for made in allocatable(pool)},
                },
            }


def _domains(pool: NodePool, block: int) -> dict[str, str]:
    levels = [level for level in pool.tier.levels if level != conventions.LABEL_HOSTNAME]
    return dict.fromkeys(levels, f"{pool.name}-block-{block}")


def _taint(key: str, value: str, effect: str) -> dict[str, str]:
    return {"key": key, "effect": effect} | ({"value": value} if value else {})


def inactive(client: Client) -> list[Object]:
    """Return the queues that are not active."""
    found = [queue for kind in ("ClusterQueue", "LocalQueue") for queue in client.list("kueue.x-k8s.io/v1beta2", kind)]
    return [queue for queue in found if not is_true(queue, "Active")]
