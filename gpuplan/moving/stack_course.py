"""The way of one pool from stack to stack as a row of places, each of which the spec itself says.

A place is what three values of the spec say: whether the pool names its stack itself, the cluster's `operatorStandby`, and the
stack. Step N goes from place N - 1 to place N and changes one of them, so that a step back undoes exactly that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gpuplan.model.fleet import Cluster
from gpuplan.model.labels import labelled_by_others
from gpuplan.model.pools import NodePool, Stack
from gpuplan.model.sharing import SharingMode
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
    """Yield the places. Where the operator serves other pools it is there all the time, and standby stays as it is."""
    served = any(other.name != pool.name for other in cluster.operator_pools)
    around = _Around(first=standby) if served else _around(cluster, pool, origin, target)
    start = Place(named=False, standby=around.first, stack=origin)
    named = start._replace(named=True)
    ahead = [named._replace(standby=value) for value in around.ahead]
    empty = (ahead or [named])[-1]._replace(stack=NOBODY)
    yield start
    yield named
    yield from ahead
    yield empty
    yield empty._replace(stack=target)
    yield from (empty._replace(standby=value, stack=target) for value in around.behind)


class _Around(NamedTuple):
    """The operator's standby on the way: at the beginning, before the pool is nobody's, and after it has its new stack."""

    first: Standby = ""
    ahead: tuple[Standby, ...] = ()
    behind: tuple[Standby, ...] = ()


def _around(cluster: Cluster, pool: NodePool, origin: Stack, target: Stack) -> _Around:
    """Return the standby around the first pool that comes, or the last that leaves.

    As long as the operator is there it says that somebody labels the nodes which gpuplan does not, so that beside such nodes
    it begins before the operator comes and ends after that has gone.
    """
    old, new = (replace(pool, stack=stack) for stack in (origin, target))
    others = [other for other in exchange.kept_off(cluster) if other.name != pool.name]
    by_itself = pool.sharing.mode is SharingMode.MIG or not others  # who labels others' nodes can label the pool's own
    stuck = by_itself and exchange.never_beside_an_operator(old, new)
    lasting = any(map(labelled_by_others, others))
    if target == "operator":
        ahead = exchange.before_the_first(stuck=stuck, others=bool(others))
        return _Around(ahead=ahead, behind=("",) if ahead and not lasting else ())
    ahead, behind = exchange.around_the_last(stuck=stuck, others=bool(others))
    end: tuple[Standby, ...] = ("",) if ahead else ()
    if not lasting:
        return _Around(ahead=ahead, behind=(*behind, *end))
    first: Standby = "labels" if "installed" in ahead else "installed"  # it has one: steps are told apart by the other
    return _Around(first=first, ahead=ahead, behind=(*behind, *end))


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
