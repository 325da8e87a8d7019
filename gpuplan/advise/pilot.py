"""Who moves first: a pool that holds no state, guarantees nothing, is small, and has a node to spare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuplan.advise.gather import Member
from gpuplan.advise.measures import measures, whole_days
from gpuplan.advise.record import Move, Pilot
from gpuplan.advise.settings import Settings
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.queues import Service
from gpuplan.model.sharing import SharingMode
from gpuplan.words import counted, in_a_row

Advised = tuple[Member, str]
"""A pool that may choose, and what is advised for it."""
CYCLE_DAYS = 28
"""Days over which the pilot is read: a driver upgrade, an upgrade of the agents, a way back and two drills fit into them."""


def order(advised: Sequence[Advised], settings: Settings) -> tuple[Move, ...]:
    """Return the moves, the pilot first and what must not fail last."""
    found = [_move(one, advised) for one in advised if one[0].pool.stack != one[1]]
    enough = settings.of("thresholds.pilotNodes")
    return tuple(
        sorted(
            found,
            key=lambda move: (
                bool(move.whole_cluster),
                *_late(move),
                move.nodes < enough,
                move.nodes,
                move.cluster,
                move.pool,
            ),
        )
    )


def _late(move: Move) -> tuple[bool, bool]:
    return "state" in move.critical, bool(move.critical)


def _move(one: Advised, advised: Sequence[Advised]) -> Move:
    member, to = one
    return Move(
        cluster=member.cluster.name,
        pool=member.pool.name,
        nodes=member.pool.nodes,
        now=member.pool.stack,
        to=to,
        critical=critical(member.cluster, member.pool),
        whole_cluster=_together(member, to, advised),
    )


def critical(cluster: Cluster, pool: NodePool) -> str:
    """Return what runs on a pool that must not fail, in words."""
    tasks = [one.task_pool for one in cluster.users_of((pool,)) if one.queues]
    state = [f"`{task.name}`" for task in tasks if task.stateful]
    floors = [f"`{task.name}`" for task in tasks if task.service is Service.GUARANTEED and not task.stateful]
    parts = [f"{in_a_row(state)} holds state" if len(state) == 1 else f"{in_a_row(state)} hold state"] if state else []
    parts += [f"{in_a_row(floors)} {'is' if len(floors) == 1 else 'are'} guaranteed"] if floors else []
    return "; ".join(parts)


def _together(member: Member, to: str, advised: Sequence[Advised]) -> tuple[str, ...]:
    """Return the manual MIG pools of the cluster: none may stay beside an operator (rule mig/beside-operator)."""
    if to != "operator":
        return ()
    others = (
        other.pool
        for other, _ in advised
        if other.cluster is member.cluster and other.pool is not member.pool and other.pool.stack == "manual"
    )
    return tuple(pool.name for pool in others if pool.sharing.mode is SharingMode.MIG)


def pilot(fleet: Fleet, advised: Sequence[Advised], moves: Sequence[Move], settings: Settings) -> Pilot | None:
    """Return the pilot; a base line on the smallest pool that is not critical where nothing moves; None without a pool."""
    if moves:
        first = moves[0]
        member = next(one for one, _ in advised if (one.cluster.name, one.pool.name) == (first.cluster, first.pool))
        to = first.to
    elif advised:
        member, to = min(
            advised, key=lambda one: (bool(critical(one[0].cluster, one[0].pool)), one[0].pool.nodes, one[0].pool.name)
        )
        first = _move((member, to), advised)
    else:
        return None
    days = whole_days(settings.of("thresholds.pilotBaselineDays"))
    need = int(settings.of("thresholds.pilotNodes"))
    splits = bool(moves) and bool(first.critical) and first.nodes > need
    return Pilot(
        cluster=first.cluster,
        pool=first.pool,
        now=first.now,
        to=to,
        why=tuple(_why(first, moves, need)),
        split=need if splits else 0,
        keep_off=_keep_off(member, to, first.whole_cluster, advised),
        days=days,
        measures=measures(fleet, member.cluster, member.pool, settings, CYCLE_DAYS),
    )


def _keep_off(member: Member, to: str, together: Sequence[str], advised: Sequence[Advised]) -> tuple[str, ...]:
    others = (
        other
        for other, _ in advised
        if other.cluster is member.cluster and other.pool is not member.pool and other.pool.name not in together
    )
    unsafe = (one.pool.name for one in others if one.pool.stack == "manual" and not one.case.kept_off)
    return tuple(unsafe) if to == "operator" else ()


def _why(first: Move, moves: Sequence[Move], need: int) -> Iterator[str]:
    """Yield why it is this pool, the doubts among the reasons."""
    yield f"critical work: {first.critical}" if first.critical else "no work on it holds state, and none is guaranteed"
    smaller = all(first.nodes <= move.nodes for move in moves if bool(move.critical) == bool(first.critical))
    yield f"it has {counted(first.nodes, 'node')}" + (
        ", the fewest of those that could be first" if smaller and len(moves) > 1 else ""
    )
    if first.nodes < need:
        yield f"fewer than the {need} of which one works while the other is drained: its work stops during each step"
    elif not first.critical:
        yield "one node works while another is drained"
    if first.whole_cluster:
        names = in_a_row([f"`{name}`" for name in first.whole_cluster])
        yield f"with it {names} must move: no MIG pool may stay on scripts beside an operator (rule `mig/beside-operator`)"
