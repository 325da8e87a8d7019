"""Which fields of DCGM are collected in a cluster: by the release's exporter, for the cards that are there.

Facts: the catalogue's metrics; NVIDIA/dcgm-exporter 4.8, go-dcgm 1.4601. An exporter that finds a name in its list that its
DCGM does not have does not start, so a field that is too new is left out, and a rule that would read it is not rendered
(`collected`). The exporter spells a metric as the list does: names are those from before DCGM 4.6, which every version knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpuplan.catalog import Catalog, Metric
from gpuplan.emit import agents
from gpuplan.emit.agents import DCGM_EXPORTER
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.monitoring import PROFILED, REQUIRED


def collected(fleet: Fleet, cluster: Cluster) -> tuple[str, ...]:
    """Return the fields that are collected from a cluster's NVIDIA cards, sorted; none where it has no such cards.

    The exporter's own list, what our rules read, and what the spec adds. Fields that come as a label of every other metric
    (the driver's version) are left out unless the spec asks: they split all series at an upgrade. Where others run the
    exporter, it is what the cluster's page of expectations asks them for. Where the spec names the fields to collect, it is
    those alone.
    """
    if not agents.nvidia_pools(cluster):
        return ()
    said = fleet.monitoring
    return tuple(sorted({*(said.counters or _usual(fleet, cluster)), *said.extra_counters}))


def required(fleet: Fleet, cluster: Cluster) -> tuple[str, ...]:
    """Return the fields that rules may read and that the cluster's exporter and cards have, sorted."""
    said = fleet.monitoring
    every = (*REQUIRED, *(PROFILED if said.profiling else ()))
    names = sorted(name for name in every if not said.counters or name in {*said.counters, *said.extra_counters})
    served = _served(cluster)
    return tuple(name for name in names if served(fleet.catalog.metrics[name]))


def csv(fleet: Fleet, cluster: Cluster) -> str:
    """Return the exporter's file: field, Prometheus type and help, three fields a line whatever the help says."""
    return "".join(f"{name}, {_type_and_help(name, fleet.catalog)}\n" for name in collected(fleet, cluster))


def _usual(fleet: Fleet, cluster: Cluster) -> Iterator[str]:
    yield from required(fleet, cluster)
    served = _served(cluster)
    for metric in fleet.catalog.metrics.values():
        wanted = metric.in_default and metric.type != "label" and (fleet.monitoring.profiling or not metric.profiling)
        if wanted and served(metric):
            yield metric.name


def _served(cluster: Cluster) -> Callable[[Metric], bool]:
    """Return what tells whether the release's exporter knows a field, and any card of the cluster can have it."""
    version = cluster.components[DCGM_EXPORTER.component].version
    architectures = {pool.card.architecture for pool in agents.nvidia_pools(cluster)}

    def served(metric: Metric) -> bool:
        known = metric.since is None or metric.since <= version
        return known and any(map(metric.may_exist_on, architectures))

    return served


def _type_and_help(name: str, catalog: Catalog) -> str:
    """A field that the catalogue does not know is taken for a gauge, which promises nothing about its course."""
    metric = catalog.metrics.get(name)
    return f"{metric.type}, {metric.help.replace(',', ' ')}" if metric else f"gauge, {name}"
