"""Taints of node pools: what they keep away from now on, and what they evict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from gpuplan.model.fleet import Cluster
from gpuplan.model.lifecycle import FOR_NEW_NODES, REPLACING
from gpuplan.model.pools import NodePool, SelectedBy, Taint
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs
from gpuplan.plan.effects.pool_pairs import PoolPair
from gpuplan.plan.effects.reading import listed
from gpuplan.plan.parts import Effect, Risk

EVICTS = "NoExecute"
PROVISIONERS: Mapping[str, str] = {
    "capi": "Cluster API",
    "eks": "EKS",
    "gke": "GKE",
    REPLACING: "Karpenter",
    FOR_NEW_NODES: "the kubelet",
    "talos": "Talos",
}
"""Provisioners in words."""


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what new and removed taints do; a taint with another effect is one that goes and one that comes."""
    for pair in pool_pairs.staying(comparison):
        old, new = set(pair.old.pool.taints), set(pair.new.pool.taints)
        come, go = _sorted(new - old), _sorted(old - new)
        causes = pool_pairs.caused_by(comparison, pair, "taints")
        for effect in (*_coming(pair, come), *_going(pair, go), *_handed_over(pair, _sorted(old & new))):
            made = replace(effect, causes=causes)
            yield from pool_pairs.with_handovers(made, *([pair.old] if made.teams else []))


def _coming(pair: PoolPair, come: list[Taint]) -> Iterator[Effect]:
    setter = _setter(pair.new.home, pair.new.pool)
    evicting = [] if _on_new_nodes(pair.new.pool) else [taint for taint in come if taint.effect == EVICTS]
    others = [taint for taint in come if taint not in evicting]
    if evicting:
        yield pair.effect(
            "taints/evicts",
            Risk.DISRUPTIVE,
            f"taint {_texts(evicting)} evicts at once what does not tolerate it from {pair.text}, also work that was admitted "
            f"before; {setter}",
        )
    if others:
        replaced = pair.new.pool.selection.provisioner == REPLACING
        yield pair.effect(
            "taints/added",
            Risk.LOW,
            f"taint {_texts(others)} keeps new pods that do not tolerate it off {pair.text}; "
            f"{'' if replaced else 'what runs stays; '}{setter}",
        )
    if come and pair.new.pool.stack == "external":
        yield pair.effect(
            "taints/agents-of-others",
            Risk.LOW,
            f"the agents that others run must tolerate {_texts(come)}, or {pair.text} offer no card",
        )


def _on_new_nodes(pool: NodePool) -> bool:
    """Tell whether taints reach nodes only when they join, so that there is nothing on them yet to evict."""
    selection = pool.selection
    return selection.by is SelectedBy.PROVISIONER and selection.provisioner in (REPLACING, FOR_NEW_NODES)


def _going(pair: PoolPair, go: list[Taint]) -> Iterator[Effect]:
    if go:
        open_to = "" if pair.new.pool.taints else ", which then take any pod, also those that ask for no card"
        yield pair.effect(
            "taints/removed",
            Risk.LOW,
            f"taint {_texts(go)} leaves {pair.text}{open_to}; {_setter(pair.new.home, pair.new.pool)}",
        )


def _handed_over(pair: PoolPair, same: list[Taint]) -> Iterator[Effect]:
    """Yield what it does that NFD sets taints from now on, which a person set before, or no longer."""
    by_nfd = [
        side.pool.selection.by is SelectedBy.NFD and side.home.nfd_taints and bool(same)
        for side in (pair.old, pair.new)
    ]
    if by_nfd == [False, True]:
        yield from _coming(pair, same)
    elif by_nfd == [True, False]:
        yield pair.effect(
            "taints/removed",
            Risk.LOW,
            f"NFD takes taint {_texts(same)}, which it has set, off {pair.text}: any pod may go there until a person sets it",
        )


def _setter(home: Cluster, pool: NodePool) -> str:
    """Say who puts taints on the pool's nodes."""
    if pool.selection.by is SelectedBy.NFD and home.nfd_taints:
        return "NFD acts on it"
    if pool.selection.by is SelectedBy.PROVISIONER:
        provisioner = pool.selection.provisioner
        name = PROVISIONERS[provisioner]
        how = {REPLACING: " on the nodes that replace these", FOR_NEW_NODES: " on new nodes alone"}
        return f"{name} acts on it{how.get(provisioner, '')}"
    return "a person does it on the nodes"


def _sorted(taints: Iterable[Taint]) -> list[Taint]:
    return sorted(taints, key=lambda taint: (taint.key, taint.value, taint.effect))


def _texts(taints: list[Taint]) -> str:
    return listed(f"{one.key}{f'={one.value}' if one.value else ''}:{one.effect}" for one in taints)
