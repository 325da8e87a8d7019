"""What the alerts on the state of cards share: how a card is named, which nodes are left in peace, and pools for their cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpuplan.catalog import Catalog
from gpuplan.emit.monitoring.series import NODE_POOL
from gpuplan.model.pools import NodePool

CARD = "node, pool, gpu, UUID"
"""What one physical card is in our series."""

WHO = (
    "GPU {{ with $labels.gpu }}{{ . }} {{ end }}{{ with $labels.UUID }}({{ . }}) {{ end }}"
    "on node {{ $labels.node }}{{ with $labels.pool }} of pool {{ . }}{{ end }}"
)
"""A card in words; some vendors' cards have no index, others no id, and a node may be in no pool that is known."""

CORDON = "kube_node_spec_unschedulable"
CREATED = "kube_node_created"
JOINING_MINUTES = 30
"""What a new node may take until its driver is built, its agents are there and its cards are cut."""
WHILE = 60
"""Minutes that most cases last."""


_DRAINED = f"{CORDON} == 1 unless on (node) {CORDON} offset 1d == 1"
_JOINING = f"time() - {CREATED} < {60 * JOINING_MINUTES}"


def unless_drained(expression: str) -> str:
    """Leave out the nodes that were cordoned within a day: somebody works on them. One that is forgotten counts again."""
    return f"({expression})\nunless on (node) ({_DRAINED})"


def unless_away(expression: str) -> str:
    """Leave out the nodes that were cordoned within a day, and those that have just joined."""
    return f"({expression})\nunless on (node) ({_DRAINED} or {_JOINING})"


def with_pool(expression: str) -> str:
    """Add the pool of the node, and leave out nodes that are no longer there or in no pool that is known."""
    return f"({expression})\n* on (node) group_left (pool) {NODE_POOL}"


def steady(*series: str, value: object = 1, minutes: int = WHILE) -> dict[str, str]:
    """Return input series that have one value all the time."""
    return dict.fromkeys(series, f"{value}x{minutes}")


def examples(catalog: Catalog, pools: Iterable[NodePool]) -> tuple[NodePool, ...]:
    """Return a pool of each family of devices, and of each way to run its agents."""
    found: dict[tuple[str, bool], NodePool] = {}
    for pool in pools:
        found.setdefault((catalog.vendors.of(pool.card).name, pool.stack == "external"), pool)
    return tuple(found.values())


def without(inputs: Mapping[str, str], *series: str) -> dict[str, str]:
    """Return the inputs but for some series."""
    return {name: values for name, values in inputs.items() if name not in series}
