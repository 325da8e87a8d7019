"""Alerts on the state of the cards, and the compiled facts that they need.

Facts: NVIDIA/dcgm-exporter 4.8, kube-state-metrics 2.20, other vendors' exporters by the catalogue. Labels are ours by
the scrape contract (`emit/dcgm`, `emit/exporters`). What every vendor's exporter can tell is one alert for all of them,
by each one's own metrics (`emit/card_series`); what NVIDIA's alone tells (XIDs, row remapping) is there only where the
cluster has NVIDIA cards, rather than as a rule that never fires.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplan import conventions
from gpuplan.catalog import Catalog, Family
from gpuplan.emit import agents, base, card_series, node_pools
from gpuplan.manifests.kinds import PrometheusRule
from gpuplan.manifests.kinds.monitoring import AlertingRule, RecordingRule, RuleGroup
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet, Thresholds
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import SharingMode

PLATFORM_TEAM = "platform"
"""Whom alerts on nodes and cards are for; those on a program go to the team of its namespace."""

CARD = "node, pool, gpu, UUID"
"""What one physical card is in our series."""

_WHO = (
    "GPU {{ with $labels.gpu }}{{ . }} {{ end }}{{ with $labels.UUID }}({{ . }}) {{ end }}"
    "on node {{ $labels.node }}{{ with $labels.pool }} of pool {{ . }}{{ end }}"
)
"""A card in words; some vendors' cards have no index, others no id, and a node may be in no pool that is known."""

Rules = list[AlertingRule | RecordingRule]


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the PrometheusRule of a cluster with pools."""
    if not cluster.pools:
        return
    groups: list[RuleGroup] = [
        {"name": "gpuplan-pools", "rules": list(_pool_facts(fleet.catalog, cluster))},
        {"name": "gpuplan-gpu-state", "rules": _state_rules(fleet, cluster)},
    ]
    if cluster.teams:
        groups.insert(1, {"name": "gpuplan-teams", "rules": list(_team_facts(cluster))})
    made: PrometheusRule = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": base.namespaced(
            conventions.PROMETHEUS_RULE,
            conventions.SYSTEM_NAMESPACE,
            base.MONITORING,
            base.FOREIGN_CRD,
            labels=fleet.monitoring.selector_labels,
        ),
        "spec": {"groups": groups},
    }
    yield base.manifest(fleet, cluster, base.MONITORING, made, fleet.monitoring.path, cluster.path)


def _pool_facts(catalog: Catalog, cluster: Cluster) -> Iterator[RecordingRule]:
    for pool in cluster.pools:
        cards = card_series.cards_per_node(catalog.vendors.of(pool.card), pool)
        yield {"record": "gpuplan_pool_gpus_per_node", "expr": f"vector({cards})", "labels": {"pool": pool.name}}


def _team_facts(cluster: Cluster) -> Iterator[RecordingRule]:
    for team in sorted(cluster.teams, key=lambda team: team.name):
        for namespace in team.namespaces:
            yield {
                "record": "gpuplan_namespace_team_info",
                "expr": "vector(1)",
                "labels": {"namespace": namespace, "team": team.name},
            }


def _state_rules(fleet: Fleet, cluster: Cluster) -> Rules:
    """Nodes and their cards first: a rule that others read stands in their group, or they lag behind by an interval."""
    thresholds, runbooks = fleet.monitoring.thresholds, fleet.monitoring.runbook_base
    present = [family for family, _ in card_series.families(fleet.catalog, cluster.pools).values()]
    alerts = [
        *_presence_alerts(fleet.catalog, cluster, thresholds),
        *(_xid_alerts(fleet.catalog) if agents.nvidia_pools(cluster) else ()),
        _thermal_alert(present, thresholds),
        *_row_remap_alerts(fleet.catalog, agents.nvidia_pools(cluster)),
        _memory_alert(present),
        *_verdict_alerts(present),
    ]
    cards: RecordingRule = {
        "record": card_series.NODE_CARDS,
        "expr": card_series.reported(fleet.catalog, cluster.pools),
    }
    return [node_pools.info(cluster), cards, *(_with_runbook(alert, runbooks) for alert in alerts)]


def _presence_alerts(catalog: Catalog, cluster: Cluster, thresholds: Thresholds) -> Iterator[AlertingRule]:
    """What is missing."""
    yield {
        "alert": "GpuNodesUnknown",
        "expr": f"absent({card_series.NODE_POOL})",
        "for": "15m",
        "labels": _platform("warning"),
        "annotations": {
            "summary": "Monitoring does not know which nodes have GPUs.",
            "description": f"{node_pools.unknown(cluster)}: alerts on missing GPUs and exporters cannot fire.",
        },
    }
    yield {
        "alert": "GpuExporterDownOnGpuNode",
        "expr": card_series.silent(catalog, cluster.pools),
        "for": f"{thresholds.exporter_down_minutes}m",
        "labels": _platform("critical"),
        "annotations": {
            "summary": "A GPU node reports no GPU.",
            "description": "Node {{ $labels.node }} of pool {{ $labels.pool }} has no GPU metrics: its exporter is down, or "
            "it has lost all its GPUs. Other GPU alerts of the node are blind meanwhile.",
        },
    }
    yield {
        "alert": "GpuMissingFromNode",
        "expr": card_series.missing(catalog, cluster.pools),
        "for": f"{thresholds.card_missing_minutes}m",
        "labels": _platform("critical"),
        "annotations": {
            "summary": "A node reports fewer GPUs than its pool has.",
            "description": "Node {{ $labels.node }} of pool {{ $labels.pool }} reports {{ $value }} GPUs too few.",
        },
    }


def _xid_alerts(catalog: Catalog) -> Iterator[AlertingRule]:
    """By the count of the last 5 minutes: the last code alone (DCGM_FI_DEV_XID_ERRORS) never goes back to 0.

    The alert to drain outlives the window, so that somebody sees it. XIDs of a program are for whoever runs it: the team of
    the namespace, or nobody in particular where no team owns it.
    """
    drain = _codes(catalog, {name for name, row in catalog.xids.items() if row.drains})
    yield {
        "alert": "GpuXidNodeDrain",
        "expr": f'max by ({CARD}, xid) (DCGM_EXP_XID_ERRORS_COUNT{{xid=~"{drain}"}}) > 0',
        "keep_firing_for": "30m",
        "labels": _platform("critical"),
        "annotations": {
            "summary": "A GPU reported an error after which its node must be drained.",
            "description": f"{_WHO} reported XID {{{{ $labels.xid }}}}: drain the node before anything else runs on the GPU.",
        },
    }
    failed = (
        "max by (namespace, pod, node, pool, xid) "
        f'(DCGM_EXP_XID_ERRORS_COUNT{{xid=~"{_codes(catalog, {"application"})}", pod!=""}}) > 0'
    )
    yield {
        "alert": "GpuXidApplication",
        "expr": f"({failed}) * on (namespace) group_left (team) gpuplan_namespace_team_info\n"
        f"or on (namespace, pod, node, xid) ({failed})",
        "labels": {"severity": "info"},
        "annotations": {
            "summary": "A program on a GPU failed.",
            "description": "Pod {{ $labels.namespace }}/{{ $labels.pod }} on node {{ $labels.node }} caused XID "
            "{{ $labels.xid }}: the program failed and the GPU stays in service.",
        },
    }


def _codes(catalog: Catalog, classes: set[str]) -> str:
    return "|".join(map(str, sorted(code for name in classes for code in catalog.xids[name].codes)))


def _thermal_alert(families: Iterable[Family], thresholds: Thresholds) -> AlertingRule:
    """Against the limit that the card itself reports, or the one that the catalogue has for it."""
    margin = thresholds.thermal_margin_celsius
    return {
        "alert": "GpuThermalMarginLow",
        "expr": card_series.either(card_series.hot(family, margin) for family in families),
        "for": "5m",
        "labels": _platform("warning"),
        "annotations": {
            "summary": "A GPU is about to slow down because it is hot.",
            "description": f"{_WHO} is at {{{{ $value }}}} °C, less than {margin} °C below its slowdown temperature.",
        },
    }


def _memory_alert(families: Iterable[Family]) -> AlertingRule:
    """By the growth of a count, which outlives the error; the alert outlives the window, so that somebody sees it."""
    return {
        "alert": "GpuMemoryUncorrectable",
        "expr": card_series.either(card_series.corrupted(family) for family in families),
        "keep_firing_for": "30m",
        "labels": _platform("critical"),
        "annotations": {
            "summary": "A GPU lost data in its memory.",
            "description": f"{_WHO} had a memory error that could not be corrected: what ran on it is lost, and the GPU needs "
            "a reset before anything else runs there.",
        },
    }


def _verdict_alerts(families: Iterable[Family]) -> Iterator[AlertingRule]:
    """Only where an exporter tells its vendor's own verdict; NVIDIA's is told by XIDs."""
    expr = card_series.either(card_series.unhealthy(family) for family in families)
    if expr:
        yield {
            "alert": "GpuUnhealthy",
            "expr": expr,
            "for": "5m",
            "labels": _platform("critical"),
            "annotations": {
                "summary": "A GPU is unhealthy in the eyes of its vendor's own agent.",
                "description": f"{_WHO} is not healthy: its plugin offers it no more, or soon will not. Drain the node and look.",
            },
        }


def _row_remap_alerts(catalog: Catalog, pools: Iterable[NodePool]) -> Iterator[AlertingRule]:
    """Only where a card can report it: cards in MIG mode do not (catalogue: `onMig`)."""
    pools = tuple(pools)
    whole = any(pool.sharing.mode is not SharingMode.MIG for pool in pools)
    if not pools or not (whole or catalog.metrics["DCGM_FI_DEV_ROW_REMAP_FAILURE"].on_mig):
        return
    yield {
        "alert": "GpuRowRemapFailed",
        "expr": f"max by ({CARD}) (DCGM_FI_DEV_ROW_REMAP_FAILURE) == 1",
        "labels": _platform("critical"),
        "annotations": {
            "summary": "A GPU could not replace a broken memory row.",
            "description": f"{_WHO} has no spare rows left: take it out of service and ask the vendor for a replacement.",
        },
    }
    yield {
        "alert": "GpuRowRemapPending",
        "expr": f"max by ({CARD}) (DCGM_FI_DEV_ROW_REMAP_PENDING) == 1",
        "for": "15m",
        "labels": _platform("info"),
        "annotations": {
            "summary": "A GPU replaces a broken memory row at its next reset.",
            "description": f"{_WHO} needs a reset when nothing runs on it.",
        },
    }


def _platform(severity: str) -> dict[str, str]:
    return {"severity": severity, "team": PLATFORM_TEAM}


def _with_runbook(alert: AlertingRule, runbooks: str) -> AlertingRule:
    if not runbooks:
        return alert
    return {**alert, "annotations": {**alert["annotations"], "runbook_url": runbooks + alert["alert"].lower()}}
