"""Task pools with an engine, for the rules about serving."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import Engine
from gpuplan.catalog.serving import Bounds
from gpuplan.model.fleet import Fleet
from gpuplan.model.monitoring import Serving
from gpuplan.model.queues import TaskPool


def engines(fleet: Fleet) -> Iterator[tuple[TaskPool, Serving, Engine]]:
    """Yield every task pool that names an engine, with what it says of it."""
    for pool in fleet.task_pools:
        if pool.serving:
            yield pool, pool.serving, fleet.catalog.serving.engines[pool.serving.engine]


def bounds(fleet: Fleet, serving: Serving) -> Bounds | None:
    """Return the usual bounds of what a promise is measured by; None where the engine has no histogram."""
    known = fleet.catalog.serving
    return known.bounds.get(known.objective(serving.engine, serving.version))
