"""What each change does on a cluster: one module a topic, each a generator over the comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import (
    agents,
    components,
    delivery,
    drivers,
    files,
    maintenance,
    monitoring,
    node_objects,
    nodes,
    operator,
    pools,
    receivers,
    sharing,
    stack,
    taints,
)
from gpuplan.plan.parts import Effect

Judge = Callable[[Comparison], Iterator[Effect]]

JUDGES: tuple[Judge, ...] = (
    delivery.effects,
    pools.effects,
    nodes.effects,
    taints.effects,
    sharing.effects,
    stack.effects,
    drivers.effects,
    operator.effects,
    agents.effects,
    components.effects,
    node_objects.effects,
    monitoring.effects,
    receivers.effects,
    files.effects,
    maintenance.effects,
)
"""Every topic; the order is that of effects of one risk."""


def effects_of(comparison: Comparison) -> tuple[Effect, ...]:
    """Return what the differences do, the worst first, otherwise in the order of the topics. Nothing is said twice."""
    found = [effect for judge in JUDGES for effect in judge(comparison)]
    once = {(effect.fact, effect.cluster, effect.subject): effect for effect in reversed(found)}
    kept = [effect for effect in found if once[effect.fact, effect.cluster, effect.subject] is effect]
    return tuple(sorted(kept, key=lambda effect: -effect.risk.rank))
