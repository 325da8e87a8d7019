"""Which flavors the queues of a task pool may use, in which order, and what else is counted there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.effects.quotas import flavors_of
from gpuplan.plan.effects.revisions import revisions
from gpuplan.plan.effects.task_pools import Pool, pools
from gpuplan.plan.parts import Effect, ObjectChange, QuotaRow, Risk
from gpuplan.plan.quotas import task_pool_of
from gpuplan.words import counted

Line = tuple[str, str]
"""(flavor, resource)."""
Numbers = tuple[str, str, str]
"""(nominal quota, borrowing limit, lending limit), empty where there is no limit."""


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what changes in the flavors of task pools that both sides have; revisions of a flavor are told elsewhere."""
    revised = revisions(comparison)
    for pool in pools(comparison):
        old = {made for old, new in revised.get(pool.cluster, ()) for made in (old, new)}
        yield from _flavors(pool, comparison, old)
    yield from _other_lines(comparison)


def _flavors(pool: Pool, comparison: Comparison, revised: set[str]) -> Iterator[Effect]:
    some = pool.differing(flavors_of)
    if not some:
        return
    before, after = flavors_of(some[0].before), flavors_of(some[0].after)
    cohorts = (one for one in reading.changes(comparison, "Cohort") if task_pool_of(reading.sides(one)) == pool.name)
    some = (*some, *(one for one in cohorts if one.ref.cluster == pool.cluster))
    rows = [row for row in comparison.quotas if (row.cluster, row.task_pool) == (pool.cluster, pool.name)]
    gone = [name for name in before if name not in after and name not in revised]
    come = [name for name in after if name not in before and name not in revised]
    if gone:
        yield _taken(pool, gone, rows, some)
    if come:
        cards = _guaranteed(rows, come, old=False)
        owns = f", and owns {counted(cards, 'card')} there" if cards else ""
        told = f"it may use {reading.listed(come)}{owns}"
        yield pool.effect("task-pool/flavor-added", Risk.NONE, told, some, cards=cards)
    stay = [name for name in before if name in after]
    if stay != [name for name in after if name in before]:
        order = reading.stepped_text(", ".join(before), ", ".join(after))
        yield pool.effect("task-pool/flavor-order", Risk.LOW, f"order of its flavors: {order}", some)


def _taken(pool: Pool, gone: Sequence[str], rows: Sequence[QuotaRow], some: Sequence[ObjectChange]) -> Effect:
    """A floor that is taken away may be claimed by others while work still runs on it."""
    cards = _guaranteed(rows, gone, old=True)
    owned = any(row.old.guaranteed for row in rows if row.flavor in gone and not row.team)
    losing = {row.team for row in rows if row.flavor in gone and row.team and (owned or row.old.guaranteed)}
    told = f"it may no longer use {reading.listed(gone)}; what runs there goes on, new and waiting work goes elsewhere or waits"
    if cards:
        told += f"; {counted(cards, 'card')} that it owned there {'is' if cards == 1 else 'are'} its own no more"
    risk = Risk.DISRUPTIVE if cards else Risk.LOW
    return pool.effect("task-pool/flavor-removed", risk, told, some, tuple(sorted(losing)), cards=cards)


def _guaranteed(rows: Sequence[QuotaRow], flavors: Sequence[str], *, old: bool) -> int:
    return sum(
        reading.in_cards((row.old if old else row.new).guaranteed, row.per_piece)
        for row in rows
        if row.flavor in flavors
    )


def _other_lines(comparison: Comparison) -> Iterator[Effect]:
    """Yield what changes in what queues count besides cards, where no right on cards changes with it."""
    cards = {(one.cluster, one.flavor, one.resource) for one in comparison.balances}
    cards |= {(one.cluster, one.flavor, one.resource) for one in comparison.quotas}
    found: dict[tuple[str, bool], list[tuple[ObjectChange, set[str]]]] = defaultdict(list)
    for change in reading.changes(comparison, "ClusterQueue", "Cohort"):
        if change.before is None or change.after is None:
            continue
        cluster = reading.new_cluster(comparison, change)
        old, new = lines(change.before), lines(change.after)
        moved = [line for line in {**old, **new} if old.get(line) != new.get(line)]
        kind = change.ref.key.kind
        counted = {line for line in moved if not (_idle(old.get(line), kind) and _idle(new.get(line), kind))}
        same = flavors_of(change.before) == flavors_of(change.after)
        if moved and same and not any((cluster, *line) in cards for line in counted):
            found[cluster, bool(counted)].append((change, {resource for _, resource in counted or moved}))
    for (cluster, counts), some in sorted(found.items()):
        yield _line_effect(cluster, some, counts=counts)


def _idle(line: Numbers | None, kind: str) -> bool:
    """Tell whether numbers give nothing; a cohort without a borrowing limit owns nothing of it all the same."""
    return line is None or (line[0] == "0" and (kind == "Cohort" or line[1] == "0"))


def lines(made: Mapping[str, Any]) -> dict[Line, Numbers]:
    """Return a queue's or cohort's numbers by flavor and resource."""
    return {
        (flavor["name"], one["name"]): (
            str(one.get("nominalQuota", "0")),
            str(one.get("borrowingLimit", "")),
            str(one.get("lendingLimit", "")),
        )
        for group in reading.spec(made).get("resourceGroups", ())
        for flavor in group["flavors"]
        for one in flavor["resources"]
    }


def _line_effect(cluster: str, some: Sequence[tuple[ObjectChange, set[str]]], *, counts: bool) -> Effect:
    resources = reading.listed(sorted({name for _, names in some for name in names}))
    changes = [change for change, _ in some]
    names = reading.listed(sorted(change.ref.key.name for change in changes))
    told = (
        f"{names}: their quota of {resources} changes"
        if counts
        else f"{names} refuse other tiers' cards by name, as the cluster has them: {resources}"
    )
    return Effect(
        fact="quota/companions-changed" if counts else "quota/foreign-resources",
        risk=Risk.LOW if counts else Risk.NONE,
        cluster=cluster,
        subject=f"resources of {cluster}",
        summary=told,
        objects=reading.refs(changes),
        causes=reading.causes(changes),
    )
