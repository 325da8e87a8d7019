"""Facts that the files do not hold: `--assume card=h100-sxm-80gb,nodes=4,kueue=0.19.2`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuplan.catalog.cards import Card
from gpuplan.versions import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumed:
    """What whoever runs gpuplan says of the cluster; nothing is said by default."""

    card: Card | None = None
    """The card of every node that does not tell its own."""
    cards_per_node: int | None = None
    nodes: int | None = None
    """Nodes of every pool that is not listed."""
    nodes_of: Mapping[str, int] = field(default_factory=dict)
    """Nodes by flavor or pool: `nodes.gpu=4`."""
    mig_strategy: str = ""
    """none, single or mixed, as somebody wants it."""
    mig: bool | None = None
    """Whether the cards are cut."""
    counters: str = ""
    """`default` where dcgm-exporter runs with its own list."""
    operator_namespace: str = ""
    slack_queue: str = ""
    """ClusterQueue whose cards stand in for nodes that are out."""
    versions: Mapping[str, Version] = field(default_factory=dict)
    """By component: kubernetes, kueue, gpuOperator, devicePlugin, dcgmExporter, nfd."""
    partial: bool = False
    """Whether the files are a part of what the cluster holds, so that what is named and not there may be elsewhere."""
