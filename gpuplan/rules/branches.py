"""What rules ask about driver branches."""

from __future__ import annotations

from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool
from gpuplan.rules.walk import written
from gpuplan.versions import Version


def reaches(fleet: Fleet, branch: str, minimum: Version) -> bool:
    """Tell whether the newest release of a branch is at least `minimum`; yes where its newest is not known."""
    if int(branch) != minimum.major:
        return int(branch) > minimum.major
    known = fleet.catalog.drivers.branches.get(branch)
    return known is None or known.newest is None or known.newest >= minimum


def is_known(fleet: Fleet, pool: NodePool) -> bool:
    """Tell whether the pool's driver is stated: not where others install it and the spec does not say which."""
    return pool.stack != "external" or written(fleet, (*pool.path, "driver", "branch"))
