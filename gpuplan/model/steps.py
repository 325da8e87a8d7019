"""The steps of a change on the nodes: kinds and parameters, no words. `report.runbooks` gives each its words and commands."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from gpuplan.model.pools import Produced

Labels = tuple[tuple[str, str], ...]
"""Label keys with their values."""


class Setter(enum.Enum):
    """Who puts the labels of the new layout on the nodes."""

    NFD = "nfd"
    PROVISIONER = "provisioner"
    PERSON = "person"
    OTHERS = "others"
    """Whoever runs the device plugin, by means of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Find:
    """See that the nodes are the pool's. The labels do not depend on the layout."""

    selector: Labels
    nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Keep the MIG manager off all nodes of the pool, and new pods too."""

    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish:
    """Let the rendered change reach the cluster; with `labels` where the setter then labels all nodes at once."""

    application: str
    setter: Setter
    provisioner: str
    labels: Labels


@dataclass(frozen=True, slots=True, kw_only=True)
class Cordon:
    """Let no new pod start on the node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drain:
    """Evict what runs on the node: budgets are respected, every pod keeps its own grace."""

    grace_seconds: int
    """The longest grace of a task pool that may run on the pool."""
    timeout_seconds: int
    bare_pods: bool
    """Whether a task pool runs pods that nothing makes anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareReset:
    """See that nothing keeps the cards from being reset, which a change of MIG mode needs."""

    module: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Relabel:
    """Put the labels of the new layout on the node."""

    labels: Labels


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Forget the state of the last cut, and let the MIG manager onto the node."""

    label: str
    state_label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitCut:
    """Wait until the cards are cut."""

    state_label: str
    limit_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOver:
    """Let whoever runs the device plugin cut the cards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace:
    """Let the provisioner make a new node in the place of this one."""

    provisioner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitAgents:
    """Wait until the agents are back on the node."""

    limit_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    """See that the node offers what the pool is to offer. `claimed` where devices are claimed (DRA) and not counted."""

    offers: tuple[Produced, ...]
    claimed: bool
    limit_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncordon:
    """Open the node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitWork:
    """Wait until serving pods are ready again, before the next node. (namespace, task pool) pairs, sorted."""

    serving: tuple[tuple[str, str], ...]
    limit_seconds: int


Step = (
    Find
    | Hold
    | Publish
    | Cordon
    | Drain
    | PrepareReset
    | Relabel
    | Release
    | AwaitCut
    | HandOver
    | Replace
    | AwaitAgents
    | Verify
    | Uncordon
    | AwaitWork
)
