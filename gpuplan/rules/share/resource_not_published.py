"""A pod that asks for shares under a name that the nodes do not offer.

`renameByDefault: true` offers shares as `nvidia.com/gpu.shared` and nothing as `nvidia.com/gpu`; without it no node has the name
that ends in `.shared`.

Source: NVIDIA k8s-device-plugin, `internal/rm`. Report: bottlerocket-os/bottlerocket #4250.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.exposure import SHARED, Profile, profiles
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.asked import by_containers, listed_by_nodes
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="share/resource-not-published",
    severity=Severity.ERROR,
    summary="A pod asks for a name of shares that no node offers",
    why="The pod stays Pending: no node lists a resource of that name.",
    fix="Ask for the name that the profile gives its shares.",
    bad="resources:\n  limits: {nvidia.com/gpu: 1}  # the profile has renameByDefault: true",
    good="resources:\n  limits: {nvidia.com/gpu.shared: 1}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each container whose name no profile leaves; silent where no profile is known, or a node lists it."""
    found = profiles(inventory)
    if not found or inventory.assumed.partial:
        return
    there = listed_by_nodes(inventory)
    for one in by_containers(inventory):
        if one.resource in there:
            continue
        plain = one.resource.removesuffix(SHARED)
        if one.resource == plain:
            gone = all(_offers(profile, plain + SHARED) for profile in found)
            other = plain + SHARED
        else:
            gone = not any(_offers(profile, one.resource) for profile in found)
            other = plain
        if gone:
            summary = f"{one.who} asks for `{one.resource}`, and every profile here offers `{other}`"
            yield DOC.found(summary, at=one.at, fix=f"Ask for `{other}`.")


def _offers(profile: Profile, resource: str) -> bool:
    section = profile.sharing
    return section is not None and any(section.offered(one) == resource for one in section.resources)
