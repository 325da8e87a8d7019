"""Node pools that come, go, grow, shrink, or become another thing. What their labels do is in `nodes`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from gpuplan.catalog import Vendor
from gpuplan.model.lifecycle import REPLACING
from gpuplan.model.pools import SelectedBy
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs
from gpuplan.plan.effects.pool_pairs import PoolPair, nodes_text
from gpuplan.plan.effects.reading import listed
from gpuplan.plan.parts import Effect, Risk
from gpuplan.words import counted


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what changes of node pools do. Those of a cluster that comes or goes as a whole are told by `delivery`."""
    if comparison.old.fleet is None or comparison.new.fleet is None:
        return
    yield from _gone(comparison)
    yield from _made(comparison)
    for pair in pool_pairs.pairs(comparison):
        for judge in JUDGES:
            yield from judge(comparison, pair)


def _gone(comparison: Comparison) -> Iterator[Effect]:
    kept = {comparison.moves.old_name("nodePools", side.pool.name) for side in pool_pairs.new_sides(comparison)}
    flavors = {(side.home.name, pool_pairs.flavor_of(side)) for side in pool_pairs.new_sides(comparison)}
    origins = pool_pairs.by_origin(comparison)
    for side in pool_pairs.old_sides(comparison):
        cluster = comparison.moves.new_name("clusters", side.home.name)
        if side.pool.name in kept or comparison.new.cluster(cluster) is None:
            continue
        last = (cluster, pool_pairs.flavor_of(side)) not in flavors
        rest = "no node of its flavor remains" if last else "others of its flavor remain"
        risk = Risk.DESTRUCTIVE if last else Risk.DISRUPTIVE
        if side.seen is not None and side.nodes == 0:
            risk, rest = Risk.LOW, "none of its nodes is there any more"
        effect = Effect(
            fact="pool/removed",
            risk=risk,
            cluster=cluster,
            subject=f"pool {side.pool.name}",
            summary=f"pool {side.pool.name} leaves: {side.text} lose their agents, {rest}",
            objects=tuple(origins.get(side.pool.path, ())),
            causes=pool_pairs.caused(comparison, side.pool.path),
            teams=pool_pairs.teams_on(side) if risk is not Risk.LOW else (),
            nodes=side.nodes,
            cards=side.cards,
        )
        yield from pool_pairs.with_handovers(effect, *([side] if risk is not Risk.LOW else []))


def _made(comparison: Comparison) -> Iterator[Effect]:
    before = {side.pool.name for side in pool_pairs.old_sides(comparison)}
    origins = pool_pairs.by_origin(comparison)
    for side in pool_pairs.new_sides(comparison):
        pool = side.pool
        known = comparison.old.cluster(comparison.moves.old_name("clusters", side.home.name))
        if comparison.moves.old_name("nodePools", pool.name) not in before and known is not None:
            yield Effect(
                fact="pool/added",
                risk=Risk.NONE,
                cluster=side.home.name,
                subject=f"pool {pool.name}",
                summary=f"pool {pool.name} joins tier {pool.tier.name}: {side.text}",
                objects=tuple(origins.get(pool.path, ())),
                causes=pool_pairs.caused(comparison, pool.path),
                nodes=side.nodes,
                cards=side.cards,
            )


def _nodes(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    old, new = pair.old.pool, pair.new.pool
    if pair.moved or old.nodes == new.nodes or not (old.counted and new.counted):
        return
    change = abs(new.nodes - old.nodes)
    cards = change * old.cards_per_node
    seen = pair.old.seen
    grows = new.nodes > old.nodes
    odd = seen is not None and ((seen.present < new.nodes) if grows else (seen.present <= new.nodes))
    found = f"; the cluster has {counted(seen.present, 'node')} of it now" if seen is not None and odd else ""
    verb = ("join" if change > 1 else "joins") if grows else ("leave" if change > 1 else "leaves")
    usual = Risk.NONE if grows else Risk.DISRUPTIVE
    effect = replace(
        pair.effect(
            "pool/grown" if grows else "pool/shrunk",
            Risk.LOW if odd else usual,
            f"{nodes_text(change, cards)} {verb} ({old.nodes} → {new.nodes} nodes){found}",
            causes=pool_pairs.caused_by(comparison, pair, "nodes"),
        ),
        nodes=change,
        cards=cards,
    )
    yield from pool_pairs.with_handovers(effect, *([pair.old] if effect.teams else []))


def _renamed(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    if pair.old.pool.name != pair.new.pool.name:
        yield pair.effect(
            "pool/renamed",
            Risk.DISRUPTIVE if _both_find(pair) else Risk.LOW,
            f"it was pool {pair.old.pool.name}: agents of the new name start on {pair.text}, those of the old one leave last",
            causes=pool_pairs.caused(comparison, ("moved",), pair.old.pool.path, pair.new.pool.path),
            objects=pair.objects(),
        )


def _both_find(pair: PoolPair) -> bool:
    """Tell whether agents of both names find the nodes, by labels that stay, until the old ones are pruned."""
    pools = (pair.old.pool, pair.new.pool)
    return all(pool.stack == "manual" and pool.selection.by is SelectedBy.LABELS for pool in pools)


def _driver_stated(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    """Tell of a driver that others install; what the operator does about its own is told by `drivers`."""
    old, new = pair.old.pool, pair.new.pool
    others_install = new.stack != "operator" or new.driver.preinstalled
    if new.card.vendor is Vendor.NVIDIA and others_install and old.driver.branch != new.driver.branch:
        yield pair.effect(
            "driver/stated",
            Risk.LOW,
            f"driver branch {old.driver.branch} → {new.driver.branch} is stated; whoever makes {pair.text} has to bring it",
            causes=pool_pairs.caused_by(comparison, pair, "driver"),
        )


def _cluster(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    if not pair.moved:
        return
    before, after = pair.old.home.name, pair.new.home.name
    effect = replace(
        pair.effect(
            "pool/cluster-changed",
            Risk.DISRUPTIVE,
            f"{pair.old.text} leave cluster {before} for {after}; what runs there ends when they are drained",
            causes=pool_pairs.caused_by(comparison, pair, "cluster"),
            objects=pair.objects(),
        ),
        cluster=comparison.moves.new_name("clusters", before),
        nodes=pair.old.nodes,
        cards=pair.old.cards,
    )
    yield from pool_pairs.with_handovers(effect, pair.old)


def _cards_per_node(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    old, new = pair.old.pool.cards_per_node, pair.new.pool.cards_per_node
    if old != new and old and new:
        told = "a card too many is told to nobody" if new < old else "alerts say that cards are missing"
        yield pair.effect(
            "pool/cards-per-node",
            Risk.LOW,
            f"{old} → {new} cards on each of {nodes_text(pair.nodes)}; until the hardware is so, {told}",
            causes=pool_pairs.caused_by(comparison, pair, "cardsPerNode"),
        )


def _card(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    old, new = pair.old.pool.card.name, pair.new.pool.card.name
    if old != new:
        effect = pair.effect(
            "pool/card-changed",
            Risk.DISRUPTIVE,
            f"{pair.text} of {old} give way to {new}; nodes with the old card serve no queue",
            causes=pool_pairs.caused_by(comparison, pair, "card", "tier"),
        )
        yield from pool_pairs.with_handovers(effect, pair.old)


def _tier(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    """Yield that a pool's nodes belong to another flavor, beside which what runs there is not counted."""
    before, after = pair.old.pool.tier.name, pair.new.pool.tier.name
    if pair.moved or comparison.moves.new_name("cardTiers", before) == after:
        return
    lose = tuple(team for team in pair.teams if team not in pool_pairs.teams_on(pair.new))
    twice = bool(pair.teams and pool_pairs.teams_on(pair.new)) and not _emptied(pair)
    stays = "" if _emptied(pair) else "; what runs there stays until it ends"
    stays += (
        f" and does not count against the new flavor, so that {counted(pair.cards, 'card')} may be given out twice"
        if twice
        else ""
    )
    told = f"; {listed(lose)} can start nothing there any more" if lose else ""
    yield replace(
        pair.effect(
            "pool/tier-changed",
            Risk.DISRUPTIVE if twice else Risk.LOW,
            f"{pair.text} go from tier {before} to {after}{stays}{told}",
            causes=pool_pairs.caused_by(comparison, pair, "tier"),
        ),
        teams=tuple(sorted({*lose, *(pool_pairs.teams_on(pair.new) if twice else ())})),
    )


def _emptied(pair: PoolPair) -> bool:
    """Tell whether nothing of what runs on a pool's nodes stays: its nodes or cards are replaced."""
    selection, cards = pair.new.pool.selection, [side.pool.card.name for side in (pair.old, pair.new)]
    return cards[0] != cards[1] or (selection.by is SelectedBy.PROVISIONER and selection.provisioner == REPLACING)


JUDGES: tuple[Callable[[Comparison, PoolPair], Iterator[Effect]], ...] = (
    _cluster,
    _card,
    _nodes,
    _tier,
    _cards_per_node,
    _renamed,
    _driver_stated,
)
"""What is looked for in a pool that both sides have."""
