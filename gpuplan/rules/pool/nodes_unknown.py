"""A pool whose nodes nobody has counted.

`nodes` may be left out while the number is not known, as after an import of manifests that do not hold it: a number that is
guessed would go into every quota. Until it is there, the pool counts no cards. Its nodes are labelled, watched and scheduled to
like others; but no floor and no shared pool can be given on it, nothing tells that a node is missing, and where `cardsPerNode` is
missing too, nothing tells that a card is, and its cards are on nobody's bill.

AMD's partition profiles name the number of cards of a node, so a pool on AMD's operator that is partitioned needs it.

Source: gpuplan's quota tree, which adds up to the hardware.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import pools

DOC = RuleDoc(
    id="pool/nodes-unknown",
    severity=Severity.INFO,
    summary="A pool whose nodes nobody has counted",
    why="It counts no cards: no floor and no shared pool can be given on it, and nobody is told of a node that is missing.",
    fix="Write `nodes` and `cardsPerNode` once they are known.",
    bad="nodePools:\n  a: {cluster: eu, tier: train}",
    good="nodePools:\n  a: {cluster: eu, tier: train, nodes: 16, cardsPerNode: 8}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool without `nodes`; an error where its agents have to know the cards of a node."""
    for _, pool in pools(fleet):
        if not pool.counted:
            named = _needs_cards(pool)
            yield DOC.found(
                f"Pool `{pool.name}` does not say how many {_what(pool)}",
                at=fleet.places.key(pool.path),
                detail="AMD's partition profile must name the number of cards of a node." if named else None,
                severity=Severity.ERROR if named else None,
            )


def _what(pool: NodePool) -> str:
    return "nodes it has" if pool.cards_per_node else "nodes it has, and cards in each"


def _needs_cards(pool: NodePool) -> bool:
    partitioned = pool.stack == "operator" and pool.sharing.mode is SharingMode.PARTITION
    return partitioned and not pool.cards_per_node
