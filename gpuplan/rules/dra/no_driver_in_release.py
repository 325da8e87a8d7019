"""Claims with a release that brings no DRA driver.

With `stack: manual` gpuplan writes the values by which others install NVIDIA's DRA driver, in the version of the cluster's
release. Older releases name none.

Source: gpuplan's releases (`gpuplan/catalog/data/releases.yaml`), after the GPU Operator's component matrix.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.claims import dra_pools
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed

DOC = RuleDoc(
    id="dra/no-driver-in-release",
    severity=Severity.ERROR,
    summary="Claims with a release that brings no DRA driver",
    why="There is no version of the driver that was tested with the rest of the release, and without it no device exists.",
    fix="Use a newer release.",
    bad="clusters:\n  eu: {kubernetes: '1.35', release: '2026.05', stack: manual}\nnodePools:\n  a: {exposure: dra}",
    good="clusters:\n  eu: {kubernetes: '1.35', release: '2026.08', stack: manual}\nnodePools:\n  a: {exposure: dra}",
)

COMPONENT = "draDriver"


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each claimed pool that would need the release's driver."""
    having = [name for name, release in fleet.catalog.releases.items() if COMPONENT in release.components]
    for cluster in fleet.clusters:
        for pool in dra_pools(cluster):
            if pool.stack == "manual" and COMPONENT not in cluster.components:
                yield DOC.found(
                    f"Release `{cluster.release.name}` of cluster `{cluster.name}` has no DRA driver for pool `{pool.name}`",
                    at=fleet.places.value((*pool.path, "exposure")),
                    fix=f"Use release {listed(having, 'or')}.",
                )
