"""A pool of nodes as the files show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuplan.catalog.cards import Card
from gpuplan.importer import sharing
from gpuplan.importer.machines import NodeFacts, Taint
from gpuplan.quantity import Quantity

Plain = object


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Nodes of one kind. None stands for what no file tells."""

    name: str
    flavor: str = ""
    """The ResourceFlavor that stands for it, where one does."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """What selects its nodes."""
    card: Card | None = None
    card_label: str = ""
    """What the files call a card that the catalogue does not know."""
    resources: tuple[str, ...] = ()
    """The accelerator resources that queues or nodes name, most important first; none for a pool without cards."""
    nodes: int | None = None
    cards_per_node: int | None = None
    taints: tuple[Taint, ...] = ()
    sharing: Plain = sharing.EXCLUSIVE
    companions: Mapping[str, Quantity] = field(default_factory=dict)
    """What a node offers besides, of what queues count."""
    offered: Mapping[str, int] = field(default_factory=dict)
    """Accelerator pieces that all its nodes show."""
    members: tuple[NodeFacts, ...] = ()
    """Its nodes, where they are listed."""
    hollow: tuple[str, ...] = ()
    """Nodes that call themselves such and offer nothing."""
    notes: tuple[str, ...] = ()
    chosen_by: Mapping[str, str] = field(default_factory=dict)
    """Labels that choose the layout or profile of its nodes: what tells them from others with the same cards."""
    beyond: str = ""
    """Why no pool of the spec can be it."""

    @property
    def has_cards(self) -> bool:
        """Whether it is a pool of cards."""
        return bool(self.resources) or self.card is not None or bool(self.card_label)
