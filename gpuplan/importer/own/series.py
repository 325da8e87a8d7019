"""The facts of the spec in the constant series of gpuplan's rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from gpuplan import conventions
from gpuplan.inventory.inventory import Inventory

_CONSTANT = re.compile(r"vector\(\s*(\d+(?:\.\d+)?)\s*(?:/\s*(\d+))?\s*\)")
FRACTION = "gpuplan_pool_gpu_fraction"
POOL, POOL_NODES, CARDS = "gpuplan_pool_info", "gpuplan_pool_nodes", "gpuplan_pool_node_cards"
PRICE = "gpuplan_pool_card_hourly_cost"
QUEUE, TEAM, NAMESPACE = "gpuplan_clusterqueue_team_info", "gpuplan_team_info", "gpuplan_namespace_team_info"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSaid:
    """A node pool as the spec had it."""

    name: str
    tier: str
    card: str
    sharing: str
    nodes: int | None
    cards_per_node: int | None
    price: str
    """`2.40 USD`, empty where none is named."""
    devices: frozenset[str]
    """The resources that stand for cards or pieces of them, as kube-state-metrics spells them: `nvidia_com_gpu`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSaid:
    """A ClusterQueue as the spec had it."""

    name: str
    team: str
    task_pool: str
    service: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamSaid:
    """A team with a queue in this cluster."""

    name: str
    cost_center: str
    namespaces: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a cluster's rules say of the spec."""

    pools: tuple[PoolSaid, ...]
    queues: tuple[QueueSaid, ...]
    teams: tuple[TeamSaid, ...]


@dataclass(frozen=True, slots=True)
class _Fact:
    series: str
    value: Fraction
    labels: Mapping[str, str]


def said(inventory: Inventory) -> Said:
    """Read the facts of a cluster; nothing where gpuplan has not rendered it."""
    found: dict[str, list[_Fact]] = {}
    for fact in _facts(inventory):
        found.setdefault(fact.series, []).append(fact)
    numbers = {
        (series, fact.labels.get("pool", "")): fact
        for series in (POOL_NODES, CARDS, PRICE)
        for fact in found.get(series, ())
    }
    devices: dict[str, set[str]] = {}
    for fact in found.get(FRACTION, ()):
        devices.setdefault(fact.labels.get("pool", ""), set()).add(fact.labels.get("resource", ""))
    spaces = [fact.labels for fact in found.get(NAMESPACE, ())]
    return Said(
        pools=tuple(_pool(fact.labels, numbers, devices) for fact in found.get(POOL, ())),
        queues=tuple(_queue(fact.labels) for fact in found.get(QUEUE, ())),
        teams=tuple(
            TeamSaid(
                name=fact.labels.get("team", ""),
                cost_center=fact.labels.get("cost_center", ""),
                namespaces=tuple(one["namespace"] for one in spaces if one.get("team") == fact.labels.get("team")),
            )
            for fact in found.get(TEAM, ())
        ),
    )


def _facts(inventory: Inventory) -> Iterator[_Fact]:
    for rules in inventory.of("PrometheusRule"):
        if rules.labels.get(conventions.LABEL_MANAGED_BY) != conventions.MANAGED_BY:
            continue
        for group in rules.spec["groups"].items():
            for rule in group["rules"].items():
                match = _CONSTANT.fullmatch(rule["expr"].text())
                if match:
                    value = Fraction(match[1]) / int(match[2] or 1)
                    yield _Fact(rule["record"].text(), value, rule["labels"].texts())


def _pool(
    labels: Mapping[str, str], numbers: Mapping[tuple[str, str], _Fact], devices: Mapping[str, set[str]]
) -> PoolSaid:
    name = labels.get("pool", "")
    nodes, cards, price = (numbers.get((series, name)) for series in (POOL_NODES, CARDS, PRICE))
    return PoolSaid(
        name=name,
        tier=labels.get("tier", ""),
        card=labels.get("card", ""),
        sharing=labels.get("sharing", ""),
        nodes=int(nodes.value) if nodes else None,
        cards_per_node=int(cards.value) if cards else None,
        price=f"{decimal(price.value)} {price.labels.get('currency', '')}" if price else "",
        devices=frozenset(devices.get(name, ())),
    )


def _queue(labels: Mapping[str, str]) -> QueueSaid:
    return QueueSaid(
        name=labels.get("cluster_queue", ""),
        team=labels.get("team", ""),
        task_pool=labels.get("task_pool", ""),
        service=labels.get("service", ""),
    )


def decimal(value: Fraction) -> str:
    """Return a number as it is written: a decimal number without needless zeros."""
    whole, rest = divmod(value, 1)
    digits = ""
    while rest and len(digits) < 30:
        digit, rest = divmod(rest * 10, 1)
        digits += str(digit)
    return f"{whole}.{digits}" if digits else str(whole)
