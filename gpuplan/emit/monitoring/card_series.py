"""How the series of each family of devices speak of a card, so that one alert means the same for every vendor.

A card is known by the labels `node`, `gpu` and `UUID`, whatever its exporter calls them (catalogue: vendors). NVIDIA's
series also have `pool`, by our scrape contract; the pool of other cards follows from their node. Every gauge is
bounded, since exporters have shipped 644 million degrees, and every card is taken once (`max by`): an exporter repeats
it for each pod on a shared card, and for each partition or instance of a cut one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplan.catalog import Catalog, Family
from gpuplan.catalog.cards import Vendor
from gpuplan.emit.monitoring.series import CARDS_PER_NODE, NODE_CARDS, NODE_POOL
from gpuplan.model.pools import NodePool

HOTTEST = 150
"""No card reports a higher temperature and is right, in degrees Celsius."""
ERROR_WINDOW = "10m"
IMPOSSIBLE_ERRORS = 1_000_000
"""No memory loses data as often within the window."""
_HOLDER = ("container", "instance", "namespace", "pod", "vgpu")
"""Labels that change when a program ends or its exporter starts anew, both of which an error brings about."""


def families(catalog: Catalog, pools: Iterable[NodePool]) -> dict[str, tuple[Family, tuple[NodePool, ...]]]:
    """Return each family that the pools have, with its pools, by its name; NVIDIA's first."""
    found: dict[str, list[NodePool]] = {}
    for pool in pools:
        found.setdefault(catalog.vendors.of(pool.card).name, []).append(pool)
    order = sorted(found, key=lambda name: (name != "nvidia", name))
    return {name: (catalog.vendors.by_name[name], tuple(found[name])) for name in order}


def cards_per_node(family: Family, pool: NodePool) -> int:
    """Return how many cards the exporter tells apart on a node: devices of one board are one where they share its name.

    0 where the spec does not say how many there are.
    """
    if family.exporter.per_board and pool.card.devices > 1 and pool.cards_per_node:
        return max(1, pool.cards_per_node // pool.card.devices)
    return pool.cards_per_node


def reported(catalog: Catalog, pools: Iterable[NodePool]) -> str:
    """Count the cards that each node reports: by `node`."""
    return either(
        f"count by (node) (count by (node, {family.exporter.identity}) ({family.exporter.metrics.presence}))"
        for family, _ in families(catalog, pools).values()
    )


def silent(catalog: Catalog, pools: Iterable[NodePool]) -> str:
    """Find the nodes that should report a card and report none, by `node` and `pool`."""
    return either(f"{nodes} unless on (node) {NODE_CARDS}{condition}" for nodes, condition in _watched(catalog, pools))


def missing(catalog: Catalog, pools: Iterable[NodePool]) -> str:
    """Find the nodes that report too few cards, by `node` and `pool`; the value is how many are missing."""
    return either(
        f"({nodes} * on (pool) group_left () {CARDS_PER_NODE})\n- on (node) group_left () {NODE_CARDS} > 0{condition}"
        for nodes, condition in _watched(catalog, pools)
    )


def _watched(catalog: Catalog, pools: Iterable[NodePool]) -> Iterator[tuple[str, str]]:
    """Yield the nodes to watch, and a condition under which absence means anything.

    Somebody else's exporter may be scraped without a `node` label: then its silence says nothing about a node.
    """
    watched: dict[str, list[str]] = {}
    for family, members in families(catalog, pools).values():
        seen = f"\nand on () count(count_over_time({_with_node(family)}[1d])) > 0"
        for pool in members:
            watched.setdefault(seen if pool.stack == "external" else "", []).append(pool.name)
    for condition, names in watched.items():
        nodes = NODE_POOL.name if len(watched) == 1 else f'{NODE_POOL}{{pool=~"{"|".join(sorted(names))}"}}'
        yield nodes, condition


def _with_node(family: Family) -> str:
    """Select the series of presence that name a node."""
    name, brace, matchers = family.exporter.metrics.presence.partition("{")
    return f'{name}{{node!=""{"," + matchers if brace else "}"}'


def hot(family: Family, margin: int) -> str:
    """Find the cards less than `margin` degrees below their limit; 0 and absurd values mean no data.

    NVIDIA's cards since Ada may say how far they are from their limit, and not what it is; where they say both, the limit
    counts, since a distance of 0 may be none.
    """
    metrics = family.exporter.metrics
    now = _per_card(family, f"{metrics.temperature} < {HOTTEST}")
    if not metrics.temperature_limit:
        return _with_pool(family, f"{now} > {family.exporter.limit_celsius - margin}")
    limit = _per_card(family, f"{metrics.temperature_limit} > 0 < {HOTTEST}")
    near = f"{now}\n> {limit} - {margin}"
    if metrics.temperature_margin:
        left = _per_card(family, f"{metrics.temperature_margin} > -{HOTTEST} < {margin}")
        near += f"\nor ({now}\nand {left}\nunless {limit})"
    return _with_pool(family, near)


def corrupted(family: Family) -> str:
    """Find the cards whose memory lost data within the window; a blank value between two good ones is no error."""
    count = grown(family.exporter.metrics.uncorrectable, ERROR_WINDOW, family.exporter.holder.values())
    return _with_pool(family, f"{_per_card(family, count)} > 0 < {IMPOSSIBLE_ERRORS}")


def grown(count: str, window: str, holder: Iterable[str] = ()) -> str:
    """Return by how much a count of errors has grown within a window, whoever held the card before and after.

    An error ends the program, and the series of the card then bears another pod or none: `increase` looks at each series
    alone and sees none of it. `holder` are the exporter's own labels of whoever holds the card.
    """
    ours = ", ".join(sorted({*_HOLDER, *holder}))
    return f"max without ({ours}) ({count}) - min without ({ours}) (min_over_time({count}[{window}]))"


def unhealthy(family: Family) -> str:
    """Find the cards that their vendor's own verdict is bad of; empty where the exporter gives none."""
    verdict = family.exporter.metrics.unhealthy
    return _with_pool(family, _per_card(family, verdict)) if verdict else ""


def either(expressions: Iterable[str]) -> str:
    """Join expressions over different families, whose cards are never the same."""
    said = [expression for expression in expressions if expression]
    return said[0] if len(said) == 1 else "\nor\n".join(f"({expression})" for expression in said)


def _per_card(family: Family, expression: str) -> str:
    """Take each card once, under our labels."""
    return f"max by ({', '.join(_labels(family))}) ({labelled(family, expression)})"


def labelled(family: Family, expression: str) -> str:
    """Give the series of an exporter our labels of a card."""
    for ours, theirs in family.exporter.card.items():
        if ours != theirs:
            expression = f'label_replace({expression}, "{ours}", "$1", "{theirs}", "(.+)")'
    return expression


def _labels(family: Family) -> tuple[str, ...]:
    pool = ("pool",) if family.vendor is Vendor.NVIDIA else ()
    return ("node", *pool, *family.exporter.card)


def _with_pool(family: Family, expression: str) -> str:
    """Add the pool of the node where it is known; a card whose pool is unknown is told of nevertheless."""
    if family.vendor is Vendor.NVIDIA:
        return expression
    card = ", ".join(_labels(family))
    return f"({expression}) * on (node) group_left (pool) {NODE_POOL}\nor on ({card}) ({expression})"
