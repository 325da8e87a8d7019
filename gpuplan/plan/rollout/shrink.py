"""Floors and nodes that shrink while they are in use.

Kueue evicts nobody when a quota is cut, but what runs above the new floor counts as borrowed from then on: an owner who wants
its own back evicts it. And nodes that leave take along what runs on them. So: first what promises less, then a wait, then
what promises more or takes nodes away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuplan.diagnostics import KeyPath
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.parts import Edit, Effect, QuotaRow, Rollout, SpecChange, Step
from gpuplan.plan.rollout.holding import cordon, merge, synced, usage

AMOUNTS = ("guaranteed", "lend")
"""Keys of an amount that say what a queue owns."""


def layout(comparison: Comparison, _effects: Sequence[Effect]) -> Iterator[Rollout]:
    """Yield a rollout for each pool that loses nodes, and one for each cluster where a floor goes from one owner to another."""
    for before, after in comparison.clusters():
        losing = tuple(_losing(before, after, comparison))
        for pool, nodes in losing:
            yield _fewer_nodes(comparison, before, pool, nodes)
        cut = _cut(comparison, after.name)
        if not losing and cut and _grown(comparison, after.name, cut):
            yield _handover(comparison, after.name, cut)


def _losing(before: Cluster, after: Cluster, comparison: Comparison) -> Iterator[tuple[NodePool, int]]:
    """Yield the pools that have fewer nodes than before, with how many leave; none of a pool that is no longer counted."""
    left = {pool.name: pool for pool in after.pools}
    for pool in before.pools:
        stays = left.get(comparison.moves.new_name("nodePools", pool.name))
        gone = pool.nodes - (stays.nodes if stays else 0)
        if gone > 0 and (stays is None or stays.counted):
            yield pool, gone


def _cut(comparison: Comparison, cluster: str) -> tuple[QuotaRow, ...]:
    return tuple(row for row in comparison.quotas if row.cluster == cluster and row.new.guaranteed < row.old.guaranteed)


def _grown(comparison: Comparison, cluster: str, cut: Sequence[QuotaRow]) -> bool:
    """Tell whether some owner gets more of what others lose."""
    places = {(row.flavor, row.resource) for row in cut}
    return any(
        row.new.guaranteed > row.old.guaranteed
        for row in comparison.quotas
        if row.cluster == cluster and (row.flavor, row.resource) in places
    )


def _fewer_nodes(comparison: Comparison, before: Cluster, pool: NodePool, nodes: int) -> Rollout:
    flavors = {flavor.name for flavor in before.flavors if pool.name in {one.name for one in flavor.pools}}
    cut = tuple(row for row in _cut(comparison, before.name) if row.flavor in flavors)
    leave = "leaves with whatever runs on it" if nodes == 1 else "leave with whatever runs on them"
    return Rollout(
        kind="shrink",
        cluster=before.name,
        subject=f"pool {pool.name}",
        reason=f"{nodes} of {pool.nodes} nodes {leave}, and the queues learn of it at the same moment.",
        steps=(
            *_lower(comparison, before.name, cut),
            cordon(pool, nodes, "Nodes that leave with work on them take it along."),
            merge(synced(before.name), "The nodes are empty, and nobody counts on them any more."),
        ),
    )


def _handover(comparison: Comparison, cluster: str, cut: Sequence[QuotaRow]) -> Rollout:
    losers = ", ".join(sorted({_owner(row) for row in cut}))
    return Rollout(
        kind="handover",
        cluster=cluster,
        subject=losers,
        reason="What runs above a floor that was cut counts as borrowed: the new owner evicts it as soon as it wants its cards.",
        steps=(
            *_lower(comparison, cluster, cut),
            merge(synced(cluster), "Nobody runs above its floor, so nobody is evicted."),
        ),
    )


def _owner(row: QuotaRow) -> str:
    return f"queue {row.queue}" if row.team else f"task pool {row.task_pool}"


def _lower(comparison: Comparison, cluster: str, cut: Sequence[QuotaRow]) -> Iterator[Step]:
    """Yield the commit that lowers what shrinks and nothing else, with what to wait for."""
    edits = tuple(_edits(comparison, cut))
    if not edits:
        return
    queues = sorted({row.was_queue for row in cut if row.team})
    yield Step(
        title="Lower the floors first",
        edits=edits,
        commands=tuple(usage(queue) for queue in queues),
        until=f"{synced(cluster)}, and no queue has reserved more than its new floor",
        why="Nobody is evicted: the queues admit nothing more until enough of their work has ended.",
    )


def _edits(comparison: Comparison, cut: Sequence[QuotaRow]) -> Iterator[Edit]:
    """Yield what the new spec says of the amounts that shrink; an entry that is gone as a whole goes as a whole."""
    for change in {change.path: change for row in cut for change in row.causes}.values():
        if _lowers(change, cut) and not _introduced(comparison, change.path):
            yield Edit(path=change.path, value=change.new)


def _lowers(change: SpecChange, cut: Sequence[QuotaRow]) -> bool:
    """Tell whether a change is of an amount of one of the owners, and lowers it or takes it away."""
    path = change.path
    if path[:1] == ("teams",) and len(path) > 3 and path[2] == "quotas":
        if not any((path[1], path[3]) == (row.was_team or row.team, row.task_pool) for row in cut):
            return False
    elif not (path[:1] == ("taskPools",) and "pool" in path[2:3]):
        return False
    if change.gone:
        return True
    numbers = isinstance(change.old, int) and isinstance(change.new, int)
    return numbers and int(change.new) < int(change.old)  # type: ignore[arg-type]  # both are whole numbers


def _introduced(comparison: Comparison, path: KeyPath) -> bool:
    """Tell whether the entry that a path is in does not exist in the old spec."""
    section = comparison.old.written.get(str(path[0]))
    return not (isinstance(section, dict) and path[1] in section)
