"""The fleet that `gpuplan init` writes."""

from __future__ import annotations

from gpuplan.catalog import Catalog, Vendor
from gpuplan.report.templating import filled


def fleet_text(catalog: Catalog, *, name: str, cluster: str, card: str, nodes: int, cards_per_node: int) -> str:
    """Return a small fleet: half its cards guaranteed to serving, a quarter shared, the rest for whoever takes it first.

    `card` is one of the catalogue's. Where gpuplan renders no agents for it, the stack is `external`; where new drivers
    no longer know it, the pool says the last branch that does.
    """
    chosen = catalog.cards[card]
    limits = catalog.driver_limits(chosen)
    cards = nodes * cards_per_node
    return filled(
        "fleet.txt.j2",
        name=name,
        cluster=cluster,
        card=card,
        nodes=nodes,
        cards_per_node=cards_per_node,
        manual=chosen.vendor is Vendor.NVIDIA,
        by_amd=chosen.vendor is Vendor.AMD,
        taint=chosen.resource,
        branch=limits.max_branch if limits else None,
        guaranteed=max(1, cards // 2),
        pool=max(1, cards // 4) if cards > 1 else 0,
    )
