"""Series for the cases of alerts, under the names of the fleet at hand: a card of a pool, its node, and who knows them.

Cases are read by people whose fleet it is, so that they name their pools, teams and queues; nodes are numbered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gpuplan.catalog import Catalog, Family
from gpuplan.catalog.cards import Vendor
from gpuplan.emit.monitoring.series import NODE_POOL
from gpuplan.model.pools import NodePool

_MATCHER = re.compile(r'(\w+)\s*(=~|!=|!~|=)\s*"([^"]*)"')
_CONDITION = re.compile(r"\s*(==|>)\s*(\d+)$")


def series(name: object, /, **labels: str) -> str:
    """Return a series with its labels as promtool writes it: `up{job="a", node="n"}`. Labels without a value are left out."""
    inside = ", ".join(f'{label}="{value}"' for label, value in sorted(labels.items()) if value)
    return f"{name}{{{inside}}}"


def selected(selector: str, /, **labels: str) -> str:
    """Return a series with these labels that a selector of equalities and inequalities selects."""
    name, _, matchers = selector.partition("{")
    asked = {
        label: value if operator == "=" else f"not-{value or 'empty'}"
        for label, operator, value in _MATCHER.findall(matchers)
    }
    return series(name, **{**asked, **labels})


def holds(condition: str) -> tuple[str, str, str]:
    """Split a condition such as `gpu_health == 0` into its selector, a value for which it holds and one for which not."""
    found = _CONDITION.search(condition)
    selector = condition[: found.start()] if found else condition
    operator, number = (found[1], int(found[2])) if found else (">", 0)
    return (selector, str(number), str(number + 1)) if operator == "==" else (selector, str(number + 1), str(number))


def node(pool: NodePool, number: int = 1) -> str:
    """Return the name of a pool's node in cases: `h100-a-1`."""
    return f"{pool.name}-{number}"


def in_pool(pool: NodePool, number: int = 1) -> str:
    """Return the series that says that a node is in the pool."""
    return series(NODE_POOL, node=node(pool, number), pool=pool.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card of a node, as its exporter names it and as our alerts do."""

    family: Family
    labels: Mapping[str, str]
    """`node`, `pool` and what the exporter knows of `gpu` and `UUID`: the labels that an alert on the card carries."""

    def of(self, selector: str, /, **labels: str) -> str:
        """Return what the exporter says of the card under a selector, with further labels."""
        exported = {theirs: self.labels[ours] for ours, theirs in self.family.exporter.card.items()}
        pool = {"pool": self.labels["pool"]} if self.family.vendor is Vendor.NVIDIA else {}
        return selected(selector, **{"node": self.labels["node"], **pool, **exported, **labels})


def card(catalog: Catalog, pool: NodePool, index: int = 0, number: int = 1) -> Card:
    """Return a card of the pool by its index on a node."""
    family, name = catalog.vendors.of(pool.card), node(pool, number)
    known = {"gpu": str(index), "UUID": f"{name}-gpu-{index}"}
    labels = {"node": name, "pool": pool.name, **{ours: known[ours] for ours in family.exporter.card}}
    return Card(family=family, labels=labels)
