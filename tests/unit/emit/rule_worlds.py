"""What the Prometheus of a cluster really has, worked out from what we render: counters, monitors, settings and rules."""

from __future__ import annotations

from collections.abc import Iterator

import promql_parser as promql
import yaml

from gpuplan import versions
from gpuplan.catalog import Exporter, VendorExporter
from gpuplan.catalog.cards import Vendor
from gpuplan.catalog.metrics import Metric as Row
from gpuplan.catalog.serving import ServingMetric
from gpuplan.emit import base, counters, reclaim
from gpuplan.emit.kueue import manager_configuration
from gpuplan.emit.monitoring import card_series, kueue_monitor, scrapes, series, settings
from gpuplan.emit.monitoring.alerts import Group
from gpuplan.model.fleet import Cluster, Fleet
from tests.unit.emit.rule_reading import NONE, Labels, Metric, World

EVALUATION_SECONDS = 60
"""How often Prometheus evaluates rules, if nobody says: its own default."""
SERIES = {one.name: one for one in series.ALL}
TARGET = frozenset({"instance", "job"})
SERVING_TARGET = frozenset({"namespace", "pod", "task_pool"})
"""What the monitors of engines add to all series of a pod, `up` among them."""


def world(fleet: Fleet, cluster: Cluster, groups: tuple[Group, ...]) -> World:
    """Return all that the cluster's Prometheus has."""
    found: dict[str, Metric] = {}
    for part in (_cards, _kueue, _state, _served, _reclaimer):
        found.update(part(fleet, cluster))
    found.update(_recorded(groups))
    return World(found)


def _recorded(groups: tuple[Group, ...]) -> Iterator[tuple[str, Metric]]:
    for group in groups:
        seconds = int(promql.parse_duration(group.interval).total_seconds()) if group.interval else EVALUATION_SECONDS
        for rule in group.records:
            labels = frozenset(SERIES[rule["record"]].labels) if rule["record"] in SERIES else NONE
            yield rule["record"], Metric(labels, seconds, unique=True)


def _cards(fleet: Fleet, cluster: Cluster) -> Iterator[tuple[str, Metric]]:
    seconds = fleet.monitoring.interval_seconds
    for name in counters.collected(fleet, cluster):
        yield name, Metric(frozenset(fleet.catalog.metrics[name].labels), seconds)
    for family, members in card_series.families(fleet.catalog, cluster.pools).values():
        if family.vendor is not Vendor.NVIDIA:
            labels = _labels_of(family.exporter, scraped=any(pool.stack != "external" for pool in members))
            for selector in _selectors(family.exporter):
                matched = {matcher.name for matcher in selector.matchers.matchers}
                yield selector.name or "", Metric(labels | matched, seconds)


def _labels_of(exporter: VendorExporter, *, scraped: bool) -> Labels:
    """Our monitor renames the holder's labels; others' need not, and then those series have no holder."""
    pool = {"pool"} if exporter.pod_label and scraped else set()
    return frozenset({"node", *pool, *exporter.holder_labels, *exporter.card.values(), *exporter.labels}) | TARGET


def _selectors(exporter: VendorExporter) -> Iterator[promql.VectorSelector]:
    metrics = exporter.metrics
    said = (metrics.presence, metrics.temperature, metrics.temperature_limit, metrics.uncorrectable, metrics.unhealthy)
    for text in (*said, metrics.power, metrics.utilisation, metrics.memory_used, metrics.memory_total):
        tree = promql.parse(text) if text else None
        selector = tree.lhs if isinstance(tree, promql.BinaryExpr) else tree
        if isinstance(selector, promql.VectorSelector):
            yield selector


def _kueue(fleet: Fleet, cluster: Cluster) -> Iterator[tuple[str, Metric]]:
    """Only what its version has and its configuration switches on, and only where our monitor scrapes it."""
    if not list(kueue_monitor.emit(fleet, cluster)):
        return
    for row in _rows(fleet, Exporter.KUEUE):
        if (row.since is None or row.since <= cluster.kueue.version) and _switched_on(cluster, row.needs or ""):
            follower = "replica_role" in row.labels
            yield from _spread(row.name, row.type, row.labels, fleet.monitoring.interval_seconds, follower=follower)


def _switched_on(cluster: Cluster, needs: str) -> bool:
    value: object = manager_configuration(cluster)
    for key in needs.split(".") if needs else ():
        value = value.get(key) if isinstance(value, dict) else None
    return bool(value)


def _state(fleet: Fleet, cluster: Cluster) -> Iterator[tuple[str, Metric]]:
    """Kube-state-metrics as the snippet of its settings asks for it, and Prometheus itself."""
    allowed: set[str] = set()
    for text in settings.texts(fleet, cluster):
        for entry in yaml.safe_load(text.text)["metricLabelsAllowlist"]:
            allowed.update(entry.removeprefix("nodes=[").removesuffix("]").split(","))
    targets = SERVING_TARGET if list(scrapes.serving_pools(cluster)) else NONE
    more = {"kube_node_labels": {f"label_{base.prometheus_label(key)}" for key in allowed}, "up": targets}
    for exporter in (Exporter.KUBE_STATE_METRICS, Exporter.PROMETHEUS):
        for row in _rows(fleet, exporter):
            if row.needs != "metric-labels-allowlist" or allowed:
                labels = frozenset(row.labels) | more.get(row.name, set())
                yield row.name, Metric(labels, fleet.monitoring.interval_seconds)


def _reclaimer(fleet: Fleet, cluster: Cluster) -> Iterator[tuple[str, Metric]]:
    if list(reclaim.emit(fleet, cluster)):
        for row in _rows(fleet, Exporter.RECLAIMER):
            yield row.name, Metric(frozenset(row.labels), fleet.monitoring.interval_seconds)


def _rows(fleet: Fleet, exporter: Exporter) -> Iterator[Row]:
    yield from (row for row in fleet.catalog.metrics.values() if row.exporter is exporter)


def _served(fleet: Fleet, cluster: Cluster) -> Iterator[tuple[str, Metric]]:
    """Engines by their version, and release controllers where the spec names them."""
    rows = fleet.catalog.serving.metrics.values()
    for _, serving in scrapes.serving_pools(cluster):
        version = versions.parse(serving.version) if serving.version else None
        for row in rows:
            if row.of == serving.engine and row.at(version):
                yield from _engine(row)
    for name in scrapes.release_controllers(fleet, cluster):
        for row in rows:
            if row.of == name:
                yield from _spread(row.name, row.type, frozenset(row.labels) | TARGET, 60)


def _engine(row: ServingMetric) -> Iterator[tuple[str, Metric]]:
    labels = frozenset(row.labels) | SERVING_TARGET | TARGET
    yield from _spread(row.name, row.type, labels, 30)


def _spread(
    name: str, kind: str, labels: Labels | tuple[str, ...], seconds: int, *, follower: bool = False
) -> Iterator[tuple[str, Metric]]:
    """Yield the series that a metric is in Prometheus: a histogram is three."""
    had = frozenset(labels)
    if kind != "histogram":
        yield name, Metric(had, seconds, follower=follower)
        return
    yield f"{name}_bucket", Metric(had | {"le"}, seconds, follower=follower)
    yield f"{name}_count", Metric(had, seconds, follower=follower)
    yield f"{name}_sum", Metric(had, seconds, follower=follower)
