"""What pods may ask for in each queue, and how a message says it."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplan import conventions
from gpuplan.catalog import Hami
from gpuplan.emit.guardrails import cel
from gpuplan.model.claims import claim_templates
from gpuplan.model.flavors import Flavor
from gpuplan.model.queues import Cohort
from gpuplan.model.sharing import SharingMode


def offered(cohort: Cohort, hami: Hami) -> list[str]:
    """Return what the pods of a task pool may ask for, sorted: its resources, claims, and HAMi's parts of a card.

    The names by which Kueue counts claims are none: a pod that asked for them as a resource would stay Pending.
    """
    resources = {resource for flavor in cohort.flavors for resource in flavor.capacity}
    asked = {name for name in resources if not name.startswith(conventions.DRA_RESOURCES)}
    claims = [cel.CLAIM] if claim_templates(cohort) else []
    parts = hami.parts if shares_by_hami(cohort.flavors) else ()
    return sorted({*asked, *claims, *parts})


def ways_to_ask(cohort: Cohort, hami: Hami) -> list[str]:
    """Return the same in the words of a message: each of our claim templates by its name."""
    templates = [f"resourceClaimTemplateName {template.name}" for template in claim_templates(cohort)]
    return [*(name for name in offered(cohort, hami) if name != cel.CLAIM), *templates]


def shares_by_hami(flavors: Iterable[Flavor]) -> bool:
    """Tell whether HAMi shares the cards of any of the flavors."""
    return any(flavor.sharing.mode is SharingMode.HAMI for flavor in flavors)
