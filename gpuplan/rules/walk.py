"""How rules walk a fleet and point at what it says."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from gpuplan.diagnostics import KeyPath, Severity, Span
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.words import in_a_row


def pools(fleet: Fleet) -> Iterator[tuple[Cluster, NodePool]]:
    """Yield every node pool with its cluster."""
    return ((cluster, pool) for cluster in fleet.clusters for pool in cluster.pools)


def entries(fleet: Fleet, section: str) -> tuple[str, ...]:
    """Return the names in a section of the spec, such as `teams`, in the order of the spec."""
    found = fleet.places.plain().get(section)
    return tuple(found) if isinstance(found, dict) else ()


def written(fleet: Fleet, path: KeyPath) -> bool:
    """Tell whether the spec (or its `defaults:`) holds a value at the path, rather than leaving it to a default of ours."""
    return fleet.places.value(path) != fleet.places.value(path[:-1])


def point(fleet: Fleet, path: KeyPath) -> Span:
    """Return where the value at the path stands, or the key of what lacks it."""
    return fleet.places.value(path) if written(fleet, path) else fleet.places.key(path)


def why_there(fleet: Fleet, cluster: Cluster) -> tuple[str, Span]:
    """Return what brings the GPU Operator to a cluster that has it, and where the spec says so."""
    if cluster.operator_pools:
        return "a pool of the operator", fleet.places.key(cluster.operator_pools[0].path)
    return "the operator on standby", fleet.places.key((*cluster.path, "operatorStandby"))


def repeats(items: Iterable[Hashable]) -> Iterator[tuple[int, int]]:
    """Yield the position of each item that stood in the list before, and where it stood first."""
    first: dict[Hashable, int] = {}
    for index, item in enumerate(items):
        if first.setdefault(item, index) != index:
            yield index, first[item]


def graded(*, known: bool) -> Severity | None:
    """Return how bad a finding is that rests on a fact: as its rule says, but a warning where nobody has read the fact."""
    return None if known else Severity.WARNING


def listed(names: Iterable[object], last: str = "and") -> str:
    """Return names in a row: `a`, `b` and `c`."""
    return in_a_row([f"`{name}`" for name in names], last)
