"""What a cluster has of each flavor, and what of it is nobody's own, so that all who may borrow find it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from gpuplan.diagnostics import KeyPath
from gpuplan.model.queues import Service
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs, reading
from gpuplan.plan.effects.claims import Claims, Place, place_of
from gpuplan.plan.effects.quotas import queue_changes
from gpuplan.plan.parts import Balance, Effect, ObjectChange, Risk, SpecChange

SIZES = ("nodes", "cardsPerNode", "tier", "cluster", "card", "sharing")
"""Keys of a pool by which a flavor has more or less."""


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what changes in capacity and in its rest, flavor by flavor; others tell of flavors that come or go."""
    claims, stay = Claims.of(comparison), reading.staying(comparison)
    roots = {
        change.ref.cluster: change
        for change in reading.changes(comparison, "Cohort")
        if "parentName" not in reading.spec(reading.sides(change))
    }
    following = _following(comparison)
    nodes = _nodes(comparison)
    said = _said(comparison)
    for balance in comparison.balances:
        if balance.cluster not in stay or 0 in balance.capacity:
            continue
        place = (balance.cluster, balance.flavor, balance.resource)
        touching = [change for change in (roots.get(balance.cluster), *following.get(place, ())) if change]
        borrowed = bool(claims.borrowers.get(place))
        if balance.capacity[0] != balance.capacity[1]:
            effect = _capacity(balance, nodes.get((balance.cluster, balance.flavor)), touching, borrowed=borrowed)
        elif balance.rest[0] != balance.rest[1]:
            effect = _rest(balance, touching, borrowed=borrowed)
        else:
            continue
        yield replace(effect, causes=said.get(place) or effect.causes)


def _said(comparison: Comparison) -> Mapping[Place, tuple[SpecChange, ...]]:
    """Return by place what the spec says otherwise of its owners and of the nodes behind its flavor: the root of the tree
    comes from all of the spec, and says less.
    """
    found: dict[Place, list[SpecChange]] = {}
    for row in comparison.quotas:
        found.setdefault(place_of(row), []).extend(row.causes if row.changed else ())
    paths: dict[tuple[str, str], list[KeyPath]] = {}
    for pair in comparison.clusters():
        for flavor in (flavor for cluster in pair for flavor in cluster.flavors):
            own = ((*pool.path, key) for pool in flavor.pools for key in SIZES)
            paths.setdefault((pair[1].name, flavor.name), []).extend(own)
    for place in found:
        found[place] += pool_pairs.caused(comparison, *paths.get(place[:2], ()))
    return {place: tuple({cause.path: cause for cause in causes}.values()) for place, causes in found.items()}


def _following(comparison: Comparison) -> Mapping[Place, list[ObjectChange]]:
    """Return the queues of reclaimable work whose limit follows the capacity, by place."""
    found: dict[Place, list[ObjectChange]] = {}
    queues = queue_changes(comparison)
    for row in comparison.quotas:
        change = queues.get((row.cluster, row.team, row.task_pool))
        if change and row.service == Service.RECLAIMABLE.value and row.old.reclaimable != row.new.reclaimable:
            found.setdefault(place_of(row), []).append(change)
    return found


def _nodes(comparison: Comparison) -> Mapping[tuple[str, str], tuple[int, int]]:
    """Return the nodes of each flavor that both sides have, before and after, where both are specs."""
    found = {}
    for before, after in comparison.clusters():
        old = {flavor.name: sum(pool.nodes for pool in flavor.pools) for flavor in before.flavors}
        for flavor in after.flavors:
            if flavor.name in old:
                found[after.name, flavor.name] = (old[flavor.name], sum(pool.nodes for pool in flavor.pools))
    return found


def _capacity(
    balance: Balance, nodes: tuple[int, int] | None, touching: list[ObjectChange], *, borrowed: bool
) -> Effect:
    old, new = balance.capacity
    less = new < old
    on = f" on {reading.stepped(*nodes)} nodes" if nodes and nodes[0] != nodes[1] else ""
    risk = Risk.LOW if less and borrowed and balance.rest[1] < balance.rest[0] else Risk.NONE
    return _effect(
        "quota/capacity-shrunk" if less else "quota/capacity-grown",
        risk,
        balance,
        f"{reading.stepped(old, new)} in all ({reading.signed(new - old, balance.per_piece)}){on}, {_left(balance)}",
        touching,
        cards=reading.in_cards(abs(new - old), balance.per_piece),
    )


def _left(balance: Balance) -> str:
    return f"{reading.stepped(*balance.rest)} of them nobody's own" if any(balance.rest) else "all of them owned"


def _rest(balance: Balance, touching: list[ObjectChange], *, borrowed: bool) -> Effect:
    old, new = balance.rest
    less = new < old
    summary = f"{reading.stepped(old, new)} are nobody's own ({reading.signed(new - old, balance.per_piece)})"
    if less and borrowed:
        summary += f"; who borrows finds {'none there' if new <= 0 else 'fewer'}, and waits for what owners leave idle"
    fact = "quota/rest-shrunk" if less else "quota/rest-grown"
    return _effect(fact, Risk.LOW if less and borrowed else Risk.NONE, balance, summary, touching)


def _effect(
    fact: str, risk: Risk, balance: Balance, summary: str, touching: list[ObjectChange], cards: int = 0
) -> Effect:
    subject = f"flavor {balance.flavor}, {balance.resource}"
    return Effect(
        fact=fact,
        risk=risk,
        cluster=balance.cluster,
        subject=subject,
        summary=f"{subject}: {summary}",
        objects=reading.refs(touching),
        causes=reading.causes(touching),
        cards=cards,
    )
