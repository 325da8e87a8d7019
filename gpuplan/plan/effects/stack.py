"""Pools that go from one stack to another: who offers their cards meanwhile, and what runs on although nobody wants it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.model.fleet import Cluster
from gpuplan.model.pools import NodePool
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs
from gpuplan.plan.effects.pool_pairs import PoolPair
from gpuplan.plan.parts import Effect, Risk

FACTS: Mapping[str, str] = {
    "external": "stack/to-others",
    "manual": "stack/to-manual",
    "operator": "stack/to-operator",
}
"""Fact by the stack that a pool goes to."""
BY_OTHERS = "external"


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what it does that a pool's agents are run by another stack."""
    for pair in pool_pairs.staying(comparison):
        if pair.old.pool.stack != pair.new.pool.stack:
            yield from _moved(comparison, pair)
    for before, after in comparison.clusters():
        yield from _operator_stays(comparison, before, after)


def _moved(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    effect = pair.effect(
        FACTS[pair.new.pool.stack],
        Risk.DISRUPTIVE,
        f"{pair.old.pool.stack} → {pair.new.pool.stack} on {pair.text}: {_meanwhile(pair)}",
        causes=pool_pairs.caused_by(comparison, pair, "stack")
        or pool_pairs.caused(comparison, (*pair.new.home.path, "stack")),
        objects=pair.objects(),
    )
    yield from pool_pairs.with_handovers(effect, pair.old)


def _meanwhile(pair: PoolPair) -> str:
    """Say what holds until the old agents are gone and the new ones are there."""
    if pair.new.pool.stack == BY_OTHERS:
        return "our agents go, and no card is offered until those of others are there"
    if pair.old.pool.stack == BY_OTHERS:
        return "agents come: where those of others are still there, two device plugins offer each card until those are gone"
    driver = ""
    if _installs_driver(pair.new.pool) and not _installs_driver(pair.old.pool):
        driver = "; the operator installs its driver on nodes that have one"
    elif _installs_driver(pair.old.pool) and not _installs_driver(pair.new.pool):
        driver = "; the operator takes its driver away, and the nodes need one of their own"
    return f"two device plugins offer each card until the old agents are pruned, at the end of the sync{driver}"


def _installs_driver(pool: NodePool) -> bool:
    return pool.stack == "operator" and not pool.driver.preinstalled


def _operator_stays(comparison: Comparison, before: Cluster, after: Cluster) -> Iterator[Effect]:
    """Yield an effect where nothing keeps the GPU Operator off any more, which then serves every node with an NVIDIA card."""
    left = [pool for pool in after.pools if pool.card.vendor is Vendor.NVIDIA]
    if not before.has_operator or after.keeps_operator_off or not left:
        return
    application = conventions.gpu_operator_application_name(before.name)
    gone = tuple(change.ref for change in comparison.of_kind("Application") if change.ref.key.name == application)
    names = {pool.name for pool in left}
    served = [side for side in pool_pairs.new_sides(comparison) if side.pool.name in names]
    nodes, cards = pool_pairs.size(served)
    yield Effect(
        fact="stack/operator-stays",
        risk=Risk.DISRUPTIVE,
        cluster=after.name,
        subject="GPU Operator",
        summary=f"GPU Operator: no pool is on it any more, yet it runs on and serves {pool_pairs.nodes_text(nodes, cards)} "
        "beside the other stack until a person takes it away",
        objects=gone,
        causes=pool_pairs.caused(comparison, after.path, *(pool.path for pool in before.operator_pools)),
        teams=pool_pairs.teams_on(*served),
        nodes=nodes,
        cards=cards,
    )
