"""The fleet that `gpuplan init` writes."""

from __future__ import annotations

from gpuplan.report.templating import filled


def fleet_text(*, name: str, cluster: str, card: str, nodes: int, cards_per_node: int) -> str:
    """Return a small fleet: half its cards guaranteed to serving, a quarter shared, the rest for whoever takes it first."""
    cards = nodes * cards_per_node
    values = {"name": name, "cluster": cluster, "card": card, "nodes": nodes, "cards_per_node": cards_per_node}
    return filled("fleet.txt.j2", **values, guaranteed=max(1, cards // 2), pool=cards // 4)
