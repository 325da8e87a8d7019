"""A wish to borrow where nobody ever lends.

A queue borrows what others own and lend, and what nobody owns. Where every card of the flavor is the queue's own, or
others lend none of theirs, `borrow` and `poolBorrow` can never be used: a job that needs them waits for ever. This is
also what a cohort with a single member amounts to.

Source: Kueue #1276, #6465; `available` of a ClusterQueue.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.queues import Cohort
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import borrow_path, cohorts, offer, overdrawn, usable
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="quota/borrow-without-lender",
    severity=Severity.WARNING,
    summary="A wish to borrow where nobody ever lends",
    why="All cards belong to the borrower itself, or to others who lend none. A job that counts on borrowed ones never starts.",
    fix="Remove the wish, let others lend, or leave some cards to nobody.",
    bad="nodePools:\n  a: {tier: train, nodes: 1, cardsPerNode: 8}\n"
    "teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 8, borrow: 8}}}}",
    good="nodePools:\n  a: {tier: train, nodes: 2, cardsPerNode: 8}\n"
    "teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 8, borrow: 8}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each `borrow` and `poolBorrow` that can never be used."""
    for cluster, cohort in cohorts(fleet):
        yield from _queues(fleet, cluster, cohort)
        yield from _shares(fleet, cluster, cohort)


def _queues(fleet: Fleet, cluster: Cluster, cohort: Cohort) -> Iterator[Diagnostic]:
    for flavor, resource, item in usable(cohort):
        in_sight = cluster.quota.potential(cohort.name, item)
        for queue in cohort.queues:
            amount = queue.amounts[item]
            others = in_sight - min(amount.guaranteed, amount.lend)
            if amount.borrow and others <= 0 and not overdrawn(cluster, flavor, resource):
                yield DOC.found(
                    f"`{queue.name}` may borrow {amount.borrow} of {offer(flavor, resource)}, but nobody ever lends one",
                    at=point(fleet, (*amount.path, "borrow")),
                )


def _shares(fleet: Fleet, cluster: Cluster, cohort: Cohort) -> Iterator[Diagnostic]:
    for flavor, resource, item in usable(cohort):
        share = cohort.shares.get(item)
        others = cluster.quota.subtrees[cluster.quota.root.name].get(item, 0) - (share.nominal if share else 0)
        if share and share.borrow and others <= 0 and not overdrawn(cluster, flavor, resource):
            yield DOC.found(
                f"`{cohort.task_pool.name}` may borrow {share.borrow} of {offer(flavor, resource)}, but nobody ever lends one",
                at=point(fleet, borrow_path(share)),
            )
