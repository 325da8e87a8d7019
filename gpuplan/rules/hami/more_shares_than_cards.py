"""A pod that asks for more shares than a node has cards.

To HAMi, `nvidia.com/gpu: 2` means parts of two different cards: it never gives a pod two shares of one. A pod that asks for
more than a node has cards finds no node, although so many shares are free, and stays Pending with its quota held.

Source: Project-HAMi/HAMi #591 ("request devices nums cannot exceed the total number of devices on the node").
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="hami/more-shares-than-cards",
    severity=Severity.ERROR,
    summary="A pod that asks for more shares than a node has cards",
    why="HAMi takes each share of a pod from another card: a pod that asks for more than a node has cards stays Pending.",
    fix="Let a pod ask for as many shares as a node has cards at most.",
    bad="nodePools:\n  a: {cardsPerNode: 4, sharing: {hami: {split: 10}}}\n"
    "taskPools:\n  notebooks: {largestJob: {cardsPerPod: 8}}",
    good="nodePools:\n  a: {cardsPerNode: 4, sharing: {hami: {split: 10}}}\n"
    "taskPools:\n  notebooks: {largestJob: {cardsPerPod: 4}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool whose largest pod finds no node in a flavor that HAMi shares."""
    for _, cohort in cohorts(fleet):
        largest = cohort.task_pool.largest_job.per_pod
        for flavor in cohort.flavors:
            most = max(pool.cards_per_node for pool in flavor.pools)
            if flavor.sharing.mode is SharingMode.HAMI and largest > most and flavor.counted:
                yield DOC.found(
                    f"Pods of `{cohort.task_pool.name}` ask for up to {largest} shares, and nodes of `{flavor.name}` have "
                    f"{most} cards",
                    at=fleet.places.value((*cohort.task_pool.path, "largestJob", "cardsPerPod")),
                    also=(Related("the cards", point(fleet, (*flavor.pools[0].path, "cardsPerNode"))),),
                )
