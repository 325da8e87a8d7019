"""More MPS clients than a card can serve.

MPS serves at most 48 clients on a card, 16 on cards before compute capability 7.5 (V100). Pods beyond that get a share from
the device plugin and fail when they create their CUDA context.

Source: NVIDIA MPS documentation. Reports: NVIDIA/k8s-device-plugin #647, #1118.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import versions
from gpuplan.catalog.cards import Card
from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.cards.exposure import SharingKind, profiles
from gpuplan.inventory.cards.profiles_in_use import cards_of
from gpuplan.inventory.inventory import Inventory
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.shares import replicas_path
from gpuplan.rules.walk import graded, pools

MOST = 48
MOST_BEFORE_TURING = 16
TURING = versions.required("7.5")

DOC = RuleDoc(
    id="share/mps-replicas-above-limit",
    severity=Severity.ERROR,
    summary="More MPS clients than the card can serve",
    why="MPS serves 48 clients on a card, 16 before compute capability 7.5. Pods beyond that fail when they open the card.",
    fix="Write at most as many replicas as the message says.",
    bad="nodePools:\n  lab: {card: v100-sxm2-32gb, sharing: {mps: {replicas: 20}}}",
    good="nodePools:\n  lab: {card: v100-sxm2-32gb, sharing: {mps: {replicas: 16}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each MPS pool above its card's limit."""
    for _, pool in pools(fleet):
        if pool.sharing.mode is SharingMode.MPS:
            at = fleet.places.value(replicas_path(pool))
            yield from _judged(f"Pool `{pool.name}`", pool.card, pool.sharing.replicas, at)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each MPS entry above the limit of the card that has the lowest, or of every card."""
    for profile in profiles(inventory):
        section = profile.sharing
        card = min(cards_of(inventory, profile), key=_most, default=None)
        for shared in section.resources if section and section.kind is SharingKind.MPS else ():
            if shared.replicas is not None:
                yield from _judged(str(profile), card, shared.replicas, shared.replicas_view.key_span)


def _judged(who: str, card: Card | None, replicas: int, at: Span) -> Iterator[Diagnostic]:
    most = _most(card)
    if replicas > most:
        yield DOC.found(
            f"{who} shares {f'a `{card.name}`' if card else 'a card'} by MPS {replicas} times; {most} is the most",
            at=at,
            fix=f"Write `replicas: {most}` or less.",
            severity=graded(known=card is None or most == MOST or card.is_checked("compute_capability")),
        )


def _most(card: Card | None) -> int:
    """Return the limit; a card of unknown capability has the higher one."""
    old = card is not None and card.compute_capability is not None and card.compute_capability < TURING
    return MOST_BEFORE_TURING if old else MOST
