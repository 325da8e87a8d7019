"""How a pool's cards are exposed: other resource names, other shares, cards that are cut anew, another program that offers them.

That the agents restart is told by `agents`; what happens to flavors and queues by the topics of the queues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gpuplan.catalog.cards import Vendor
from gpuplan.model.lifecycle import setter
from gpuplan.model.pools import Exposure, NodePool, produced_resources, shared_alike
from gpuplan.model.sharing import MigStrategy, SharingMode
from gpuplan.model.steps import Setter
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs
from gpuplan.plan.effects.pool_pairs import PoolPair, Side
from gpuplan.plan.effects.reading import listed
from gpuplan.plan.parts import Effect, Risk, SpecChange

KEYS = ("sharing", "exposure", "card", "cardsPerNode")
"""Keys of a pool that say how its cards are exposed."""
Judge = Callable[[Comparison, PoolPair], Iterator[Effect]]


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what other ways to expose cards do to pools that stay in their cluster."""
    for pair in pool_pairs.staying(comparison):
        if _exposed(pair.old.pool) != _exposed(pair.new.pool):
            for judge in JUDGES:
                yield from judge(comparison, pair)


def _exposed(pool: NodePool) -> object:
    """Return all that says how a pool's cards are exposed."""
    return pool.sharing, pool.exposure, produced_resources(pool)


def _names(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    """Yield an effect where a name goes. Work that asks for it is stuck unless another pool of the tier offers it, too."""
    was, will = _offered(pair.old.pool), _offered(pair.new.pool)
    gone = sorted(was.keys() - will.keys())
    if not gone:
        return
    elsewhere = {
        name
        for pool in pair.new.home.pools
        if pool.tier.name == pair.new.pool.tier.name and pool.name != pair.new.pool.name
        for name in _offered(pool)
    }
    stuck = [name for name in gone if name not in elsewhere]
    told = "can never run again" if stuck else "runs on other pools of its tier alone"
    instead = f"{listed(sorted(will))} instead of {listed(sorted(was))}"
    yield pair.effect(
        "sharing/renamed",
        Risk.DESTRUCTIVE if stuck else Risk.LOW,
        f"{pair.text} offer {instead}; work that asks for {listed(stuck or gone)} {told}",
        causes=_causes(comparison, pair),
    )


def _pieces(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    """Yield an effect where a name stays and there are more or fewer of it, or each is another part of a card."""
    was, will = _units(pair.old.pool), _units(pair.new.pool)
    changed = [name for name in sorted(was.keys() & will.keys()) if was[name] != will[name]]
    if changed and pair.old.pool.cards_per_node == pair.new.pool.cards_per_node:
        told = listed(
            f"{name}: {was[name][0]} → {will[name][0]} a node ({was[name][1]} → {will[name][1]})" for name in changed
        )
        yield pair.effect(
            "sharing/pieces",
            Risk.LOW,
            f"{told}; what runs keeps what it holds",
            causes=_causes(comparison, pair),
        )


def _counted_anew(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    """Yield an effect where the same cards become other devices to the kubelet, which then knows of nobody who holds them."""
    old, new = pair.old.pool, pair.new.pool
    if not (_by_plugin(old) and _by_plugin(new)) or _devices(old) == _devices(new):
        return
    what = "a card" if new.sharing.mode is SharingMode.EXCLUSIVE else "shares of a card"
    held = "hold shares of it" if old.sharing.shared else "hold it whole"
    effect = pair.effect(
        "sharing/counted-anew",
        Risk.DISRUPTIVE,
        f"{what} of {pair.text} can be given away while pods still {held}: drain each node before",
        causes=_causes(comparison, pair),
    )
    yield from pool_pairs.with_handovers(effect, pair.old)


def _devices(pool: NodePool) -> object:
    """Return what the kubelet knows the devices of a pool by: their resource, and whether they are cards or shares."""
    return sorted(_offered(pool)), pool.sharing.shared


def _cut(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    old, new = pair.old.pool.sharing, pair.new.pool.sharing
    learnt = not (pair.old.pool.cards_per_node and pair.new.pool.cards_per_node) and shared_alike(
        pair.old.pool, pair.new.pool
    )
    if SharingMode.MIG not in (old.mode, new.mode) or old.groups == new.groups or learnt:
        return
    text = f"runbooks/{pair.cluster}/mig-{pair.new.pool.name}.md says how"
    how = text if new.mode is SharingMode.MIG else f"then {_switches_off(pair.new)}"
    when = {
        Setter.NFD: "NFD labels all nodes at once",
        Setter.PROVISIONER: f"{pair.new.pool.selection.provisioner} labels the nodes",
    }.get(setter(pair.new.pool), "")
    effect = pair.effect(
        "sharing/mig-recut",
        Risk.DISRUPTIVE,
        f"the cards of {pair.text} are cut anew ({old.label} → {new.label}): each node has to be empty "
        f"before{f', and {when}' if when else ''}; {how}",
        causes=_causes(comparison, pair),
    )
    yield from pool_pairs.with_handovers(effect, pair.old)


def _switches_off(side: Side) -> str:
    """Say who ends MIG on cards that are whole from now on: the operator's MIG manager, where other pools keep it there."""
    cut = any(pool.sharing.mode is SharingMode.MIG for pool in side.home.operator_pools)
    by_manager = cut and side.pool.stack == "operator"
    return "the MIG manager switches MIG off" if by_manager else "a person switches MIG off on its cards"


def _strategy(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    old, new = pair.old.pool.sharing.strategy, pair.new.pool.sharing.strategy
    if old is new or MigStrategy.NONE in (old, new) or pair.old.pool.sharing.groups != pair.new.pool.sharing.groups:
        return
    yield pair.effect(
        "sharing/mig-strategy",
        Risk.LOW,
        f"MIG strategy {old.value} → {new.value}: the instances stay as they are cut, on {pair.text} the device plugin names "
        "them anew",
        causes=_causes(comparison, pair),
    )


def _by_others(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    """Yield an effect where another program has to offer the cards, or to cut them."""
    old, new = pair.old.pool, pair.new.pool
    for mode, fact, told in OTHERS:
        if mode not in (old.sharing.mode, new.sharing.mode):
            continue
        if old.sharing.mode is new.sharing.mode and _cut_alike(old, new):
            continue
        effect = pair.effect(
            fact,
            Risk.DISRUPTIVE,
            f"{old.sharing.label} → {new.sharing.label} on {pair.text}: {told}",
            causes=_causes(comparison, pair),
        )
        yield from pool_pairs.with_handovers(effect, pair.old)


def _cut_alike(old: NodePool, new: NodePool) -> bool:
    return (old.sharing.config, old.sharing.pieces) == (new.sharing.config, new.sharing.pieces)


def _claims(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    old, new = pair.old.pool.exposure, pair.new.pool.exposure
    if old is new:
        return
    to_claims = new is Exposure.DRA
    told = (
        "pods claim devices, and nodes list no card any more"
        if to_claims
        else "pods ask for a count, and claims find no device"
    )
    effect = pair.effect(
        "sharing/claims",
        Risk.DISRUPTIVE,
        f"{told}; device plugin and DRA driver must never serve a node together: drain {pair.text} before",
        causes=_causes(comparison, pair),
    )
    yield from pool_pairs.with_handovers(effect, pair.old)


def _causes(comparison: Comparison, pair: PoolPair) -> tuple[SpecChange, ...]:
    return pool_pairs.caused_by(comparison, pair, *KEYS)


def _offered(pool: NodePool) -> dict[str, int]:
    """Return what a node of a pool offers, by resource."""
    return {made.resource: made.per_node for made in produced_resources(pool)}


def _units(pool: NodePool) -> dict[str, tuple[int, str]]:
    """Return (pieces of a node, what one is) by resource."""
    return {made.resource: (made.per_node, made.unit.part) for made in produced_resources(pool)}


def _by_plugin(pool: NodePool) -> bool:
    """Tell whether NVIDIA's device plugin offers a pool's cards, whole or in shares."""
    alike = pool.sharing.mode is SharingMode.EXCLUSIVE or pool.sharing.shared
    return pool.card.vendor is Vendor.NVIDIA and pool.exposure is Exposure.DEVICE_PLUGIN and alike


OTHERS: tuple[tuple[SharingMode, str, str], ...] = (
    (
        SharingMode.HAMI,
        "sharing/hami",
        "HAMi and NVIDIA's device plugin must never serve a node together: drain each node, and bring the chart's values to HAMi",
    ),
    (
        SharingMode.MPS,
        "sharing/mps",
        "MPS takes the cards for itself, and what runs on them without it is in its way: each node has to be empty before",
    ),
    (
        SharingMode.PARTITION,
        "sharing/partition",
        "the cards are partitioned anew node by node, each has to be empty before; the partition runbook says how",
    ),
    (
        SharingMode.VNPU,
        "sharing/vnpu",
        "a person cuts the NPUs by npu-smi, each node has to be empty before, and MindCluster's device plugin starts anew",
    ),
)
"""(way of sharing, fact, what it takes to get there or away)."""

JUDGES: tuple[Judge, ...] = (_names, _cut, _strategy, _by_others, _claims, _counted_anew, _pieces)
"""What is looked for in a pool whose cards are exposed in another way."""
