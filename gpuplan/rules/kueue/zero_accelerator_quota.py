"""A queue that can never hold a card.

It owns none, and there is nothing that it may borrow: by its own numbers, or because nobody lends. Kueue takes the queue and
calls it active; jobs that ask for a card wait there without end.

Source: Kueue, potential quota of a ClusterQueue; #1410; OCP-on-NERC/nerc-ocp-config.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.accelerators import Accelerators
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import ClusterQueue, Quota, cluster_queues
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import Cohort, Service
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.amounts import cohorts, reach
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="kueue/zero-accelerator-quota",
    severity=Severity.WARNING,
    summary="A queue that can never hold a card",
    why="Kueue accepts the queue and calls it active, and every job in it that asks for a card waits without end.",
    fix="Give it cards, let others lend, or remove it.",
    bad="teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 0}}}}",
    good="teams:\n  nlp: {quotas: {pretrain: {train: {guaranteed: 8}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each queue whose reach is 0; a shared pool without cards is quota/shared-without-pool."""
    for cluster, cohort in cohorts(fleet):
        for queue in cohort.queues if _has_something_to_give(cohort) else ():
            found = reach(cluster, cohort, queue)
            if found and found.pieces <= 0:
                yield DOC.found(
                    f"`{queue.name}` can never hold anything in cluster `{cluster.name}`",
                    at=fleet.places.key(queue.path),
                )


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each queue all of whose quotas of cards are zero, and which may borrow none."""
    devices = inventory.catalog.accelerators
    for queue in cluster_queues(inventory):
        cards = [quota for quota in queue.quotas() if quota.resource in devices]
        rest = [quota for quota in queue.quotas() if _may_be_a_card(devices, quota.resource)]
        if cards and not any(_can_have(queue, quota) for quota in (*cards, *rest)):
            names = in_a_row([f"`{name}`" for name in dict.fromkeys(quota.resource for quota in cards)])
            yield DOC.found(f"{queue} has no {names}, and cannot borrow any", at=queue.object.at_name)


def _has_something_to_give(cohort: Cohort) -> bool:
    """Tell whether it is the queue's own affair that it gets nothing."""
    shared = cohort.task_pool.service is Service.SHARED
    return not shared or any(share.most for share in cohort.shares.values())


def _may_be_a_card(devices: Accelerators, resource: str) -> bool:
    """Tell whether a resource is a vendor's that the catalogue does not know, and no network device."""
    domain, slash, _ = resource.partition("/")
    return bool(slash) and domain not in devices.domains and domain != "rdma"


def _can_have(queue: ClusterQueue, quota: Quota) -> bool:
    nominal, limit = quota.nominal, quota.borrowing
    return nominal is None or nominal.nanos > 0 or (bool(queue.cohort) and (limit is None or limit.nanos > 0))
