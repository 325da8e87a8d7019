"""A request for cards that no server takes: a fraction of one, or a request that is not its limit.

Cards and all other resources with a prefix such as `nvidia.com/` come whole, and cannot be promised to more than one pod:
the limit has to be there, and the request, where one is written, has to equal it. Of a Pod the API server says so at once;
of some custom resources only when the pods are to be made, and then there are none.

Source: Kubernetes, validation of container resources.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="manifest/device-request",
    severity=Severity.ERROR,
    summary="A request for cards that no server takes",
    why="The API server refuses the pods: must be an integer; must be equal to the limit; Limit must be set for non "
    "overcommitable resources. Shares of a card are offered by the device plugin as whole devices.",
    fix="Write a whole number under `limits`, and the same under `requests` or nothing.",
    bad="resources:\n  limits: {nvidia.com/gpu: 500m}\n",
    good="resources:\n  limits: {nvidia.com/gpu: 1}\n",
)

NATIVE = "kubernetes.io/"


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such request of a container."""
    defaults = any(True for _ in inventory.of("LimitRange"))
    for work, pods in written.pods(inventory):
        for container in pods.containers:
            for view, wrong in _faults(container["resources"], defaults=defaults):
                yield DOC.found(f"{work}: `{view.path[-1]}` {wrong}", at=view.key_span)


def _faults(resources: View, *, defaults: bool) -> Iterator[tuple[View, str]]:
    """Yield what is wrong with the devices of a container. A LimitRange may bring the limits (`defaults`)."""
    limits, requests = resources["limits"], resources["requests"]
    for name, limit in limits.entries():
        if _is_device(name):
            yield from _fraction(limit)
    for name, request in requests.entries():
        asked, allowed = request.quantity(), limits[name].quantity()
        if not _is_device(name) or asked is None:
            continue
        if not limits[name].exists and not defaults:
            yield request, "is requested without a limit"
        elif not limits[name].exists:
            yield from _fraction(request)
        elif allowed is not None and allowed != asked:
            yield request, f"is requested {asked} times and limited to {allowed}; the two must be equal"


def _fraction(amount: View) -> Iterator[tuple[View, str]]:
    quantity = amount.quantity()
    if quantity is not None and quantity.whole != quantity.value:
        yield amount, f"is {amount.scalar()}; it must be a whole number"


def _is_device(name: str) -> bool:
    return "/" in name and NATIVE not in name
