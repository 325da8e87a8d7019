"""Reclaiming of idle work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gpuplan import conventions
from gpuplan.model.reclaim import ReclaimMode
from gpuplan.model.reclaim_policy import PoolPolicy, ReclaimPolicy, read
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.parts import Effect, ObjectChange, Risk

POLICY = f"{conventions.RECLAIMER}-policy-"
"""How the name of the ConfigMap with a policy begins; it ends in a hash."""

STRICTER: Mapping[str, int] = {
    "threshold_percent": 1,
    "idle_minutes": -1,
    "coverage_percent": -1,
    "minimum_age_minutes": -1,
    "grace_minutes": -1,
}
"""By number of a policy: 1 where more of it spares less, -1 where less of it does."""
WORDS: Mapping[str, str] = {
    "threshold_percent": "idle below {} % use",
    "idle_minutes": "for {} minutes",
    "coverage_percent": "with {} % of the samples",
    "minimum_age_minutes": "from an age of {} minutes",
    "grace_minutes": "after {} minutes of notice",
}


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what changes for idle work, cluster by cluster."""
    some: dict[str, list[ObjectChange]] = defaultdict(list)
    for change in comparison.objects:
        cluster = reading.new_cluster(comparison, change)
        if change.ref.key.name == conventions.RECLAIMER or change.ref.key.name.startswith(POLICY):
            some[cluster].append(change)
    for cluster in sorted(some.keys() & reading.staying(comparison)):
        users = {(row.team, row.task_pool) for row in comparison.quotas if row.cluster == cluster and row.team}
        yield from _reclaim(cluster, some[cluster], users)


def _reclaim(cluster: str, some: Sequence[ObjectChange], users: Iterable[tuple[str, str]]) -> Iterator[Effect]:
    """Yield what changes in a cluster; `users` are the teams that have a queue, each with the task pool."""
    made = [change for change in some if change.ref.key.kind == "ConfigMap"]
    old = next((found for change in made if (found := _policy(change.before))), None)
    new = next((found for change in made if (found := _policy(change.after))), None)
    modes = tuple(policy.mode if policy else ReclaimMode.OFF for policy in (old, new))
    acts = modes[1] is ReclaimMode.SUSPEND
    watched = _watched(new)
    if made and modes[0] is not modes[1]:
        told = f"{modes[0].value} → {modes[1].value}: {MODES[modes[1]].format(pools=reading.listed(watched) or 'no task pool')}"
        hurts = acts and bool(watched)
        risk = Risk.DISRUPTIVE if hurts else Risk.NONE
        yield _effect("reclaim/mode-changed", risk, cluster, told, some, _teams(users, watched) if hurts else ())
        return
    tighter = _tightened(old, new) if old and new else {}
    if tighter and new:
        told = f"spares less in {reading.listed(f'{name} ({steps})' for name, steps in tighter.items())}"
        risk = Risk.DISRUPTIVE if acts else Risk.NONE
        teams = _teams(users, tighter) if acts else ()
        yield _effect("reclaim/tightened", risk, cluster, told, some, teams)
    else:
        yield _effect("reclaim/follows", Risk.NONE, cluster, "starts again with its new settings", some)


MODES: Mapping[ReclaimMode, str] = {
    ReclaimMode.OFF: "idle work keeps its cards",
    ReclaimMode.DRY_RUN: "what would be suspended in {pools} is only told",
    ReclaimMode.SUSPEND: "idle work in {pools} gets a notice and is suspended, and its people must start it again",
}


def _policy(config: Mapping[str, Any] | None) -> ReclaimPolicy | None:
    data = (config or {}).get("data", {})
    found = read(data.get("policy.json", ""))
    return found if isinstance(found, ReclaimPolicy) else None


def _watched(policy: ReclaimPolicy | None) -> list[str]:
    return sorted(name for name, pool in policy.pools.items() if pool.enabled) if policy else []


def _teams(users: Iterable[tuple[str, str]], pools: Iterable[str]) -> tuple[str, ...]:
    """Return the teams with work in some task pools."""
    names = set(pools)
    return tuple(sorted({team for team, pool in users if pool in names}))


def _tightened(old: ReclaimPolicy, new: ReclaimPolicy) -> Mapping[str, str]:
    """Return the task pools that are spared less than before, each with what is new there."""
    found: dict[str, str] = {}
    for name, pool in sorted(new.pools.items()):
        before = old.pools.get(name)
        if pool.enabled and before is not None:
            told = ["now watched at all"] if not before.enabled else _steps(before, pool)
            found |= {name: ", ".join(told)} if told else {}
    return found


def _steps(before: PoolPolicy, after: PoolPolicy) -> list[str]:
    return [
        WORDS[field].format(reading.stepped_text(getattr(before, field), getattr(after, field)))
        for field, sign in STRICTER.items()
        if (getattr(after, field) - getattr(before, field)) * sign > 0
    ]


def _effect(
    fact: str, risk: Risk, cluster: str, told: str, some: Sequence[ObjectChange], teams: tuple[str, ...] = ()
) -> Effect:
    return Effect(
        fact=fact,
        risk=risk,
        cluster=cluster,
        subject=f"reclaiming in {cluster}",
        summary=f"reclaiming of idle work: {told}",
        objects=reading.refs(some),
        causes=reading.causes(some),
        teams=teams,
    )
