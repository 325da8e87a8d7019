"""Claims where Kueue waits for pods without end.

Kueue counts claimed devices by number alone. Which device a pod gets, and whether there is one left on a node that fits, only
the scheduler knows. A job that was admitted and finds none keeps its quota while its pods are Pending, unless Kueue takes it
back after a time (waitForPodsReady).

Source: Kueue KEP-2941, "admission-scheduling gap" and its mitigation.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.claims import dra_pools
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="dra/pods-ready-off",
    severity=Severity.WARNING,
    summary="Claims where Kueue waits for pods without end",
    why="An admitted job whose claims find no device would keep its quota for ever, with all its pods Pending.",
    fix="Remove `podsReadyTimeoutSeconds: 0`, or write a number of seconds.",
    bad="clusters:\n  eu: {kubernetes: '1.36', kueue: {podsReadyTimeoutSeconds: 0}}\nnodePools:\n  a: {exposure: dra}",
    good="clusters:\n  eu: {kubernetes: '1.36', kueue: {podsReadyTimeoutSeconds: 1800}}\nnodePools:\n  a: {exposure: dra}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster with claimed pools and no limit."""
    for cluster in fleet.clusters:
        pools = dra_pools(cluster)
        if pools and not cluster.kueue.pods_ready_timeout_seconds:
            yield DOC.found(
                f"Kueue in cluster `{cluster.name}` never takes back a job whose claims find no device",
                at=point(fleet, (*cluster.path, "kueue", "podsReadyTimeoutSeconds")),
                also=tuple(Related("claimed from", fleet.places.value((*pool.path, "exposure"))) for pool in pools[:1]),
            )
