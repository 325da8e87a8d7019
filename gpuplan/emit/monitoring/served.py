"""Task pools that serve, with what their engine of that version calls things: for rules, their cases, and dashboards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from gpuplan.catalog.serving import Engine
from gpuplan.emit.monitoring import scrapes
from gpuplan.emit.monitoring.promql import number
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.monitoring import Serving, Slo
from gpuplan.model.queues import Cohort


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A task pool that serves. `measured` and `requests` are names of metrics of its engine."""

    cohort: Cohort
    serving: Serving
    engine: Engine
    measured: str
    """What a promise is measured by: a histogram, or the counter of a mean."""
    requests: str
    """Counter of the requests that were answered."""
    bound: str
    """The promise in seconds as Go and Rust print a bound; empty where there is none or no histogram."""

    @property
    def name(self) -> str:
        """Name of the task pool."""
        return self.cohort.task_pool.name

    @property
    def labels(self) -> str:
        """Labels that tell models apart among the engine's series."""
        return ", ".join(filter(None, ("namespace", "task_pool", self.engine.model_label)))

    @property
    def bucket(self) -> str:
        """Matcher of the bucket up to the promise: Python, and Prometheus 3, print a whole number of seconds with `.0`."""
        return f'le="{self.bound}"' if "." in self.bound else f'le=~"{self.bound}|{self.bound}.0"'


def served(fleet: Fleet, cluster: Cluster) -> Iterator[Served]:
    """Yield the task pools of a cluster that serve."""
    known = fleet.catalog.serving
    for cohort, said in scrapes.serving_pools(cluster):
        engine = known.engines[said.engine]
        measured = known.objective(said.engine, said.version)
        yield Served(
            cohort=cohort,
            serving=said,
            engine=engine,
            measured=measured,
            requests=known.metric(said.engine, "requests", said.version),
            bound=_bound(fleet, said, said.slo, measured) if said.slo and engine.has_histograms else "",
        )


def _bound(fleet: Fleet, serving: Serving, slo: Slo, measured: str) -> str:
    """Return the engine's own spelling of a usual bound: some are no whole number of milliseconds."""
    said = number(Fraction(slo.latency_milliseconds, 1000))
    if serving.bounds_milliseconds:
        return said
    return fleet.catalog.serving.bounds[measured].milliseconds.get(slo.latency_milliseconds, said)
