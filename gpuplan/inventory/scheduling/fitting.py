"""Pods against the largest node that they could get, and against what their namespace may hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.capacity import Offer, offer
from gpuplan.inventory.scheduling.queueing import Queued, arrivals
from gpuplan.inventory.scheduling.queues import ResourceGroup, flavors
from gpuplan.inventory.scheduling.workloads import Request
from gpuplan.inventory.view import View
from gpuplan.quantity import Quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """What a pod asks for and no node of its queue's flavors has."""

    arrival: Queued
    resource: str
    request: Request
    largest: Quantity


def misfits(inventory: Inventory) -> Iterator[Misfit]:
    """Yield the first misfit of each workload. Nodes of every flavor that it may get must be known."""
    if inventory.assumed.partial:
        return
    for arrival in arrivals(inventory):
        found = next(_misfits(inventory, arrival), None)
        if found is not None:
            yield found


def _misfits(inventory: Inventory, arrival: Queued) -> Iterator[Misfit]:
    for pods, group in arrival.needs(inventory):
        offers = _offers(inventory, group)
        for name, request in pods.requests.items():
            told = [one.largest[name] for one in offers if name in one.largest]
            if told and len(told) == len(offers) and name in group.covered and max(told) < request.amount:
                yield Misfit(arrival=arrival, resource=name, request=request, largest=max(told))


def _offers(inventory: Inventory, group: ResourceGroup) -> list[Offer]:
    """Return what each flavor of a group offers; nothing where one does not tell."""
    known = flavors(inventory)
    found = [offer(inventory, known[name]) for name in group.names if name in known]
    offers = [one for one in found if one is not None]
    return offers if len(offers) == len(group.flavors) else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A resource of which a workload asks for more than its namespace may hold at once."""

    arrival: Queued
    resource: str
    demand: Quantity
    hard: View
    """Where the ResourceQuota says how much that is."""


_REQUESTS = "requests."


def refusals(inventory: Inventory) -> Iterator[Refused]:
    """Yield each resource that a ResourceQuota of its namespace keeps from queued work; quotas of a scope are left out."""
    for arrival in arrivals(inventory):
        namespace = arrival.work.namespace
        quotas = [one.spec for one in inventory.of("ResourceQuota") if namespace and one.namespace == namespace]
        for spec in quotas:
            if not spec["scopes"].exists and not spec["scopeSelector"].exists:
                yield from _refused(arrival, spec["hard"])


def _refused(arrival: Queued, hard: View) -> Iterator[Refused]:
    totals: dict[str, Quantity] = {}
    for pods in arrival.work.pod_sets:
        for name, request in pods.requests.items():
            totals[name] = totals.get(name, Quantity(0)) + request.amount * pods.count
    for key, view in hard.entries():
        most, name = view.quantity(), key.removeprefix(_REQUESTS)
        if most is not None and name in totals and totals[name] > most:
            yield Refused(arrival=arrival, resource=name, demand=totals[name], hard=view)
