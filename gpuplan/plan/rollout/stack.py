"""Pools that go over to another stack: one at a time, and empty, since two device plugins would offer one card until the old
one is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuplan import conventions
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool, SelectedBy
from gpuplan.model.sharing import SharingMode
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.parts import Edit, Effect, Rollout, Step
from gpuplan.plan.rollout.holding import cordon, empty, flavors_of, hold, queues_on, release, synced, uncordon

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
            yield _rollout(comparison, before, moved)


def _rollout(comparison: Comparison, before: Cluster, moved: Sequence[Pair]) -> Rollout:
    steps: list[Step] = []
    pinned = tuple(_pinned(comparison, moved))
    if pinned:
        steps.append(
            Step(
                title="Write down for each pool the stack that it has",
                edits=pinned,
                until=f"`gpuplan plan` shows no object that changes in cluster `{before.name}`",
                why="The cluster's default can then change without moving a pool.",
            )
        )
    groups = _together(moved)
    for number, group in enumerate(groups, start=1):
        steps += _one_move(before, group, last=number == len(groups))
    words = ", ".join(f"{old.name} ({old.stack} → {new.stack})" for old, new in moved)
    return Rollout(
        kind="stack",
        cluster=before.name,
        subject=f"pool {words}" if len(moved) == 1 else f"pools {words}",
        reason="The agents of both stacks are on the nodes until the old ones are pruned: two device plugins offer one card, "
        "and a sync that fails midway leaves both.",
        steps=tuple(steps),
    )


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

    An operator takes away the labels by which the MIG manager of a manual pool works, and serves all nodes that it is not kept
    off: where others label the nodes, nothing of ours keeps it off.
    """
    stuck = [pair for pair in moved if _never_beside_an_operator(pair)]
    others = [[pair] for pair in moved if pair not in stuck]
    if not stuck:
        return others
    return [stuck, *others] if stuck[0][1].stack == "operator" else [*others, stuck]


def _never_beside_an_operator(pair: Pair) -> bool:
    selection = next((pool.selection for pool in pair if pool.stack != "operator"), pair[0].selection)
    kept_off = (conventions.LABEL_OPERANDS, "false") in selection.labels
    return pair[0].sharing.mode is SharingMode.MIG or (selection.by is SelectedBy.LABELS and not kept_off)


def _one_move(before: Cluster, group: Sequence[Pair], *, last: bool) -> Iterator[Step]:
    flavors = [flavor.name for flavor in flavors_of(before, [old for old, _ in group])]
    queues = queues_on(before, flavors)
    names = " and ".join(f"`{old.name}`" for old, _ in group)
    if queues:
        yield hold(queues, f"They would fill the nodes of {names} again.")
        yield empty(queues, flavors)
    why = "No work should hold cards of nodes whose agents, and perhaps driver, are exchanged."
    yield from (cordon(old, old.nodes, why) for old, _ in group)
    ready = f"{synced(before.name)}, no old agent is left on the nodes of {names}, and the new ones are ready on all of them"
    if last:
        yield Step(title="Merge this change", merges=True, until=ready)
    else:
        edits = tuple(Edit(path=(*old.path, "stack"), value=new.stack) for old, new in group)
        yield Step(title=f"Move {'pool' if len(group) == 1 else 'pools'} {names}", edits=edits, until=ready)
    yield from (uncordon(new) for _, new in group)
    if queues:
        yield release(queues)
