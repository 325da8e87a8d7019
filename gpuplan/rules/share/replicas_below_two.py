"""A shared pool with one share per card.

The device plugin refuses a sharing section with fewer than 2 replicas and crashes in a loop: the nodes offer no GPU at
all. Whole cards are what a pool without sharing offers.

Source: NVIDIA k8s-device-plugin ("number of replicas must be >= 2"). Reports: NVIDIA/k8s-device-plugin #1548, #1022.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import replicas_path
from gpuplan.rules.walk import pools

DOC = RuleDoc(
    id="share/replicas-below-two",
    severity=Severity.ERROR,
    summary="A shared card with fewer than two shares",
    why="The device plugin refuses it (number of replicas must be >= 2) and crashes in a loop: the nodes offer no GPU.",
    fix="Write `sharing: exclusive` for whole cards, or 2 replicas or more.",
    bad="nodePools:\n  lab: {sharing: {timeSlicing: {replicas: 1}}}",
    good="nodePools:\n  lab: {sharing: exclusive}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each shared pool with one share a card."""
    for _, pool in pools(fleet):
        if pool.sharing.shared and pool.sharing.replicas < 2:
            summary = f"Pool `{pool.name}`: number of replicas must be >= 2 (got {pool.sharing.replicas})"
            yield DOC.found(summary, at=fleet.places.value(replicas_path(pool)))
