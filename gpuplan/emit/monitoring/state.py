"""Alerts on the state of the cards, and the compiled facts that they need.

Facts: NVIDIA/dcgm-exporter 4.8, kube-state-metrics 2.20, other vendors' exporters by the catalogue. Labels are ours by
the scrape contract (`emit/dcgm`, `emit/exporters`). What every vendor's exporter can tell is one alert for all of them,
by each one's own metrics (`emit/card_series`); what NVIDIA's alone tells (XIDs, row remapping) is there only where the
cluster has NVIDIA cards, rather than as a rule that never fires.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplan.catalog import Catalog, Family
from gpuplan.emit import agents
from gpuplan.emit.monitoring import card_series, node_pools
from gpuplan.emit.monitoring.alerts import Alert, Group
from gpuplan.emit.monitoring.series import NODE_POOL
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.monitoring import Thresholds
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import SharingMode

CARD = "node, pool, gpu, UUID"
"""What one physical card is in our series."""

_WHO = (
    "GPU {{ with $labels.gpu }}{{ . }} {{ end }}{{ with $labels.UUID }}({{ . }}) {{ end }}"
    "on node {{ $labels.node }}{{ with $labels.pool }} of pool {{ . }}{{ end }}"
)
"""A card in words; some vendors' cards have no index, others no id, and a node may be in no pool that is known."""


def groups(fleet: Fleet, cluster: Cluster) -> Iterator[Group]:
    """Yield the alerts on the state of a cluster's cards."""
    thresholds = fleet.monitoring.thresholds
    present = [family for family, _ in card_series.families(fleet.catalog, cluster.pools).values()]
    yield Group(
        name="gpuplan-gpu-state",
        alerts=(
            *_presence_alerts(fleet.catalog, cluster, thresholds),
            *(_xid_alerts(fleet.catalog) if agents.nvidia_pools(cluster) else ()),
            _thermal_alert(present, thresholds),
            *_row_remap_alerts(fleet.catalog, agents.nvidia_pools(cluster)),
            _memory_alert(present),
            *_verdict_alerts(present),
        ),
    )


def _presence_alerts(catalog: Catalog, cluster: Cluster, thresholds: Thresholds) -> Iterator[Alert]:
    """What is missing."""
    yield Alert(
        name="GpuNodesUnknown",
        expr=f"absent({NODE_POOL})",
        wait="15m",
        severity="warning",
        summary="Monitoring does not know which nodes have GPUs.",
        description=f"{node_pools.unknown(cluster)}: alerts on missing GPUs and exporters cannot fire.",
    )
    yield Alert(
        name="GpuExporterDownOnGpuNode",
        expr=card_series.silent(catalog, cluster.pools),
        wait=f"{thresholds.exporter_down_minutes}m",
        severity="critical",
        summary="A GPU node reports no GPU.",
        description="Node {{ $labels.node }} of pool {{ $labels.pool }} has no GPU metrics: its exporter is down, or "
        "it has lost all its GPUs. Other GPU alerts of the node are blind meanwhile.",
    )
    yield Alert(
        name="GpuMissingFromNode",
        expr=card_series.missing(catalog, cluster.pools),
        wait=f"{thresholds.card_missing_minutes}m",
        severity="critical",
        summary="A node reports fewer GPUs than its pool has.",
        description="Node {{ $labels.node }} of pool {{ $labels.pool }} reports {{ $value }} GPUs too few.",
    )


def _xid_alerts(catalog: Catalog) -> Iterator[Alert]:
    """By the count of the last 5 minutes: the last code alone (DCGM_FI_DEV_XID_ERRORS) never goes back to 0.

    The alert to drain outlives the window, so that somebody sees it. XIDs of a program are for whoever runs it: the team of
    the namespace, or nobody in particular where no team owns it.
    """
    drain = _codes(catalog, {name for name, row in catalog.xids.items() if row.drains})
    yield Alert(
        name="GpuXidNodeDrain",
        expr=f'max by ({CARD}, xid) (DCGM_EXP_XID_ERRORS_COUNT{{xid=~"{drain}"}}) > 0',
        hold="30m",
        severity="critical",
        summary="A GPU reported an error after which its node must be drained.",
        description=f"{_WHO} reported XID {{{{ $labels.xid }}}}: drain the node before anything else runs on the GPU.",
    )
    failed = (
        "max by (namespace, pod, node, pool, xid) "
        f'(DCGM_EXP_XID_ERRORS_COUNT{{xid=~"{_codes(catalog, {"application"})}", pod!=""}}) > 0'
    )
    yield Alert(
        name="GpuXidApplication",
        expr=f"({failed}) * on (namespace) group_left (team) gpuplan_namespace_team_info\n"
        f"or on (namespace, pod, node, xid) ({failed})",
        severity="info",
        team="",
        summary="A program on a GPU failed.",
        description="Pod {{ $labels.namespace }}/{{ $labels.pod }} on node {{ $labels.node }} caused XID "
        "{{ $labels.xid }}: the program failed and the GPU stays in service.",
    )


def _codes(catalog: Catalog, classes: set[str]) -> str:
    return "|".join(map(str, sorted(code for name in classes for code in catalog.xids[name].codes)))


def _thermal_alert(families: Iterable[Family], thresholds: Thresholds) -> Alert:
    """Against the limit that the card itself reports, or the one that the catalogue has for it."""
    margin = thresholds.thermal_margin_celsius
    return Alert(
        name="GpuThermalMarginLow",
        expr=card_series.either(card_series.hot(family, margin) for family in families),
        wait="5m",
        severity="warning",
        summary="A GPU is about to slow down because it is hot.",
        description=f"{_WHO} is at {{{{ $value }}}} °C, less than {margin} °C below its slowdown temperature.",
    )


def _memory_alert(families: Iterable[Family]) -> Alert:
    """By the growth of a count, which outlives the error; the alert outlives the window, so that somebody sees it."""
    return Alert(
        name="GpuMemoryUncorrectable",
        expr=card_series.either(card_series.corrupted(family) for family in families),
        hold="30m",
        severity="critical",
        summary="A GPU lost data in its memory.",
        description=f"{_WHO} had a memory error that could not be corrected: what ran on it is lost, and the GPU needs "
        "a reset before anything else runs there.",
    )


def _verdict_alerts(families: Iterable[Family]) -> Iterator[Alert]:
    """Only where an exporter tells its vendor's own verdict; NVIDIA's is told by XIDs."""
    expr = card_series.either(card_series.unhealthy(family) for family in families)
    if expr:
        yield Alert(
            name="GpuUnhealthy",
            expr=expr,
            wait="5m",
            severity="critical",
            summary="A GPU is unhealthy in the eyes of its vendor's own agent.",
            description=f"{_WHO} is not healthy: its plugin offers it no more, or soon will not. Drain the node and look.",
        )


def _row_remap_alerts(catalog: Catalog, pools: Iterable[NodePool]) -> Iterator[Alert]:
    """Only where a card can report it: cards in MIG mode do not (catalogue: `onMig`)."""
    pools = tuple(pools)
    whole = any(pool.sharing.mode is not SharingMode.MIG for pool in pools)
    if not pools or not (whole or catalog.metrics["DCGM_FI_DEV_ROW_REMAP_FAILURE"].on_mig):
        return
    yield Alert(
        name="GpuRowRemapFailed",
        expr=f"max by ({CARD}) (DCGM_FI_DEV_ROW_REMAP_FAILURE) == 1",
        severity="critical",
        summary="A GPU could not replace a broken memory row.",
        description=f"{_WHO} has no spare rows left: take it out of service and ask the vendor for a replacement.",
    )
    yield Alert(
        name="GpuRowRemapPending",
        expr=f"max by ({CARD}) (DCGM_FI_DEV_ROW_REMAP_PENDING) == 1",
        wait="15m",
        severity="info",
        summary="A GPU replaces a broken memory row at its next reset.",
        description=f"{_WHO} needs a reset when nothing runs on it.",
    )
