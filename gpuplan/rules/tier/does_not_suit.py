"""A task pool on a tier that is not meant for its kind of work.

`suits` is what the owner of the cards says they are for. A task pool of another kind on the tier is either an
exception, which the reason of a suppression then explains, or a mistake: training on serving cards starves the
services, and serving on training cards fragments the nodes that gangs need whole.

Source: the fleet's own `suits`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.levels import tiers
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="tier/does-not-suit",
    severity=Severity.WARNING,
    summary="A task pool on a tier that is meant for other work",
    why="The tier says what its cards are for, and this kind of work is not in the list.",
    fix="Add the kind to the tier's `suits`, or take the tier out of the task pool.",
    bad="cardTiers:\n  train: {suits: [training]}\ntaskPools:\n  chat: {kind: onlineInference, tiers: [train]}",
    good="cardTiers:\n  train: {suits: [training, onlineInference]}\ntaskPools:\n  chat: {kind: onlineInference, tiers: [train]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each tier of a task pool that does not suit its kind."""
    known = {tier.name: tier for tier in tiers(fleet)}
    for task_pool in fleet.task_pools:
        for index, name in enumerate(task_pool.tiers):
            tier = known.get(name)
            if tier is not None and task_pool.kind.value not in tier.suits:
                suits = listed(tier.suits, "or") or "nothing"
                yield DOC.found(
                    f"`{task_pool.name}` is {task_pool.kind.value}, and tier `{name}` suits {suits}",
                    at=fleet.places.value((*task_pool.path, "tiers", index)),
                    also=(Related("what the tier suits", point(fleet, (*tier.path, "suits"))),),
                )
