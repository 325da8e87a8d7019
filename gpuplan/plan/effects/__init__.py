"""What each change does on a cluster: one module a topic, each a generator over the comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import (
    agents,
    capacity,
    components,
    delivery,
    demands,
    drivers,
    files,
    flavors,
    guard_rails,
    idle,
    kueue_settings,
    maintenance,
    monitoring,
    node_objects,
    nodes,
    operator,
    owners,
    pools,
    priorities,
    queue_flavors,
    queues,
    quotas,
    receivers,
    schedulable,
    shared_pools,
    sharing,
    stack,
    taints,
    task_pools,
    tenancy,
    whole_pods,
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
    queues.effects,
    tenancy.effects,
    task_pools.effects,
    flavors.effects,
    queue_flavors.effects,
    quotas.effects,
    shared_pools.effects,
    capacity.effects,
    whole_pods.effects,
    schedulable.effects,
    kueue_settings.effects,
    priorities.effects,
    demands.effects,
    guard_rails.effects,
    idle.effects,
    owners.effects,
)
"""Every topic; the order is that of effects of one risk."""


def effects_of(comparison: Comparison) -> tuple[Effect, ...]:
    """Return what the differences do, the worst first, otherwise in the order of the topics. Nothing is said twice."""
    found = [effect for judge in JUDGES for effect in judge(comparison)]
    once = {(effect.fact, effect.cluster, effect.subject): effect for effect in reversed(found)}
    kept = [effect for effect in found if once[effect.fact, effect.cluster, effect.subject] is effect]
    return tuple(sorted(kept, key=lambda effect: -effect.risk.rank))
