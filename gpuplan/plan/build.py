"""A comparison with its meaning: the plan."""

from __future__ import annotations

from gpuplan.plan.approvals import approvals
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import effects_of
from gpuplan.plan.parts import Plan
from gpuplan.plan.promises import promises
from gpuplan.plan.quotas import touched
from gpuplan.plan.rollout import rollouts_of


def plan(comparison: Comparison) -> Plan:
    """Say what the differences do, how to do it without harm, and who is asked."""
    effects = effects_of(comparison)
    rows, sums = touched(comparison.quotas, comparison.balances)
    sides = (comparison.old, comparison.new)
    return Plan(
        old=comparison.old.name,
        new=comparison.new.name,
        fleet=next((side.fleet.name for side in reversed(sides) if side.fleet is not None), ""),
        clusters=tuple(sorted({name for side in sides for name in side.clusters})),
        spec=comparison.spec,
        objects=comparison.objects,
        texts=comparison.texts,
        quotas=rows,
        balances=sums,
        effects=effects,
        rollouts=rollouts_of(comparison, effects),
        approvals=approvals(comparison, effects),
        promises=promises(comparison),
    )
