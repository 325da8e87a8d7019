"""A part of a plan: what concerns some clusters."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import PurePosixPath

from gpuplan.plan import Approval, Plan


def only(plan: Plan, clusters: Collection[str]) -> Plan:
    """Return what a plan says of some clusters, and of the fleet as a whole; all of it where none is named."""
    if not clusters:
        return plan
    others = set(plan.clusters) - set(clusters)
    effects = tuple(effect for effect in plan.effects if effect.cluster not in others)
    return replace(
        plan,
        objects=tuple(change for change in plan.objects if change.ref.cluster in clusters),
        texts=tuple(change for change in plan.texts if not others & set(PurePosixPath(change.path).parts)),
        quotas=tuple(row for row in plan.quotas if row.cluster in clusters),
        balances=tuple(balance for balance in plan.balances if balance.cluster in clusters),
        promises=tuple(promise for promise in plan.promises if promise.cluster in clusters),
        effects=effects,
        rollouts=tuple(rollout for rollout in plan.rollouts if rollout.cluster not in others),
        approvals=tuple(asked for approval in plan.approvals if (asked := _asked(approval, others)).effects),
    )


def _asked(approval: Approval, others: Collection[str]) -> Approval:
    return replace(approval, effects=tuple(one for one in approval.effects if one.cluster not in others))
