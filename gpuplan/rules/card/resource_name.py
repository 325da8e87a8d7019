"""A card of the fleet's own under a resource name that no pod can ask for.

Cards are extended resources: `<domain>/<name>`, outside Kubernetes' own domain. The API server refuses pods that ask for
anything else, and Kueue a quota under a name that is none. With `stack: manual` NVIDIA's device plugin offers cards as
`nvidia.com/gpu` and knows no other name for them.

Source: Kubernetes, extended resource names; Kueue's ClusterQueue webhook; NVIDIA k8s-device-plugin.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import pools, written

DOC = RuleDoc(
    id="card/resource-name",
    severity=Severity.ERROR,
    summary="A resource name under which no pod can get the card",
    why="Kueue refuses quotas under a name that is none, the API server pods that ask for it, and a plugin offers only its own.",
    fix="Write the name that the vendor's device plugin offers, such as `amd.com/gpu`.",
    bad="cards:\n  mi325x: {vendor: amd, productName: AMD_Instinct_MI325X, memoryGiB: 256, resource: gpu}",
    good="cards:\n  mi325x: {vendor: amd, productName: AMD_Instinct_MI325X, memoryGiB: 256, resource: amd.com/gpu}",
)

QUOTA_PREFIX = "requests."
"""Quotas put this before the domain, which may have 253 characters with it."""
MAX_DOMAIN = 253 - len(QUOTA_PREFIX)
MAX_NAME = 63
KUBERNETES = "kubernetes.io/"


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each card of the fleet's own whose resource cannot be asked for."""
    renamed = {
        pool.card.name
        for _, pool in pools(fleet)
        if pool.stack == "manual"
        and pool.card.vendor is Vendor.NVIDIA
        and pool.card.resource != conventions.RESOURCE_GPU
    }
    for name, card in fleet.catalog.cards.items():
        if not written(fleet, ("cards", name, "resource")):
            continue
        trouble = _trouble(card.resource)
        if not trouble and name in renamed:
            trouble = f"is not what NVIDIA's device plugin offers: `{conventions.RESOURCE_GPU}`"
        if trouble:
            yield DOC.found(
                f"Resource `{card.resource}` of card `{name}` {trouble}",
                at=fleet.places.value(("cards", name, "resource")),
            )


def _trouble(resource: str) -> str:
    """Return why no pod can ask for the resource; empty where one can."""
    domain, slash, name = resource.rpartition("/")
    if not slash:
        return "has no domain"
    if KUBERNETES in resource:
        return "is in Kubernetes' own domain"
    if domain.startswith(QUOTA_PREFIX):
        return f"begins with `{QUOTA_PREFIX}`, as quotas do"
    if len(domain) > MAX_DOMAIN or len(name) > MAX_NAME:
        return f"is too long: {MAX_DOMAIN} characters of domain and {MAX_NAME} of name are allowed"
    return ""
