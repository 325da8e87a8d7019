"""So many shares of a card that none of them can do any work.

A CUDA context alone takes some hundred MiB of device memory, and time slices get shorter with every process that waits.
More than 48 shares of a card, or less than 512 MiB of its memory for each, is most likely a slip of the finger; the
device plugin takes any number.

Source: judgement, by the card's memory and by MPS's own limit of 48 clients. Report: NVIDIA/k8s-device-plugin #1433
(16384 replicas).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.cards import Card
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.exposure import SharingKind, profiles
from gpuplan.inventory.cards.profiles_in_use import cards_of
from gpuplan.inventory.inventory import Inventory
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
        if pool.sharing.shared:
            slices = pool.sharing.mode is SharingMode.TIME_SLICING
            problem = _problem(pool.sharing.replicas, pool.card, slices=slices)
            if problem:
                yield DOC.found(f"Pool `{pool.name}`: {problem}", at=fleet.places.value(replicas_path(pool)))


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each entry of a profile with too many shares, for the smallest card that is known to have it."""
    for profile in profiles(inventory):
        section = profile.sharing
        card = min(cards_of(inventory, profile), key=lambda one: one.memory_gib, default=None)
        for shared in section.resources if section else ():
            slices = section is not None and section.kind is SharingKind.TIME_SLICING
            problem = _problem(shared.replicas, card, slices=slices) if shared.replicas else ""
            if problem:
                yield DOC.found(f"{profile}: {problem}", at=shared.replicas_view.key_span)


def _problem(replicas: int, card: Card | None, *, slices: bool) -> str:
    """Say what is too much about a number of shares; nothing where it may do."""
    name = f"`{card.name}`" if card else "card"
    each = card.memory_gib * 1024 // replicas if card else SMALLEST_MIB
    if each < SMALLEST_MIB:
        return f"{replicas} shares leave {each} MiB of each {name} for a pod"
    return f"{replicas} pods would take turns on each {name}" if slices and replicas > MOST else ""
