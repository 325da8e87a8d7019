"""From a cluster's API server to what was seen of it: all that the checks read, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from gpuplan.cluster.kube import Fault, Kube
from gpuplan.cluster.observing import observe
from gpuplan.verify.checks import CHECKS
from gpuplan.verify.observed import Asked, Object, Observed, Tried

SERVERS = ("alertmanager", "prometheus")
"""What a check may read besides kinds."""


def kinds() -> tuple[str, ...]:
    """Return the kinds that the checks read, sorted."""
    return tuple(sorted({kind for doc, _ in CHECKS for kind in doc.reads}.difference(SERVERS)))


def collect(
    kube: Kube,
    probes: Mapping[str, Object],
    *,
    prometheus: Asked | None = None,
    alertmanager: Asked | None = None,
) -> Observed | Fault:
    """List what the checks read, and try the probes; what other servers said is put beside it."""
    seen = observe(kube, kinds(), probes)
    if isinstance(seen, Fault):
        return seen
    return Observed(
        kubernetes=seen.kubernetes,
        objects=seen.objects,
        refused=seen.refused,
        tried={
            name: Tried(status=one.status, message=one.message, warnings=one.warnings)
            for name, one in seen.tried.items()
        },
        prometheus=prometheus,
        alertmanager=alertmanager,
    )
