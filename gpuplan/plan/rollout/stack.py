"""Pools that go over to another stack: one at a time, empty, and with nobody's agents in between, since two device plugins
would offer one card until the old one is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.parts import Edit, Effect, Rollout, Step
from gpuplan.plan.rollout import by_hand, exchange
from gpuplan.plan.rollout.holding import blind_queues, emptied, opened, synced

Pair = tuple[NodePool, NodePool]
"""A pool before and after."""


def layout(comparison: Comparison, _effects: Sequence[Effect]) -> Iterator[Rollout]:
    """Yield a rollout for each cluster with pools that move, one commit for each of them."""
    for before, after in comparison.clusters():
        pools = {pool.name: pool for pool in before.pools}
        moved = [
            (pools[name], pool)
            for pool in after.pools
            if (name := comparison.moves.old_name("nodePools", pool.name)) in pools and pools[name].stack != pool.stack
        ]
        if moved:
            yield _rollout(comparison, before, after, moved)


def _rollout(comparison: Comparison, before: Cluster, after: Cluster, moved: Sequence[Pair]) -> Rollout:
    words = ", ".join(f"{old.name} ({old.stack} → {new.stack})" for old, new in moved)
    return Rollout(
        kind="stack",
        cluster=before.name,
        subject=f"pool {words}" if len(moved) == 1 else f"pools {words}",
        reason="The agents of both stacks are on the nodes until the old ones are pruned: two device plugins offer one card, "
        "and a sync that fails midway leaves both.",
        steps=tuple(_steps(comparison, before, after, moved)),
    )


def _steps(comparison: Comparison, before: Cluster, after: Cluster, moved: Sequence[Pair]) -> Iterator[Step]:
    pinned = tuple(_pinned(comparison, moved))
    if pinned:
        yield Step(
            title="Write down for each pool the stack that it has",
            edits=pinned,
            until=f"`gpuplan plan` shows no object that changes in cluster `{before.name}`",
            why="The cluster's default can then change without moving a pool.",
        )
    groups = _together(moved)
    goes, comes = before.has_operator and not after.has_operator, after.has_operator and not before.has_operator
    stuck = exchange.never_beside_an_operator(*groups[-1 if goes else 0][0])
    others = len(exchange.kept_off(after if goes else before)) > len(groups[-1 if goes else 0])
    if comes:
        yield from _standby(before, exchange.before_the_first(stuck=stuck, others=others), served=False)
    ahead, behind = exchange.around_the_last(stuck=stuck, others=others) if goes else ((), ())
    for number, group in enumerate(groups, start=1):
        last = number == len(groups)
        if last:
            yield from _standby(before, ahead, served=True)
        yield from _one_move(before, after, group, merges=last and not behind)
    yield from _standby(before, behind, served=False, was="installed")
    if behind:
        yield Step(title="Merge this change", merges=True, until=synced(before.name))


def _standby(
    cluster: Cluster, values: Sequence[exchange.Standby], *, served: bool, was: exchange.Standby = ""
) -> Iterator[Step]:
    for value in values:
        yield exchange.standby_step(cluster, was, value, served=served)
        was = value


def _pinned(comparison: Comparison, moved: Sequence[Pair]) -> Iterator[Edit]:
    """Yield the stack of today for pools that have it from their cluster."""
    pools = comparison.old.written.get("nodePools")
    for old, _ in moved:
        entry = pools.get(old.name) if isinstance(pools, dict) else None
        if isinstance(entry, dict) and "stack" not in entry and len(moved) > 1:
            yield Edit(path=(*old.path, "stack"), value=old.stack)


def _together(moved: Sequence[Pair]) -> list[list[Pair]]:
    """Return the pools in the order in which they move. Those that cannot be beside a GPU Operator move together: first to
    the operator, last from it.
    """
    stuck = [pair for pair in moved if exchange.never_beside_an_operator(*pair)]
    others = [[pair] for pair in moved if pair not in stuck]
    if not stuck:
        return others
    return [stuck, *others] if stuck[0][1].stack == "operator" else [*others, stuck]


def _one_move(before: Cluster, after: Cluster, group: Sequence[Pair], *, merges: bool) -> Iterator[Step]:
    olds, news = [old for old, _ in group], [new for _, new in group]
    yield from emptied(before, olds, exchange.WHY_EMPTY)
    if after.keeps_operator_off:
        yield from by_hand.kept_from_operator(new for old, new in group if old.stack == "operator")
    if all(exchange.NOBODY not in (old.stack, new.stack) for old, new in group):
        yield exchange.let_go(before, olds, tuple(_edits(olds, exchange.NOBODY)))
    for old, new in group:
        yield from exchange.driver_steps(old, new)
    edits = () if merges else tuple(Edit(path=(*old.path, "stack"), value=new.stack) for old, new in group)
    yield exchange.takes_over(before, news, edits, merges=merges)
    yield from by_hand.opened_to_operator(old for old, new in group if new.stack == "operator")
    yield from opened(blind_queues(before, olds), news)


def _edits(pools: Sequence[NodePool], stack: str) -> Iterator[Edit]:
    return (Edit(path=(*pool.path, "stack"), value=stack) for pool in pools)
