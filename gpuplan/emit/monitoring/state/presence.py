"""What is missing: nodes that nobody knows, exporters that are silent, cards that are gone or no longer offered."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit import base
from gpuplan.emit.monitoring import card_series, node_pools, scenes
from gpuplan.emit.monitoring.alerts import Alert, Case
from gpuplan.emit.monitoring.series import CARDS_PER_NODE, NODE_CARDS, NODE_POOL
from gpuplan.emit.monitoring.state.common import (
    CORDON,
    CREATED,
    JOINING_MINUTES,
    WHILE,
    examples,
    steady,
    unless_away,
    with_pool,
)
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool, allocatable

_UNKNOWN_MINUTES = 15
_ALLOCATABLE_MINUTES = 10
_ANY_NODE = "kube_node_info"


def alerts(fleet: Fleet, cluster: Cluster) -> Iterator[Alert]:
    """Yield the alerts on what is missing, but for counters (`counters`)."""
    yield _nodes_unknown(fleet, cluster)
    yield _exporter_down(fleet, cluster)
    yield from _missing(fleet, cluster)
    yield from _allocatable_low(cluster)


def _nodes_unknown(fleet: Fleet, cluster: Cluster) -> Alert:
    """Not where nodes are known and none has a card: an autoscaler may have taken away the last one on purpose."""
    signs = " or ".join(_signs_of_cards(fleet, cluster))
    return Alert(
        name="GpuNodesUnknown",
        expr=f"absent({NODE_POOL})\nunless on () (count({_ANY_NODE}) unless on () ({signs}))",
        wait=f"{_UNKNOWN_MINUTES}m",
        severity="warning",
        summary="Monitoring does not know which nodes have GPUs.",
        description=f"{node_pools.unknown(cluster)}: alerts on missing GPUs and exporters cannot fire.",
        cases=tuple(_nodes_unknown_cases(fleet, cluster.pools[0])),
    )


def _signs_of_cards(fleet: Fleet, cluster: Cluster) -> Iterator[str]:
    """What says that there are nodes with cards, by what they offer and by what their exporters report."""
    names = "|".join(sorted({base.prometheus_label(resource) for _, resource, _ in _offered(cluster)}))
    if names:
        yield f'count(kube_node_status_capacity{{resource=~"{names}"}} > 0)'
    for family, _ in card_series.families(fleet.catalog, cluster.pools).values():
        yield f"count({family.exporter.metrics.presence})"


def _nodes_unknown_cases(fleet: Fleet, pool: NodePool) -> Iterator[Case]:
    known, somebody = scenes.in_pool(pool), steady(scenes.series(_ANY_NODE, node="control-plane-1"))
    card = scenes.card(fleet.catalog, pool)
    reported = somebody | steady(card.of(card.family.exporter.metrics.presence), value=40)
    yield Case(kind="firing", name="nodes and all are seen no more", inputs={known: "1 stale"}, at="16m", fires=({},))
    yield Case(kind="firing", name="a card of no node is reported", inputs=reported, at="15m", fires=({},))
    yield Case(kind="healthy", name="a node is known", inputs=steady(known), at="16m")
    yield Case(kind="absent", name="no node was ever known", inputs={}, at="15m", fires=({},))
    yield Case(
        kind="edge", name="nothing is known for less than a quarter of an hour", inputs={known: "1 stale"}, at="15m"
    )
    yield Case(kind="edge", name="no node has a card", inputs=somebody | {known: "1 stale"}, at="20m")


def _exporter_down(fleet: Fleet, cluster: Cluster) -> Alert:
    wait = fleet.monitoring.thresholds.exporter_down_minutes
    return Alert(
        name="GpuExporterDownOnGpuNode",
        expr=unless_away(card_series.silent(fleet.catalog, cluster.pools)),
        wait=f"{wait}m",
        severity="critical",
        summary="A GPU node reports no GPU.",
        description="Node {{ $labels.node }} of pool {{ $labels.pool }} has no GPU metrics: its exporter is down, or "
        "it has lost all its GPUs. Look at the exporter's pod first, then at the node. Other GPU alerts of the node are "
        "blind meanwhile.",
        cases=tuple(_exporter_down_cases(fleet, cluster, wait)),
    )


def _exporter_down_cases(fleet: Fleet, cluster: Cluster, wait: int) -> Iterator[Case]:
    """The pool's second node reports all the time: an exporter of others must have been seen to be missed."""
    for pool in examples(fleet.catalog, cluster.pools):
        watched, fires = _watched(fleet, pool, wait + WHILE), {"node": scenes.node(pool), "pool": pool.name}
        where = f"a node of pool {pool.name} is silent"
        yield Case(kind="firing", name=where, inputs=watched, at=f"{wait}m", fires=(fires,))
    pool = cluster.pools[0]
    node, watched = scenes.node(pool), _watched(fleet, pool, wait + WHILE)
    cards = scenes.series(NODE_CARDS, node=node)
    cordon = scenes.series(CORDON, node=node)
    yield Case(
        kind="healthy",
        name="every node reports",
        inputs=watched | steady(cards, minutes=wait + WHILE),
        at=f"{wait + 1}m",
    )
    yield Case(
        kind="absent",
        name="which pool a node is in is unknown",
        inputs={name: values for name, values in watched.items() if not name.startswith(NODE_POOL.name)},
        at=f"{wait + 1}m",
    )
    short = max(0, wait - 2)
    yield Case(
        kind="edge",
        name="an exporter comes back in time",
        inputs=watched | {cards: f"1 stale{_gap(short)} 1x{WHILE}"},
        at=f"{1 + short}m",
    )
    yield Case(
        kind="edge",
        name="a node is drained",
        inputs=watched | {cordon: f"0 1x{wait + WHILE}"},
        at=f"{wait + 1}m",
    )
    new = watched | {scenes.series(CREATED, node=node): f"0x{wait + WHILE}"}
    fires = {"node": node, "pool": pool.name}
    yield Case(kind="edge", name="a node has just joined", inputs=new, at=f"{JOINING_MINUTES - 1}m")
    late = f"{JOINING_MINUTES + wait}m"
    yield Case(kind="firing", name="a node has joined and never reports", inputs=new, at=late, fires=(fires,))


def _watched(fleet: Fleet, pool: NodePool, minutes: int) -> dict[str, str]:
    """Two nodes of a pool, of which the second reports."""
    second = scenes.card(fleet.catalog, pool, number=2)
    reports = (scenes.series(NODE_CARDS, node=scenes.node(pool, 2)), second.of(second.family.exporter.metrics.presence))
    return steady(scenes.in_pool(pool, 1), scenes.in_pool(pool, 2), *reports, minutes=minutes)


def _gap(minutes: int) -> str:
    """So many samples that are missing, in promtool's notation."""
    return f" _x{minutes}" if minutes else ""


def _missing(fleet: Fleet, cluster: Cluster) -> Iterator[Alert]:
    """Not where every node has one card: without it the node is silent."""
    several = [pool for pool in cluster.pools if _cards(fleet, pool) > 1]
    if not several:
        return
    wait = fleet.monitoring.thresholds.card_missing_minutes
    yield Alert(
        name="GpuMissingFromNode",
        expr=unless_away(card_series.missing(fleet.catalog, cluster.pools)),
        wait=f"{wait}m",
        severity="critical",
        summary="A node reports fewer GPUs than its pool has.",
        description="Node {{ $labels.node }} of pool {{ $labels.pool }} reports {{ $value }} GPUs too few: drain it, and "
        "look in the kernel's log for a GPU that fell off the bus.",
        cases=tuple(_missing_cases(fleet, several, wait)),
    )


def _missing_cases(fleet: Fleet, several: list[NodePool], wait: int) -> Iterator[Case]:
    minutes, at = wait + WHILE, f"{wait + 1}m"
    for pool in examples(fleet.catalog, several):
        inputs = _watched(fleet, pool, minutes) | _reporting(fleet, pool, minutes, lost=1)
        fires = {"node": scenes.node(pool), "pool": pool.name}
        yield Case(
            kind="firing", name=f"a card of pool {pool.name} is gone", inputs=inputs, at=f"{wait}m", fires=(fires,)
        )
    pool = several[0]
    watched, node = _watched(fleet, pool, minutes), scenes.node(pool)
    lost, whole = (_reporting(fleet, pool, minutes, lost=lost) for lost in (1, 0))
    cards = scenes.series(NODE_CARDS, node=node)
    yield Case(kind="healthy", name="all cards report", inputs=watched | whole, at=at)
    unknown = {name: values for name, values in lost.items() if name != cards}
    yield Case(kind="absent", name="the node reports nothing", inputs=watched | unknown, at=at)
    came_back = f"{_cards(fleet, pool) - 1}x{wait - 1} {_cards(fleet, pool)}x{WHILE}"
    yield Case(
        kind="edge", name="a card comes back in time", inputs=watched | lost | {cards: came_back}, at=f"{wait - 1}m"
    )
    drained = {scenes.series(CORDON, node=node): f"0 1x{minutes}"}
    yield Case(kind="edge", name="the node is drained", inputs=watched | lost | drained, at=at)


def _cards(fleet: Fleet, pool: NodePool) -> int:
    return card_series.cards_per_node(fleet.catalog.vendors.of(pool.card), pool)


def _reporting(fleet: Fleet, pool: NodePool, minutes: int, lost: int) -> dict[str, str]:
    """The first node of a pool reports all cards but some, as the second does all of them."""
    cards, nodes = _cards(fleet, pool), (scenes.series(NODE_CARDS, node=scenes.node(pool, number)) for number in (1, 2))
    first, second = nodes
    return {
        scenes.series(CARDS_PER_NODE, pool=pool.name): f"{cards}x{minutes}",
        first: f"{cards - lost}x{minutes}",
        second: f"{cards}x{minutes}",
    }


def _offered(cluster: Cluster) -> list[tuple[NodePool, str, int]]:
    """Return each pool with each resource that its nodes offer, and how much; pods may claim devices instead."""
    return [(pool, made.resource, made.per_node) for pool in cluster.pools for made in allocatable(pool)]


def _allocatable_low(cluster: Cluster) -> Iterator[Alert]:
    """By what kubelet still counts and offers no more. Five minutes after a plugin is gone, kubelet counts nothing either
    (Kubernetes 1.36), so that nodes that offer nothing at all are another part.
    """
    offered = _offered(cluster)
    if not offered:
        return
    names = "|".join(sorted({base.prometheus_label(resource) for _, resource, _ in offered}))
    capacity, left = (
        f'max by (node, resource) (kube_node_status_{kind}{{resource=~"{names}"}})'
        for kind in ("capacity", "allocatable")
    )
    pools = "|".join(sorted({pool.name for pool, _, _ in offered}))
    nothing = (
        f'({NODE_POOL}{{pool=~"{pools}"}} unless on (node) ({left} > 0)\n'
        "and on (node) max by (node) (kube_node_status_allocatable))"
    )
    pool, resource, count = offered[0]
    yield Alert(
        name="GpuAllocatableLow",
        expr=unless_away(f"{with_pool(f'{capacity} - {left} > 0')}\nor on (node) {nothing}"),
        wait=f"{_ALLOCATABLE_MINUTES}m",
        severity="warning",
        summary="A node offers fewer GPUs than it has.",
        description="The device plugin of node {{ $labels.node }} of pool {{ $labels.pool }} "
        "{{ with $labels.resource }}took back {{ $value }} of {{ . }}: it found them unhealthy, and they stay so until it "
        "starts anew{{ else }}offers nothing: it does not run, or kubelet does not know of it{{ end }}. Look in its log for "
        "the reason first.",
        cases=tuple(_allocatable_cases(pool, base.prometheus_label(resource), max(count, 1))),
    )


def _allocatable_cases(pool: NodePool, resource: str, count: int) -> Iterator[Case]:
    node, later = scenes.node(pool), f"{_ALLOCATABLE_MINUTES + 1}m"
    labels = {"node": node, "resource": resource, "unit": "integer"}
    capacity, left = (scenes.series(f"kube_node_status_{kind}", **labels) for kind in ("capacity", "allocatable"))
    here = steady(scenes.in_pool(pool))
    low = here | {capacity: f"{count}x{WHILE}", left: f"{count} {count - 1}x{WHILE}"}
    fires = {"node": node, "pool": pool.name, "resource": resource}
    yield Case(kind="firing", name="the plugin took one back", inputs=low, at=later, fires=(fires,))
    yield Case(kind="edge", name="it comes back in time", inputs=low, at=f"{_ALLOCATABLE_MINUTES}m")
    yield Case(
        kind="healthy",
        name="all are offered",
        inputs=low | {left: f"{count}x{WHILE}"},
        at=later,
    )
    yield Case(
        kind="absent",
        name="the node says nothing of what it offers",
        inputs=here | {capacity: "4x60"},
        at=later,
    )
    ended = here | {capacity: f"{count}x4 0x{WHILE}", left: f"0x{WHILE}"}
    yield Case(
        kind="firing", name="the plugin is gone", inputs=ended, at="20m", fires=({"node": node, "pool": pool.name},)
    )
    memory = scenes.series("kube_node_status_allocatable", node=node, resource="memory", unit="byte")
    never = here | {memory: f"64e9x{WHILE}"}
    yield Case(
        kind="firing", name="the plugin never came", inputs=never, at=later, fires=({"node": node, "pool": pool.name},)
    )
    gone = {name: values for name, values in low.items() if name not in here}
    yield Case(kind="edge", name="the node is in no pool", inputs=gone, at=later)
    drained = {scenes.series(CORDON, node=node): f"0 1x{WHILE}"}
    yield Case(kind="edge", name="the node is drained", inputs=low | drained, at=later)
