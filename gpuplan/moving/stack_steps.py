"""What is done at each step of a pool's way: the commit, what people do before and after it, and the way back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gpuplan.model.fleet import Cluster
from gpuplan.model.labels import all_labels
from gpuplan.model.pools import NodePool, SelectedBy, Stack
from gpuplan.moving.stack_course import Place, edits
from gpuplan.plan.parts import Step
from gpuplan.plan.rollout import exchange
from gpuplan.plan.rollout.by_hand import OPERANDS_OFF, labelling
from gpuplan.plan.rollout.exchange import NOBODY
from gpuplan.plan.rollout.holding import blind_queues, emptied, opened, synced


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One commit on the way, with the steps by hand around it."""

    before: tuple[Step, ...]
    commit: Step
    after: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A place of the way with what it resolves to."""

    place: Place
    cluster: Cluster
    pool: NodePool


def passage(old: Side, new: Side, *, from_stack: Stack) -> Passage:
    """Return how one goes from a place to its neighbour, forward or back.

    `from_stack` is the stack whose agents, and driver, were on the nodes before nobody's were.
    """
    commit, labels = _commit(old, new), tuple(_labels(old, new, first=False))
    if labels:  # what the commit waits for comes with them
        labels = (replace(labels[0], until=f"{commit.until}, and {labels[0].until}"),)
        commit = replace(commit, until=synced(old.cluster.name))
    return Passage(
        before=(*_before(old, new, from_stack), *_labels(old, new, first=True)),  # the operator takes its driver along
        commit=commit,
        after=(*labels, *_after(old, new)),
    )


def _before(old: Side, new: Side, from_stack: Stack) -> Iterator[Step]:
    if new.place.stack == NOBODY != old.place.stack:
        yield from emptied(old.cluster, [old.pool], exchange.WHY_EMPTY)
    if old.place.stack == NOBODY != new.place.stack:
        yield from exchange.driver_steps(replace(old.pool, stack=from_stack), new.pool)


def _after(old: Side, new: Side) -> Iterator[Step]:
    if old.place.stack == NOBODY != new.place.stack:
        yield from opened(blind_queues(new.cluster, [new.pool]), [new.pool])


def _commit(old: Side, new: Side) -> Step:
    changed = tuple(edits(old.pool, old.cluster, old.place, new.place))
    if old.place.standby != new.place.standby:
        served = bool(old.cluster.operator_pools)
        return exchange.standby_step(old.cluster, old.place.standby, new.place.standby, served=served)
    if new.place.stack == old.place.stack:
        return Step(
            title=f"{'Write down' if new.place.named else 'Leave out'} the stack that pool `{old.pool.name}` has",
            edits=changed,
            until=f"`gpuplan plan` shows no object that changes in cluster `{old.cluster.name}`",
            why="From then on each step is one value in the spec, by which it is known again.",
        )
    if new.place.stack == NOBODY:
        return exchange.let_go(old.cluster, [old.pool], changed)
    return exchange.takes_over(new.cluster, [new.pool], changed)


def _labels(old: Side, new: Side, *, first: bool) -> Iterator[Step]:
    """Yield how nodes get their new labels that no NFD gives them by itself.

    The label that keeps the operator off comes before the commit, everything else once it is synced.
    """
    was = {pool.name: pool for pool in old.cluster.pools}
    changes = (
        (pool, _changed(all_labels(old.cluster, was[pool.name]), all_labels(new.cluster, pool)))
        for pool in new.cluster.pools
        if pool.selection.by is not SelectedBy.NFD
    )
    found = [(pool, changed) for pool, changed in changes if changed and first == (OPERANDS_OFF in changed)]
    if found:
        yield labelling(found)


def _changed(old: dict[str, str], new: dict[str, str]) -> tuple[str, ...]:
    """Return labels that differ as kubectl takes them: `key=value` to set, `key-` to take away."""
    gone = [f"{key}-" for key in old if key not in new]
    return (*(f"{key}={value}" for key, value in new.items() if old.get(key) != value), *gone)
