"""Panels on the state of cards and nodes: utilisation, memory, temperature, health, error events."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.dashboards.context import Context
from gpuplan.emit.dashboards.panels import Panel, Query, above, stat
from gpuplan.emit.monitoring.series import (
    CARD_POWER,
    CARD_TEMPERATURE,
    CARD_UTIL,
    CARDS_PER_NODE,
    GPU_MEMORY,
    GPU_UTIL,
    NODE_CARDS,
    NODE_POOL,
    POOL_ALLOCATED,
    POOL_CAPACITY,
    POOL_NODES,
    THROTTLED,
    Series,
)

CARD = "cluster, node, gpu, UUID"
"""What tells one physical card from another."""


def glance(on: Context) -> Iterator[Panel]:
    """Yield the numbers that every dashboard on hardware begins with."""
    s = on.scope
    capacity = s.of(POOL_CAPACITY)
    yield stat("Cards", "Cards of all nodes that are there.", f"sum({capacity})")
    yield stat(
        "Allocated",
        "Part of the cards that pods hold, shared and cut cards by their share.",
        f"sum({s.of(POOL_ALLOCATED)}) / (sum({capacity}) > 0)",
        "percentunit",
    )
    yield stat("Busy", "Mean utilisation of all cards, held or not.", f"avg({s.of(CARD_UTIL)})", "percentunit")
    yield stat(
        "Missing cards", f"{_MISSING} Above zero, a card or an exporter is gone.", _missing(on, ""), limit=above(1)
    )


_MISSING = "Cards that nodes should report, by the spec, and do not."


def _missing(on: Context, by: str) -> str:
    s = on.scope
    wanted = f"sum{by} ({s.of(NODE_POOL)} * on (cluster, pool) group_left () {s.of(CARDS_PER_NODE)})"
    seen = f"sum{by} ({s.with_pool(s.of(NODE_CARDS))})"
    return f"{wanted} - ({seen} or {wanted} * 0)"


def node_glance(on: Context) -> Iterator[Panel]:
    """Yield the numbers of the nodes in view."""
    s = on.scope
    yield stat("Cards", "Cards that the nodes report.", f"sum({s.with_pool(s.of(NODE_CARDS))})")
    yield stat(
        "Missing cards", f"{_MISSING} Above zero, a card or an exporter is gone.", _missing(on, ""), limit=above(1)
    )
    yield stat("Busy", "Mean utilisation of all cards, held or not.", f"avg({s.of(CARD_UTIL)})", "percentunit")
    yield stat("Memory", "Mean used part of card memory.", f"avg({s.of(GPU_MEMORY)})", "percentunit")
    yield stat("Hottest", "Temperature of the hottest card.", f"max({s.of(CARD_TEMPERATURE)})", "celsius")
    yield stat("Power", "Power draw of all cards.", f"sum({s.of(CARD_POWER)})", "watt")


def by_pool(on: Context) -> Iterator[Panel]:
    """Yield the state of each pool as a whole."""
    yield _mean(on, "Utilisation", "busy part of the cards", CARD_UTIL)
    yield _mean(on, "Memory", "used part of the memory of cards and instances", GPU_MEMORY)
    yield Panel(
        title="Hottest card",
        says="Temperature of the hottest card of each pool.",
        kind="lines",
        queries=(Query(expr=f"max by (pool) ({on.scope.of(CARD_TEMPERATURE)})", legend="{{pool}}"),),
        unit="celsius",
    )
    yield Panel(
        title="Missing cards by pool",
        says=_MISSING,
        kind="stacked",
        queries=(Query(expr=_missing(on, " by (pool)"), legend="{{pool}}"),),
        least=0,
    )


def _mean(on: Context, title: str, what: str, of: Series) -> Panel:
    return Panel(
        title=title,
        says=f"Mean {what} of each pool.",
        kind="lines",
        queries=(Query(expr=f"avg by (pool) ({on.scope.of(of)})", legend="{{pool}}"),),
        unit="percentunit",
        least=0,
        most=1,
    )


def spread(on: Context) -> Iterator[Panel]:
    """Yield how evenly the cards of pools are used, and what they draw."""
    util = on.scope.of(CARD_UTIL)
    bands = {"idle, below 2 %": "< 0.02", "2 to 50 %": ">= 0.02 < 0.5", "above 50 %": ">= 0.5"}
    yield Panel(
        title="Cards by utilisation",
        says="How many cards are idle, half busy and busy.",
        kind="stacked",
        queries=tuple(
            Query(expr=f"count({util} {band}) or count({util}) * 0", legend=name) for name, band in bands.items()
        ),
        least=0,
    )
    yield Panel(
        title="Power",
        says="Power draw of all cards of each pool.",
        kind="stacked",
        queries=(Query(expr=f"sum by (pool) ({on.scope.of(CARD_POWER)})", legend="{{pool}}"),),
        unit="watt",
        least=0,
    )
    yield Panel(
        title="Nodes",
        says="Nodes that are there, and those that the spec names.",
        kind="lines",
        queries=(
            Query(expr=f"count by (pool) ({on.scope.of(NODE_POOL)})", legend="{{pool}}"),
            Query(expr=f"sum by (pool) ({on.scope.of(POOL_NODES)})", legend="{{pool}} by the spec"),
        ),
        least=0,
    )


def instances(on: Context) -> Panel:
    """Return the use of the instances of cut cards."""
    cut = on.scope.of(GPU_UTIL, matchers='GPU_I_PROFILE!=""')
    return Panel(
        title="MIG instances",
        says="Mean busy part of the instances of each profile, against the instance itself.",
        kind="lines",
        queries=(Query(expr=f"avg by (pool, GPU_I_PROFILE) ({cut})", legend="{{pool}} {{GPU_I_PROFILE}}"),),
        unit="percentunit",
        least=0,
        most=1,
    )


def cards(on: Context) -> Iterator[Panel]:
    """Yield each card of the nodes in view."""
    yield _each(on, "Utilisation by card", "Busy part of each card.", CARD_UTIL, "percentunit")
    yield Panel(
        title="Memory by card",
        says="Used part of the memory of each card, or of its fullest instance.",
        kind="lines",
        queries=(Query(expr=f"max by ({CARD}) ({on.scope.of(GPU_MEMORY)})", legend="{{node}} {{gpu}}"),),
        unit="percentunit",
        least=0,
        most=1,
    )
    yield _each(on, "Temperature by card", "Temperature of each card.", CARD_TEMPERATURE, "celsius")
    yield _each(on, "Power by card", "Power draw of each card.", CARD_POWER, "watt")


def _each(on: Context, title: str, says: str, of: Series, unit: str) -> Panel:
    part = unit == "percentunit"
    return Panel(
        title=title,
        says=says,
        kind="lines",
        queries=(Query(expr=on.scope.of(of), legend="{{node}} {{gpu}}"),),
        unit=unit,
        least=0 if part else None,
        most=1 if part else None,
    )


def conditions(on: Context) -> Iterator[Panel]:
    """Yield what Kubernetes says of the nodes."""
    here = f"* on (cluster, node) group_left (pool) {on.scope.of(NODE_POOL)}"
    bad = (
        'kube_node_status_condition{cluster=~"$cluster", condition="Ready", status="true"} == bool 0',
        'kube_node_status_condition{cluster=~"$cluster", condition!="Ready", status="true"}',
        'kube_node_spec_unschedulable{cluster=~"$cluster"}',
    )
    names = ("not ready", "other conditions", "cordoned")
    yield Panel(
        title="Nodes in trouble",
        says="Nodes with GPUs that are not ready, have another condition (such as memory pressure), or are cordoned.",
        kind="lines",
        queries=tuple(
            Query(expr=f"sum(max by (cluster, node) ({expr}) {here})", legend=name)
            for expr, name in zip(bad, names, strict=True)
        ),
        least=0,
    )


def errors(on: Context, by: str) -> Iterator[Panel]:
    """Yield the error events of NVIDIA's cards, by what its exporter alone tells; by `pool` or by `node`."""
    s = on.scope
    xids = s.raw("DCGM_EXP_XID_ERRORS_COUNT", "node", "pool", matchers='xid!=""')
    yield Panel(
        title="XID errors",
        says="Errors that NVIDIA's driver reported within five minutes, by code. The runbook of the alert says which ones "
        "ask for a drained node.",
        kind="stacked",
        queries=(
            Query(
                expr=f"sum by ({by}, xid) (max by ({CARD}, pool, xid) ({xids}))", legend=f"{{{{{by}}}}} XID {{{{xid}}}}"
            ),
        ),
        least=0,
    )
    lost = s.raw("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "node", "pool")
    yield Panel(
        title="Memory errors",
        says="Errors in card memory that could not be corrected: what ran on the card is lost.",
        kind="stacked",
        queries=(
            Query(
                expr=f"sum by ({by}) (max by ({CARD}, pool) (increase({lost}[$__rate_interval])))",
                legend=f"{{{{{by}}}}}",
            ),
        ),
        least=0,
    )


def links(on: Context, by: str) -> Iterator[Panel]:
    """Yield errors of the links of NVIDIA's cards, and what slows them down; by `pool` or by `node`."""
    s = on.scope
    replays = s.raw("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "node", "pool")
    yield Panel(
        title="PCIe replays",
        says="Packets that a card sent again, a minute, the worst card; a link that wears out shows here first.",
        kind="lines",
        queries=(
            Query(
                expr=f"max by ({by}) (rate({replays}[$__rate_interval])) * 60",
                legend=f"{{{{{by}}}}}",
            ),
        ),
        limit=above(on.thresholds.pcie_replays_per_minute),
        least=0,
    )
    nvlink = s.raw("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", "node", "pool")
    yield Panel(
        title="NVLink errors",
        says="Checksum errors between cards, a second, the worst card.",
        kind="lines",
        queries=(Query(expr=f"max by ({by}) (rate({nvlink}[$__rate_interval]))", legend=f"{{{{{by}}}}}"),),
        limit=above(on.thresholds.nvlink_errors_per_second),
        least=0,
    )
    yield Panel(
        title="Slowed down",
        says="Cards that run slower than asked, by reason: heat, or a brake on power. Idling and a power limit are normal.",
        kind="stacked",
        queries=(Query(expr=f"sum by (reason) ({s.of(THROTTLED)})", legend="{{reason}}"),),
        least=0,
    )
