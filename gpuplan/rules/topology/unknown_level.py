"""A task pool that asks for a topology level which its tiers do not have.

Kueue passes over a flavor whose Topology lacks the level that a job asks for. Where no tier of the task pool has it,
its jobs are never admitted; where some lack it, they never get to those.

Source: Kueue topology-aware scheduling, flavor assignment.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import CardTier
from gpuplan.model.queues import TaskPool
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.levels import tiers
from gpuplan.rules.walk import graded, listed, point
from gpuplan.suggest import nearest

DOC = RuleDoc(
    id="topology/unknown-level",
    severity=Severity.ERROR,
    summary="A topology level that the task pool's tiers do not have",
    why="Kueue passes over every flavor whose Topology lacks the level that a job asks for.",
    fix="Ask for a level of the tier, or add the level to the tier's topology.",
    bad="cardTiers:\n  train: {topology: {levels: [kubernetes.io/hostname]}}\n"
    "taskPools:\n  pretrain: {tiers: [train], topology: {required: topology.gpuplan.dev/rack}}",
    good="cardTiers:\n  train: {topology: {levels: [topology.gpuplan.dev/rack, kubernetes.io/hostname]}}\n"
    "taskPools:\n  pretrain: {tiers: [train], topology: {required: topology.gpuplan.dev/rack}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each asked level that some tier lacks: an error where every tier lacks it."""
    known = {tier.name: tier for tier in tiers(fleet)}
    for task_pool in fleet.task_pools:
        own = [known[name] for name in task_pool.tiers if name in known]
        lacking = [tier for tier in own if task_pool.topology.level not in tier.levels]
        if task_pool.topology.level and lacking:
            yield DOC.found(
                f"`{task_pool.name}` asks for level `{task_pool.topology.level}`, which {_have(lacking)}",
                at=fleet.places.value((*task_pool.path, "topology", task_pool.topology.mode)),
                also=tuple(Related("its levels", point(fleet, (*tier.path, "topology"))) for tier in lacking),
                fix=_fix(task_pool, own),
                severity=graded(known=len(lacking) == len(own)),
            )


def _have(lacking: list[CardTier]) -> str:
    names = listed(tier.name for tier in lacking)
    return f"tier {names} does not have" if len(lacking) == 1 else f"tiers {names} do not have"


def _fix(task_pool: TaskPool, own: list[CardTier]) -> str:
    levels = list(dict.fromkeys(level for tier in own for level in tier.levels))
    guess = nearest(task_pool.topology.level, levels)
    return f"Write `{guess}`, or add the level to the tier's topology." if guess else DOC.fix
