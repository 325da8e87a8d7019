"""So many shares of a card that none of them can do any work.

A CUDA context alone takes some hundred MiB of device memory, and time slices get shorter with every process that waits.
More than 48 shares of a card, or less than 512 MiB of its memory for each, is most likely a slip of the finger; the
device plugin takes any number.

Source: judgement, by the card's memory and by MPS's own limit of 48 clients. Report: NVIDIA/k8s-device-plugin #1433
(16384 replicas).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import replicas_path
from gpuplan.rules.walk import pools

MOST = 48
SMALLEST_MIB = 512

DOC = RuleDoc(
    id="share/replicas-implausible",
    severity=Severity.WARNING,
    summary="More shares of a card than can work on it",
    why="Each process needs some hundred MiB for its CUDA context alone, and waits for all the others to take their turn.",
    fix="Write a number of shares that leaves each a useful part of the card.",
    bad="nodePools:\n  lab: {card: t4, sharing: {timeSlicing: {replicas: 400}}}",
    good="nodePools:\n  lab: {card: t4, sharing: {timeSlicing: {replicas: 4}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool with too many shares; MPS has a hard limit, which is a rule of its own."""
    for _, pool in pools(fleet):
        if not pool.sharing.shared:
            continue
        replicas, card = pool.sharing.replicas, f"`{pool.card.name}`"
        each = pool.card.memory_gib * 1024 // replicas
        summary = ""
        if each < SMALLEST_MIB:
            summary = f"Pool `{pool.name}`: {replicas} shares leave {each} MiB of each {card} for a pod"
        elif pool.sharing.mode is SharingMode.TIME_SLICING and replicas > MOST:
            summary = f"Pool `{pool.name}`: {replicas} pods would take turns on each {card}"
        if summary:
            yield DOC.found(summary, at=fleet.places.value(replicas_path(pool)))
