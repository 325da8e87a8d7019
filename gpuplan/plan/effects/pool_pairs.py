"""Node pools before and after, how many nodes and cards they have, and who works there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuplan.diagnostics import KeyPath
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool
from gpuplan.model.queues import Cohort, TeamQueue
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects.reading import listed
from gpuplan.plan.live import LiveNodes
from gpuplan.plan.moves import NO_MOVES, Moves
from gpuplan.plan.parts import Effect, Risk, SpecChange
from gpuplan.plan.state import Ref, State
from gpuplan.words import counted

Origins = Mapping[KeyPath, Sequence[Ref]]
"""Objects that differ, by the entry of the spec that they come from."""

UNCOUNTED = "nodes that nobody has counted"
"""The nodes of a pool without `nodes`, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A pool in its cluster, on one side."""

    home: Cluster
    pool: NodePool
    seen: LiveNodes | None
    """Its nodes as the cluster lists them; None where nobody looked."""

    @property
    def nodes(self) -> int:
        """Nodes that are there, or that the spec says."""
        return self.seen.present if self.seen else self.pool.nodes

    @property
    def cards(self) -> int:
        """Cards of these nodes."""
        return self.nodes * self.pool.cards_per_node

    @property
    def text(self) -> str:
        """Its nodes and cards in words."""
        return nodes_text(self.nodes, self.cards) if self.seen or self.pool.counted else UNCOUNTED


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolPair:
    """A pool that both sides have, renamed or not, in one cluster or not."""

    old: Side
    new: Side
    moved: bool
    """Whether it went to another cluster."""
    origins: Origins
    """The objects that differ, by where they come from."""

    @property
    def subject(self) -> str:
        """What effects on it are about."""
        return f"pool {self.new.pool.name}"

    @property
    def cluster(self) -> str:
        """Name of its cluster, after the change."""
        return self.new.home.name

    @property
    def nodes(self) -> int:
        """Nodes that a change of their settings touches: those that are there, or that are in it before and after."""
        return self.old.nodes if self.old.seen else min(self.old.pool.nodes, self.new.pool.nodes)

    @property
    def cards(self) -> int:
        """Cards of these nodes."""
        return self.nodes * min(self.old.pool.cards_per_node, self.new.pool.cards_per_node)

    @property
    def teams(self) -> tuple[str, ...]:
        """Teams with a right on it before the change."""
        return teams_on(self.old)

    def effect(
        self,
        fact: str,
        risk: Risk,
        summary: str,
        causes: tuple[SpecChange, ...] = (),
        objects: tuple[Ref, ...] = (),
    ) -> Effect:
        """Return an effect on its nodes. One that is disruptive or worse is for the teams on it, who lose by it."""
        return Effect(
            fact=fact,
            risk=risk,
            cluster=self.cluster,
            subject=self.subject,
            summary=f"{self.subject}: {summary}",
            objects=objects,
            causes=causes,
            teams=self.teams if risk.rank >= Risk.DISRUPTIVE.rank else (),
            nodes=self.nodes,
            cards=self.cards,
        )

    def objects(self, *kinds: str) -> tuple[Ref, ...]:
        """Return its objects that differ, of some kinds; all where none is given."""
        paths = dict.fromkeys((self.old.pool.path, self.new.pool.path))
        refs = (ref for path in paths for ref in self.origins.get(path, ()))
        return tuple(ref for ref in refs if not kinds or ref.key.kind in kinds)

    @property
    def text(self) -> str:
        """Its nodes and cards in words."""
        counted_on_both = self.old.pool.counted and self.new.pool.counted
        return nodes_text(self.nodes, self.cards) if self.old.seen or counted_on_both else UNCOUNTED


def pairs(comparison: Comparison) -> Iterator[PoolPair]:
    """Yield every pool that both sides have, in the order of the new one; none where a side has no spec."""
    before = {side.pool.name: side for side in old_sides(comparison)}
    origins = by_origin(comparison)
    for side in new_sides(comparison):
        was = before.get(comparison.moves.old_name("nodePools", side.pool.name))
        if was is not None:
            home = comparison.moves.new_name("clusters", was.home.name)
            yield PoolPair(old=was, new=side, moved=home != side.home.name, origins=origins)


def staying(comparison: Comparison) -> Iterator[PoolPair]:
    """Yield the pairs of one cluster: their nodes stay, and feel what changes."""
    return (pair for pair in pairs(comparison) if not pair.moved)


def old_sides(comparison: Comparison) -> Iterator[Side]:
    """Yield every pool before the change; none where that side has no spec."""
    return _sides(comparison, comparison.old, NO_MOVES)


def new_sides(comparison: Comparison) -> Iterator[Side]:
    """Yield every pool after the change; none where that side has no spec."""
    return _sides(comparison, comparison.new, comparison.moves)


def _sides(comparison: Comparison, state: State, moves: Moves) -> Iterator[Side]:
    """Yield the pools of a side, with the nodes that the cluster lists under their old names."""
    for cluster in state.fleet.clusters if state.fleet else ():
        looked = comparison.live.get(moves.old_name("clusters", cluster.name))
        pools = (looked.pools if looked else None) or {}
        for pool in cluster.pools:
            yield Side(home=cluster, pool=pool, seen=pools.get(moves.old_name("nodePools", pool.name)))


def flavor_of(side: Side) -> str:
    """Return the name of a pool's flavor."""
    names = (flavor.name for flavor in side.home.flavors if side.pool.name in [pool.name for pool in flavor.pools])
    return next(names, "")


def queues_on(side: Side) -> Iterator[tuple[Cohort, TeamQueue]]:
    """Yield the queues that may hold something of a pool, with their task pool."""
    flavor = flavor_of(side)
    for cohort in side.home.cohorts:
        for queue in cohort.queues:
            amounts = [amount for (name, _), amount in queue.amounts.items() if name == flavor]
            if any(amount.guaranteed or amount.borrow or amount.cap for amount in amounts):
                yield cohort, queue


def teams_on(*parts: Side) -> tuple[str, ...]:
    """Return the teams with a right on any of some pools, sorted."""
    return tuple(sorted({queue.team.name for side in parts for _, queue in queues_on(side)}))


def size(parts: Iterable[Side]) -> tuple[int, int]:
    """Return the nodes and cards of some pools together."""
    some = tuple(parts)
    return sum(side.nodes for side in some), sum(side.cards for side in some)


def nodes_text(nodes: int, cards: int | None = None) -> str:
    """Return `8 nodes (32 cards)`, or without cards where they are not given."""
    return counted(nodes, "node") if cards is None else f"{counted(nodes, 'node')} ({counted(cards, 'card')})"


def caused(comparison: Comparison, *paths: KeyPath) -> tuple[SpecChange, ...]:
    """Return the changes of the spec at, below or above some paths."""
    return comparison.touched.related(paths)


def caused_by(comparison: Comparison, pair: PoolPair, *keys: str) -> tuple[SpecChange, ...]:
    """Return the changes of some keys of a pool, or of its cluster, or, where neither is to blame, all of them."""
    paths = [(*pair.new.pool.path, key) for key in keys]
    return caused(comparison, *paths) or caused(comparison, pair.new.home.path, pair.new.pool.path) or comparison.spec


def by_origin(comparison: Comparison) -> Origins:
    """Return the objects that differ by the entry of the spec that they come from, mainly."""
    found: dict[KeyPath, list[Ref]] = defaultdict(list)
    for change in comparison.objects:
        ref = change.ref
        made = comparison.new.manifests.get(*ref) or comparison.old.manifests.get(*ref)
        if made is not None:
            found[made.origin.path].append(ref)
    return found


def handovers(side: Side) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Return the stateful task pools that may run on a pool: (seconds that a pod gets to hand over, teams)."""
    found: dict[str, tuple[int, set[str]]] = {}
    for cohort, queue in queues_on(side):
        if cohort.task_pool.stateful:
            _, teams = found.setdefault(cohort.task_pool.name, (cohort.task_pool.drain_seconds, set()))
            teams.add(queue.team.name)
    return {name: (seconds, tuple(sorted(teams))) for name, (seconds, teams) in found.items()}


def with_handovers(effect: Effect, *parts: Side) -> Iterator[Effect]:
    """Yield an effect that empties nodes of some pools, and what that costs the stateful services there."""
    yield effect
    for side in parts:
        for name, (seconds, teams) in handovers(side).items():
            yield Effect(
                fact="serving/state-lost",
                risk=Risk.DISRUPTIVE,
                cluster=effect.cluster,
                subject=f"task pool {name} on pool {side.pool.name}",
                summary=f"task pool {name}: pods on pool {side.pool.name} move, each has {seconds} s to hand over and "
                f"loses its KV cache ({listed(teams)})",
                objects=effect.objects,
                causes=effect.causes,
                teams=teams,
                nodes=effect.nodes,
                cards=effect.cards,
            )
