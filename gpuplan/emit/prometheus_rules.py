"""Alerts on the state of the cards, and the compiled facts that they need.

Facts: NVIDIA/dcgm-exporter 4.8, kube-state-metrics 2.20. Labels are ours by the scrape contract (`emit/dcgm`): `node`
and `pool` on every DCGM series. Every gauge is bounded, since exporters have shipped 644 million degrees; every card
is taken once (`max by`), since on shared cards the exporter repeats it for each pod. A DCGM metric that a rule reads
is collected by `emit/dcgm`, and a cluster without NVIDIA cards has no such rule, rather than one that never fires.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplan import conventions
from gpuplan.catalog import Catalog
from gpuplan.emit import agents, base
from gpuplan.manifests.kinds import PrometheusRule
from gpuplan.manifests.kinds.monitoring import AlertingRule, RecordingRule, RuleGroup
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster, Fleet, Thresholds
from gpuplan.model.pools import NodePool, SharingMode, node_labels

PLATFORM_TEAM = "platform"
"""Whom alerts on nodes and cards are for; those on a program go to the team of its namespace."""

CARD = "node, pool, gpu, UUID"
"""What one physical card is in our series."""

_WHO = "GPU {{ $labels.gpu }} ({{ $labels.UUID }}) on node {{ $labels.node }} of pool {{ $labels.pool }}"

_NODES_BY_PODS = "kube-state-metrics shows no agent of ours on any node"
_NODES_BY_LABELS = (
    "kube-state-metrics shows no node with the labels of a pool (does --metric-labels-allowlist name them?)"
)
"""What is wrong where no node of any pool is known: nodes without their labels look like that, and so does silence."""

Rules = list[AlertingRule | RecordingRule]


def emit(fleet: Fleet, cluster: Cluster) -> Iterator[Manifest]:
    """Yield the PrometheusRule of a cluster with NVIDIA cards."""
    pools = agents.nvidia_pools(cluster)
    if not pools:
        return
    groups: list[RuleGroup] = [
        {"name": "gpuplan-pools", "rules": list(_pool_facts(pools))},
        {"name": "gpuplan-gpu-state", "rules": _state_rules(fleet, cluster, pools)},
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


def _pool_facts(pools: Iterable[NodePool]) -> Iterator[RecordingRule]:
    for pool in pools:
        yield {
            "record": "gpuplan_pool_gpus_per_node",
            "expr": f"vector({pool.cards_per_node})",
            "labels": {"pool": pool.name},
        }


def _team_facts(cluster: Cluster) -> Iterator[RecordingRule]:
    for team in sorted(cluster.teams, key=lambda team: team.name):
        for namespace in team.namespaces:
            yield {
                "record": "gpuplan_namespace_team_info",
                "expr": "vector(1)",
                "labels": {"namespace": namespace, "team": team.name},
            }


def _state_rules(fleet: Fleet, cluster: Cluster, pools: tuple[NodePool, ...]) -> Rules:
    """The nodes first: a rule that others read stands in their group, or they lag behind by an interval."""
    thresholds, runbooks = fleet.monitoring.thresholds, fleet.monitoring.runbook_base
    managed = bool(agents.managed_pools(cluster))
    alerts = [
        *(
            _presence_alerts(thresholds, _NODES_BY_PODS)
            if managed
            else _presence_alerts(thresholds, _NODES_BY_LABELS, only_if=_NODE_LABEL_SEEN)
        ),
        *_xid_alerts(fleet.catalog),
        _thermal_alert(thresholds),
        *_row_remap_alerts(fleet.catalog, pools),
    ]
    return [_node_pools(pools, managed=managed), *(_with_runbook(alert, runbooks) for alert in alerts)]


def _node_pools(pools: tuple[NodePool, ...], *, managed: bool) -> RecordingRule:
    """Say which pool each GPU node belongs to.

    By the pods of our own agents, whose DaemonSets bear the pool's name: kube-state-metrics exports those without any
    allow list. Where the agents are others', by the nodes' labels, which it exports only if
    `--metric-labels-allowlist=nodes=[…]` names them.
    """
    expr = _pools_by_pods(pools) if managed else "\nor\n".join(_pool_by_labels(pool) for pool in pools)
    return {"record": "gpuplan:node_pool:info", "expr": expr}


def _pools_by_pods(pools: Iterable[NodePool]) -> str:
    """Match the exact names, so that another stack's DaemonSets in the cluster (a mixed pilot) are no pool of ours."""
    names = "|".join(agent.name for agent in (agents.DEVICE_PLUGIN, agents.DCGM_EXPORTER))
    exact = f"({names})-({'|'.join(pool.name for pool in pools)})"
    return (
        "max by (node, pool) (label_replace(\n"
        f'  kube_pod_info{{created_by_kind="DaemonSet", created_by_name=~"{exact}", node!=""}},\n'
        f'  "pool", "$2", "created_by_name", "{exact}"\n'
        "))"
    )


def _pool_by_labels(pool: NodePool) -> str:
    wanted = ", ".join(f'label_{base.prometheus_label(key)}="{value}"' for key, value in node_labels(pool).items())
    return f'max by (node, pool) (label_replace(kube_node_labels{{{wanted}}}, "pool", "{pool.name}", "", ""))'


_NODE_LABEL_SEEN = '\nand on () count(count_over_time(DCGM_FI_DEV_GPU_TEMP{node!=""}[1d])) > 0'
"""Somebody else's exporter may be scraped without a `node` label: then its silence says nothing about a node."""


def _presence_alerts(thresholds: Thresholds, unknown: str, only_if: str = "") -> Iterator[AlertingRule]:
    """What is missing. `only_if` is a condition under which absence means anything."""
    yield {
        "alert": "GpuNodesUnknown",
        "expr": "absent(gpuplan:node_pool:info)",
        "for": "15m",
        "labels": _platform("warning"),
        "annotations": {
            "summary": "Monitoring does not know which nodes have GPUs.",
            "description": f"{unknown}: alerts on missing GPUs and exporters cannot fire.",
        },
    }
    yield {
        "alert": "GpuExporterDownOnGpuNode",
        "expr": "gpuplan:node_pool:info unless on (node) count by (node) (DCGM_FI_DEV_GPU_TEMP)" + only_if,
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
        "expr": "(gpuplan:node_pool:info * on (pool) group_left () gpuplan_pool_gpus_per_node)\n"
        "- on (node) group_left () count by (node) (count by (node, UUID) (DCGM_FI_DEV_GPU_TEMP)) > 0" + only_if,
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


def _thermal_alert(thresholds: Thresholds) -> AlertingRule:
    """Against the limit that the card itself reports; 0 and absurd values mean no data."""
    margin = thresholds.thermal_margin_celsius
    return {
        "alert": "GpuThermalMarginLow",
        "expr": f"max by ({CARD}) (DCGM_FI_DEV_GPU_TEMP < 150)\n"
        f"> max by ({CARD}) (DCGM_FI_DEV_SLOWDOWN_TEMP > 0 < 150) - {margin}",
        "for": "5m",
        "labels": _platform("warning"),
        "annotations": {
            "summary": "A GPU is about to slow down because it is hot.",
            "description": f"{_WHO} is at {{{{ $value }}}} °C, less than {margin} °C below its slowdown temperature.",
        },
    }


def _row_remap_alerts(catalog: Catalog, pools: Iterable[NodePool]) -> Iterator[AlertingRule]:
    """Only where a card can report it: cards in MIG mode do not (catalogue: `onMig`)."""
    whole = any(pool.sharing.mode is not SharingMode.MIG for pool in pools)
    if not (whole or catalog.metrics["DCGM_FI_DEV_ROW_REMAP_FAILURE"].on_mig):
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
