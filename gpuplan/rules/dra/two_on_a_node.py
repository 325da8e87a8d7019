"""Two programs that offer the cards of one node.

NVIDIA's device plugin, HAMi's, and a DRA driver each know all cards of their node and nothing of each other. Where two of
them run, a card is given to a pod that counts and to a pod that claims at once. Each pool has one of them, by its `exposure`
and `sharing`; but where the labels of one pool also select the nodes of another, both run there.

Source: NVIDIA/aicr #332 and #1327, kubernetes-sigs/dra-driver-nvidia-gpu #1086; NVIDIA's DRA chart refuses to run beside the
plugin; HAMi registers `nvidia.com/gpu` itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import Exposure, NodePool, node_labels
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="dra/two-on-a-node",
    severity=Severity.ERROR,
    summary="Two programs that offer the cards of one node",
    why="The device plugin, HAMi and a DRA driver know nothing of each other: each would give away the same card.",
    fix="Give each of the two pools a label that only its own nodes carry.",
    bad="nodePools:\n  a: {exposure: dra, selectedBy: {labels: {gpu: h100, claims: 'yes'}}}\n"
    "  b: {selectedBy: {labels: {gpu: h100}}}",
    good="nodePools:\n  a: {exposure: dra, selectedBy: {labels: {gpu: h100, claims: 'yes'}}}\n"
    "  b: {selectedBy: {labels: {gpu: h100, claims: 'no'}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose labels reach the nodes of one whose cards somebody else offers."""
    for cluster in fleet.clusters:
        for pool, other in permutations(cluster.pools, 2):
            one, two = node_labels(pool), node_labels(other)
            reached = one.items() < two.items() or (one == two and pool.name < other.name)
            if reached and _offerer(pool) != _offerer(other):
                yield DOC.found(
                    f"The labels of pool `{pool.name}`, whose cards {_offerer(pool)} offers, also select the nodes of "
                    f"pool `{other.name}`, where {_offerer(other)} does",
                    at=point(fleet, (*pool.path, "selectedBy")),
                    also=(Related("the other pool", point(fleet, (*other.path, "selectedBy"))),),
                )


def _offerer(pool: NodePool) -> str:
    """Return who offers the pool's cards."""
    if pool.exposure is Exposure.DRA:
        return "a DRA driver"
    return "HAMi" if pool.sharing.mode is SharingMode.HAMI else "a device plugin"
