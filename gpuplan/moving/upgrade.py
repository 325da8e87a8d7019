"""`gpuplan upgrade`: from the versions that a cluster has to others, by commits of which each leaves a state that works.

The order is data; whether a state works is what rules and `gpuplan compat` say of it; whether a jump is too far is what
`gpuplan render` says of it. Nothing here knows a version by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan import versions
from gpuplan.catalog.upgrade_steps import Rollback
from gpuplan.diagnostics import Diagnostic, Diagnostics, KeyPath, Span, ordered
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.moving import upgrade_effects, upgrade_judge, upgrade_problems, upgrade_target
from gpuplan.moving.upgrade_effects import Passage, Restarting
from gpuplan.moving.upgrade_findings import NO_WAY
from gpuplan.moving.upgrade_judge import State
from gpuplan.moving.upgrade_moves import Move, applied, tracks
from gpuplan.moving.upgrade_problems import Met
from gpuplan.moving.upgrade_target import Change, Target
from gpuplan.rules.judgement import Judgement, Verdict
from gpuplan.validate import upgrades
from gpuplan.versions import Version

Judged = tuple[tuple[str, Judgement], ...]
"""Judgements, each with the pool where it is of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One commit of an upgrade, and what comes of it."""

    number: int
    passage: Passage
    changes: tuple[Change, ...]
    restarts: tuple[Restarting, ...]
    problems: tuple[Met, ...]
    untried: State
    """What is known against the state after it that was not so at the start; nothing that fails for sure."""
    judged: Judged
    """What was judged with it: the judgements that read otherwise than before the step, with the pool where they are of one."""
    rollback: Rollback

    @property
    def move(self) -> Move:
        """What it changes."""
        return self.passage.move

    @property
    def title(self) -> str:
        """What moves, in words."""
        return f"{self.move.part.title} of pool {self.move.pool}" if self.move.pool else self.move.part.title


@dataclass(frozen=True, slots=True, kw_only=True)
class Road:
    """The way of a component that cannot be gone in one step."""

    component: str
    stations: tuple[str, ...]
    """Versions and lines, both ends included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """The upgrade of one cluster: its steps, or why there is none."""

    cluster: Cluster
    target: Target
    changes: tuple[Change, ...]
    steps: tuple[Step, ...]
    refused: Diagnostics
    road: Road | None = None
    """Where a jump is too far: the way."""
    back: tuple[tuple[Change, Rollback], ...] = ()
    """Where a way back was asked for: what goes back, and what is known of that."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.steps and not self.refused

    @property
    def point_of_no_return(self) -> int:
        """The number of the first step from which there is no way back; 0 where every step has one."""
        return next((step.number for step in self.steps if step.rollback.one_way), 0)


def upgrade(fleet: Fleet, cluster: Cluster, target: Target) -> Upgrade:
    """Find the steps for one cluster."""
    target = upgrade_target.of_cluster(cluster, target)
    changes = (
        *upgrade_target.components(cluster, target),
        *_of_kubernetes(cluster, target),
        *_of_drivers(fleet, cluster, target),
    )
    refused = tuple(finding for change in changes if change.used for finding in _jumps(fleet, cluster, change))
    if refused:
        return Upgrade(
            cluster=cluster,
            target=target,
            changes=changes,
            steps=(),
            refused=ordered(refused),
            road=_road(fleet, changes),
            back=tuple((change, upgrade_effects.way_back(change)) for change in changes if change.goes_back),
        )
    steps, stuck = _walk(fleet, cluster, target)
    return Upgrade(
        cluster=cluster, target=target, changes=changes, steps=() if stuck else steps, refused=ordered(stuck)
    )


def _of_kubernetes(cluster: Cluster, target: Target) -> Iterator[Change]:
    yield Change(component="kubernetes", old=cluster.kubernetes, new=target.kubernetes or cluster.kubernetes)


def _of_drivers(fleet: Fleet, cluster: Cluster, target: Target) -> Iterator[Change]:
    for pool in cluster.pools:
        old = versions.parse(pool.driver.branch)
        new = versions.parse(upgrade_target.new_branch(fleet, cluster, pool, target))
        if old and new and upgrade_target.follows_a_driver(fleet, pool):
            yield Change(component="driver", old=old, new=new, pool=pool.name)


def _jumps(fleet: Fleet, cluster: Cluster, change: Change) -> Iterator[Diagnostic]:
    """Yield what `gpuplan render` would say of the change if it came in one commit."""
    if change.old is None or change.old == change.new:
        return
    where, at = _place(fleet, cluster, change)
    move = upgrades.Move(component=change.component, what=where, old=change.old, new=change.new, at=at)
    yield from upgrades.judged(fleet, move)


def _place(fleet: Fleet, cluster: Cluster, change: Change) -> tuple[str, Span]:
    if change.component == "driver":
        path: KeyPath = ("nodePools", change.pool)
        return f"the driver of pool `{change.pool}`", upgrades.said(fleet, path, ("driver", "branch"))
    title = {**upgrades.TITLES, "kubernetes": "Kubernetes"}.get(change.component, change.component)
    at = upgrades.said(fleet, cluster.path, _key(change.component), ("release",))
    return f"{title} of cluster `{cluster.name}`", at


def _key(component: str) -> tuple[str, ...]:
    return ("kubernetes",) if component == "kubernetes" else ("components", component, "version")


def _road(fleet: Fleet, changes: tuple[Change, ...]) -> Road | None:
    """Return the way of the first component whose jump is too far: the operator's lines, or another's stops."""
    for change in changes:
        if change.used and change.old is not None and change.old < change.new:
            between = tuple(_between(fleet, change.component, change.old, change.new))
            if between:
                return Road(component=change.component, stations=(str(change.old), *between, str(change.new)))
    return None


def _between(fleet: Fleet, component: str, old: Version, new: Version) -> Iterator[str]:
    if component == "gpuOperator":
        yield from (fleet.catalog.operator.road(old, new) or ())[1:-1]
    for stop in fleet.catalog.upgrades.values():
        if stop.component == component and stop.lies_between(old, new):
            yield str(stop.at)


def _walk(fleet: Fleet, cluster: Cluster, target: Target) -> tuple[tuple[Step, ...], Diagnostics]:
    """Take the first move in the order of the parts after which nothing new is known against the cluster.

    Where each of them leaves something untried behind, the first one that does not fail is taken. Where all fail, there is
    no way, and what speaks against the first is returned.
    """
    start = upgrade_judge.state(fleet, cluster)
    left = tracks(fleet, cluster, target)
    steps: list[Step] = []
    at, known = (fleet, cluster), start.judged
    while left:
        passage, worse = _chosen(at, [moves[0] for moves in left.values() if _may_go(moves[0], left)], start)
        if worse.fails:
            return tuple(steps), tuple(_stuck(fleet, cluster, passage, worse))
        steps.append(_step(len(steps) + 1, passage, worse, known))
        known = worse.judged
        at = passage.after
        name = passage.move.part.name
        left[name] = left[name][1:]
        left = {name: moves for name, moves in left.items() if moves}
    return tuple(steps), ()


def _chosen(at: tuple[Fleet, Cluster], moves: list[Move], start: State) -> tuple[Passage, State]:
    """Return the first move that leaves nothing new behind, else the first that does not fail, else the first."""
    tried: list[tuple[Passage, State]] = []
    for move in moves:
        tried.append(_tried(at, move, start))
        if tried[-1][1].is_clean:
            return tried[-1]
    return next((one for one in tried if not one[1].fails), tried[0])


def _may_go(move: Move, left: dict[str, list[Move]]) -> bool:
    return not any(name in left for name in move.part.after)


def _tried(at: tuple[Fleet, Cluster], move: Move, start: State) -> tuple[Passage, State]:
    passage = Passage(move=move, before=at, after=applied(*at, move))
    return passage, upgrade_judge.state(*passage.after).worse(start)


def _step(number: int, passage: Passage, worse: State, known: Judged) -> Step:
    return Step(
        number=number,
        passage=passage,
        changes=tuple(_moved(passage)),
        restarts=tuple(upgrade_effects.restarts(passage)),
        problems=tuple(upgrade_problems.met(passage)),
        untried=worse,
        judged=tuple(one for one in worse.judged if one not in known),
        rollback=upgrade_effects.rollback(passage),
    )


def _moved(passage: Passage) -> Iterator[Change]:
    """Yield what a move changes."""
    before, after, move = passage.before[1], passage.after[1], passage.move
    if move.kubernetes is not None:
        yield Change(component="kubernetes", old=before.kubernetes, new=move.kubernetes)
    for name, component in sorted(after.components.items()):
        old = before.components.get(name)
        if old is None or old.version != component.version:
            used = upgrade_target.is_used(after, name)
            yield Change(component=name, old=old.version if old else None, new=component.version, used=used)
    for was, pool in zip(before.pools, after.pools, strict=True):
        if was.driver.branch != pool.driver.branch and upgrade_target.follows_a_driver(passage.after[0], pool):
            old_branch, branch = (versions.required(one.driver.branch) for one in (was, pool))
            yield Change(component="driver", old=old_branch, new=branch, pool=pool.name)


def _stuck(fleet: Fleet, cluster: Cluster, passage: Passage, worse: State) -> Iterator[Diagnostic]:
    """Yield why no step is possible."""
    yield from worse.errors
    at = upgrades.said(fleet, cluster.path, ("release",))
    for where, cell in worse.cells:
        pool = f"pool `{where}`: " if where else ""
        if cell.verdict is Verdict.BAD:
            after = f"after {passage.move.part.title}, {pool}{cell.aspect} {cell.here}"
            summary = f"No step of cluster `{cluster.name}` works: {after}"
            yield NO_WAY.found(summary, at=at, detail=f"Known: {cell.known}. {NO_WAY.why} See {cell.source}.")
