"""A shared pool with one share per card.

The device plugin refuses a sharing section with fewer than 2 replicas and crashes in a loop: the nodes offer no GPU at
all. Whole cards are what a pool without sharing offers.

Source: NVIDIA k8s-device-plugin ("number of replicas must be >= 2"). Reports: NVIDIA/k8s-device-plugin #1548, #1022.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.cards.exposure import profiles
from gpuplan.inventory.inventory import Inventory
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


LEAST = 2
FIX = "Write `version: v1` with no `sharing` section for whole cards, or 2 replicas or more."


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each shared pool with one share a card."""
    for _, pool in pools(fleet):
        if pool.sharing.shared and pool.sharing.replicas < LEAST:
            at = fleet.places.value(replicas_path(pool))
            yield _found(f"Pool `{pool.name}`", str(pool.sharing.replicas), at, DOC.fix)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each entry of a profile with fewer than two shares, or without their number."""
    for profile in profiles(inventory):
        for shared in (one for section in profile.sections for one in section.resources if one.view.is_mapping):
            missing = not shared.view["replicas"].exists
            if missing or (shared.replicas is not None and shared.replicas < LEAST):
                got = "none" if missing else str(shared.replicas)
                yield _found(
                    f"{profile} for {shared.name or 'a resource'}",
                    got,
                    shared.replicas_view.key_span,
                    FIX,
                )


def _found(who: str, got: str, at: Span, fix: str) -> Diagnostic:
    return DOC.found(f"{who}: number of replicas must be >= {LEAST} (got {got})", at=at, fix=fix)
