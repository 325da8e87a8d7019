"""The way of one pool from stack to stack as a row of places, each of which the spec itself says.

A place is what three values of the spec say: whether the pool names its stack itself, the cluster's `operatorStandby`, and the
stack. Step N goes from place N - 1 to place N and changes one of them, so that a step back undoes exactly that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool, Stack
from gpuplan.plan.parts import ABSENT, Edit
from gpuplan.plan.rollout import exchange
from gpuplan.plan.rollout.exchange import NOBODY, Standby


class Place(NamedTuple):
    """What the spec says at one point of the way."""

    named: bool
    """Whether the pool names its stack itself."""
    standby: Standby
    stack: Stack


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A pool that is to go from one stack to another, wherever on the way it is."""

    cluster: str
    pool: str
    origin: Stack
    target: Stack
    places: tuple[Place, ...]
    """From the beginning to the end; neighbours differ in one value."""
    here: int | None
    """Number of the place where the spec is; None where it is at none."""


def move(cluster: Cluster, pool: NodePool, target: Stack, *, named: bool, inherited: Stack) -> Move:
    """Return the way of a pool of a cluster; `inherited` is the stack that it has where it names none."""
    origin: Stack = "manual" if target == "operator" else "operator"
    standby = _standby(cluster)
    places = tuple(_places(cluster, pool, origin, target, standby))
    if inherited != origin:
        places = places[1:]  # without a name of its own it would be elsewhere
    return Move(
        cluster=cluster.name,
        pool=pool.name,
        origin=origin,
        target=target,
        places=places,
        here=_found(places, Place(named=named, standby=standby, stack=pool.stack)),
    )


def _standby(cluster: Cluster) -> Standby:
    if cluster.gpu_operator.standby:
        return "installed"
    return "labels" if cluster.gpu_operator.kept_off else ""


def _places(cluster: Cluster, pool: NodePool, origin: Stack, target: Stack, standby: Standby) -> Iterator[Place]:
    """Yield the places. Where the operator serves other pools it is there all the time, and standby says nothing."""
    others = [other for other in cluster.operator_pools if other.name != pool.name]
    ahead, behind = ((), ()) if others else _around(cluster, pool, origin, target)
    first: Standby = standby if others else ""
    start = Place(named=False, standby=first, stack=origin)
    named = start._replace(named=True)
    empty = named._replace(standby=ahead[-1] if ahead else first, stack=NOBODY)
    yield start
    yield named
    yield from (named._replace(standby=value) for value in ahead)
    yield empty
    yield empty._replace(stack=target)
    yield from (empty._replace(standby=value, stack=target) for value in behind)
    if ahead:
        yield named._replace(stack=target)


def _around(
    cluster: Cluster, pool: NodePool, origin: Stack, target: Stack
) -> tuple[tuple[Standby, ...], tuple[Standby, ...]]:
    old, new = (replace(pool, stack=stack) for stack in (origin, target))
    stuck = exchange.never_beside_an_operator(old, new)
    others = any(other.name != pool.name for other in exchange.kept_off(cluster))
    if target == "operator":
        return exchange.before_the_first(stuck=stuck, others=others), ()
    return exchange.around_the_last(stuck=stuck, others=others)


def _found(places: Sequence[Place], here: Place) -> int | None:
    """Return where a spec is. One that does not name the stack is at the beginning, or further on by its other values."""
    if here in places:
        return places.index(here)
    named = here._replace(named=True)
    return places.index(named) if named in places else None


def edits(pool: NodePool, cluster: Cluster, old: Place, new: Place) -> Iterator[Edit]:
    """Yield what goes from one place to another."""
    if old.standby != new.standby:
        yield exchange.standby_edit(cluster, new.standby)
    if (old.named, old.stack) != (new.named, new.stack):
        yield Edit(path=(*pool.path, "stack"), value=new.stack if new.named else ABSENT)
