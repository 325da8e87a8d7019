"""A counter that rules need and an exporter that works does not export: the rules are then blind, and nothing else says so.

One alert for a pool and counter: a wrong list of counters is that of all its nodes.

Only what a card must have is asked for: links, profiling, limits of temperature and the vendor's verdict depend on the board,
on its firmware, on who else profiles and on the driver. Of cut cards and of a fleet's own card models we know too little to
ask for more than the count of XIDs, which the exporter makes itself (a row of 0 without a code while there is none).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan.catalog import Catalog
from gpuplan.emit import agents, counters
from gpuplan.emit.monitoring import scenes
from gpuplan.emit.monitoring.alerts import Alert, Case
from gpuplan.emit.monitoring.state.common import CORDON, WHILE, steady, unless_drained, without
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import SharingMode

XIDS = "DCGM_EXP_XID_ERRORS_COUNT"
_EVERY_CARD = (
    XIDS,
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
    "DCGM_FI_DEV_ROW_REMAP_FAILURE",
    "DCGM_FI_DEV_ROW_REMAP_PENDING",
)
_PRESENCE = "DCGM_FI_DEV_GPU_TEMP"
_WAIT_MINUTES = 10


def alerts(fleet: Fleet, cluster: Cluster) -> Iterator[Alert]:
    """Yield the alert on missing counters, where a cluster has NVIDIA cards and alerts need a counter."""
    pools = agents.nvidia_pools(cluster)
    if not pools:
        return
    collected = frozenset(counters.collected(fleet, cluster))
    wanted = {pool.name: expected(fleet.catalog, collected, pool) for pool in pools}
    first = next((pool for pool in pools if wanted[pool.name]), None)
    if first is None:
        return
    named = (_nodes_without(counter, wanted) for counter in _EVERY_CARD)
    either = "\nor\n".join(expression for expression in named if expression)
    yield Alert(
        name="GpuCountersMissing",
        expr=f"count by (pool, counter) (\n{unless_drained(either)}\n)",
        wait=f"{_WAIT_MINUTES}m",
        severity="warning",
        summary="An exporter does not export a counter that alerts need.",
        description="The exporters of {{ $value }} nodes{{ with $labels.pool }} of pool {{ . }}{{ end }} work and export no "
        "{{ $labels.counter }}: the alerts that read it cannot fire there. Compare their list of counters with the one in "
        "rendered/, and look in their log.",
        cases=tuple(_cases(fleet, first, wanted[first.name])),
    )


def expected(catalog: Catalog, collected: frozenset[str], pool: NodePool) -> tuple[str, ...]:
    """Return what the exporter of a pool must export, of all that is collected in its cluster."""
    surely_known = pool.card.architecture and pool.sharing.mode is not SharingMode.MIG
    wanted = _EVERY_CARD if surely_known else (XIDS,)
    metrics = catalog.metrics
    return tuple(name for name in wanted if name in collected and metrics[name].may_exist_on(pool.card.architecture))


def _nodes_without(counter: str, expected: Mapping[str, tuple[str, ...]]) -> str:
    """Find the nodes whose exporter works and does not export the counter, by `node`, `pool` and `counter`."""
    pools = sorted(pool for pool, wanted in expected.items() if counter in wanted)
    if not pools:
        return ""
    within = "" if len(pools) == len(expected) else f', pool=~"{"|".join(pools)}"'
    blind = f'count by (node, pool) ({_PRESENCE}{{node!=""{within}}}) unless on (node) {counter}'
    return f'label_replace({blind}, "counter", "{counter}", "", "")'


def _cases(fleet: Fleet, pool: NodePool, wanted: tuple[str, ...]) -> Iterator[Case]:
    card = scenes.card(fleet.catalog, pool)
    present = card.of(_PRESENCE)
    lost = card.of(wanted[0])
    later = f"{_WAIT_MINUTES + 1}m"
    every = steady(present, *(card.of(counter) for counter in wanted), value=0)
    fires = {"pool": pool.name, "counter": wanted[0]}
    yield Case(
        kind="firing",
        name="the exporter works without one of its counters",
        inputs=without(every, lost),
        at=f"{_WAIT_MINUTES}m",
        fires=(fires,),
    )
    yield Case(
        kind="healthy",
        name="every counter is exported, and no XID was ever seen",
        inputs=every,
        at=later,
    )
    yield Case(
        kind="absent",
        name="the exporter is down, which is another alert's matter",
        inputs=without(every, lost, present),
        at=later,
    )
    yield from _edges(fleet, pool, without(every, lost), later, wanted[0])


def _edges(fleet: Fleet, pool: NodePool, blind: dict[str, str], later: str, counter: str) -> Iterator[Case]:
    """What looks like a counter that is missing, and is none."""
    card, other = (scenes.card(fleet.catalog, pool, index=index) for index in (0, 1))
    yield Case(kind="edge", name="the exporter has just started", inputs=blind, at=f"{_WAIT_MINUTES - 1}m")
    drained = steady(scenes.series(CORDON, node=card.labels["node"]))
    yield Case(kind="edge", name="the node is drained", inputs=blind | drained, at=later)
    seen = {other.of(counter): f"0x{WHILE}"}
    yield Case(kind="edge", name="another card of the node has the counter", inputs=blind | seen, at=later)
