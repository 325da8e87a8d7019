"""More MPS clients than a card can serve.

MPS serves at most 48 clients on a card, 16 on cards before compute capability 7.5 (V100). Pods beyond that get a share from
the device plugin and fail when they create their CUDA context.

Source: NVIDIA MPS documentation. Reports: NVIDIA/k8s-device-plugin #647, #1118.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import versions
from gpuplan.catalog.cards import Card
from gpuplan.diagnostics import Diagnostic, Severity
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
        most = _most(pool.card)
        if pool.sharing.mode is SharingMode.MPS and pool.sharing.replicas > most:
            yield DOC.found(
                f"Pool `{pool.name}` shares a `{pool.card.name}` by MPS {pool.sharing.replicas} times; {most} is the most",
                at=fleet.places.value(replicas_path(pool)),
                fix=f"Write `replicas: {most}` or less.",
                severity=graded(known=most == MOST or pool.card.is_checked("compute_capability")),
            )


def _most(card: Card) -> int:
    """Return the limit; a card of unknown capability has the higher one."""
    old = card.compute_capability is not None and card.compute_capability < TURING
    return MOST_BEFORE_TURING if old else MOST
