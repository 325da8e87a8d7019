"""The rights that `gpuplan verify` needs: to list what the checks read, and to ask by dry runs what a guard rail would say."""

from __future__ import annotations

from gpuplan.cluster.observing import LISTED
from gpuplan.cluster.rights import Right
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.verify.collect import kinds
from gpuplan.verify.probes import probe_rights


def list_rights() -> tuple[Right, ...]:
    """Return the rights to list what the checks read; Secrets are not among it."""
    read = (LISTED[kind] for kind in kinds() if kind in LISTED)
    return tuple(
        Right(group=one.group, resource=one.plural, verb="list", why=f"look at each {one.kind}") for one in read
    )


def verify_rights(fleet: Fleet, cluster: Cluster) -> tuple[Right, ...]:
    """Return all rights: where no team has a queue nothing is tried, and to list is enough."""
    return (*list_rights(), *probe_rights(fleet, cluster))
