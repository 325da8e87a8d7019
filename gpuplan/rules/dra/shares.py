"""Claims on cards that are shared by time slicing or MPS.

With claims, each claim says how its card is shared, by a setting of NVIDIA's driver that is behind gates off by default
(TimeSlicingSettings, MPSSupport), and the device plugin's shares do not exist. Kueue counts devices and not their shares:
several claims on one card would each count as a card.

Source: kubernetes-sigs/dra-driver-nvidia-gpu v0.5.0 (feature gates); kubernetes-sigs/kueue #15550.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.claims import dra_pools
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import sharing_path
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="dra/shares",
    severity=Severity.ERROR,
    summary="Claims on cards that are shared by time slicing or MPS",
    why="No device plugin makes shares on nodes whose cards are claimed, and Kueue cannot count shares of a claimed card.",
    fix="Write `exposure: devicePlugin`, or cut the cards with `mig`.",
    bad="nodePools:\n  a: {exposure: dra, sharing: {timeSlicing: {replicas: 4}}}",
    good="nodePools:\n  a: {exposure: devicePlugin, sharing: {timeSlicing: {replicas: 4}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each claimed pool with shares."""
    for cluster in fleet.clusters:
        for pool in dra_pools(cluster):
            if pool.sharing.shared:
                yield DOC.found(
                    f"Pool `{pool.name}` shares its cards by `{pool.sharing.mode.value}`, which claims know nothing of",
                    at=fleet.places.value(sharing_path(pool)),
                    also=(Related("claimed by this", point(fleet, (*pool.path, "exposure"))),),
                )
