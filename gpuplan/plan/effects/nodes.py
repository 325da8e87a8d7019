"""Labels of nodes: who sets them, when nodes that are there get them, and what matches no node until then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuplan.model.labels import CHANGE_WITH_SHARING, all_labels
from gpuplan.model.lifecycle import FOR_NEW_NODES, REPLACING
from gpuplan.model.pools import NodePool, SelectedBy, node_labels
from gpuplan.model.sharing import SharingMode
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs
from gpuplan.plan.effects.pool_pairs import PoolPair
from gpuplan.plan.effects.reading import listed
from gpuplan.plan.parts import Effect, Risk

RULE = "NodeFeatureRule"
HAVE_RUNBOOKS = (SharingMode.MIG, SharingMode.PARTITION)
"""Ways to cut cards by which a runbook labels one emptied node after another."""
KEYS = ("selectedBy", "sharing", "tier", "card", "taints", "stack")
"""Keys of a pool that its nodes' labels and taints follow from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a provisioner brings other labels and taints to nodes."""

    fact: str
    risk: Risk
    does: str
    """What it does with the nodes that are there, as the end of a sentence."""
    where: str
    """What it reads them from."""


WAYS: Mapping[str, Way] = {
    "capi": Way(
        fact="nodes/capi-in-place",
        risk=Risk.LOW,
        does="are changed in place by Cluster API, if it is told to sync labels of this domain and to carry taints on",
        where="MachineDeployment",
    ),
    "eks": Way(fact="nodes/eks-in-place", risk=Risk.LOW, does="are changed in place by EKS", where="node group"),
    "gke": Way(fact="nodes/gke-in-place", risk=Risk.LOW, does="are changed in place by GKE", where="node pool"),
    REPLACING: Way(
        fact="nodes/karpenter-replaces", risk=Risk.DISRUPTIVE, does="are replaced by Karpenter", where="NodePool"
    ),
    FOR_NEW_NODES: Way(
        fact="nodes/registration-only",
        risk=Risk.LOW,
        does="keep what they were registered with, only new nodes get it",
        where="kubelet settings",
    ),
    "talos": Way(
        fact="nodes/talos-in-place", risk=Risk.LOW, does="are changed in place by Talos", where="machine configuration"
    ),
}
"""What each provisioner does once a person has brought it the snippet."""


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what other labels and taints do to the nodes of pools that stay in their cluster."""
    for pair in pool_pairs.staying(comparison):
        yield from _unmatched(comparison, pair)
        yield from _by_provisioner(comparison, pair)
        yield from _by_nfd(comparison, pair)
    yield from _rules_gone(comparison)


def _unmatched(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    """Yield an effect where the nodes that are there lack a label by which flavor or agents will look for them.

    Whether nodes carry a label that their provider sets is known to nobody here: the spec names it for the first time.
    """
    pool = pair.new.pool
    lacking = _lacking(pair)
    if not lacking or pool.selection.by is SelectedBy.NFD:
        return
    by_tool = pool.selection.by is SelectedBy.PROVISIONER and pool.selection.provisioner != FOR_NEW_NODES
    flavor = pair.new.home.flavor(pool_pairs.flavor_of(pair.new))
    wanted = dict(flavor.node_labels)
    unseen = any(key in wanted for key in lacking)
    who = f"flavor {flavor.name} and its agents match" if unseen else "agents match"
    labels = listed(f"{key}={value}" for key, value in lacking.items())
    told = f"none of {pair.text} until they carry {labels}"
    if pool.selection.by is SelectedBy.LABELS:
        told = f"none of {pair.text} but those that carry {labels}, which nothing here sets"
    yield pair.effect(
        "nodes/labels-first",
        Risk.DESTRUCTIVE if unseen and not by_tool else Risk.DISRUPTIVE,
        f"{who} {told}",
        causes=pool_pairs.caused_by(comparison, pair, *KEYS),
        objects=pair.objects("DaemonSet"),
    )


def _lacking(pair: PoolPair) -> dict[str, str]:
    """Return the selecting labels that nodes do not have yet; those that a runbook sets are none of them."""
    was, will = all_labels(pair.old.home, pair.old.pool), node_labels(pair.new.pool)
    by_runbook = CHANGE_WITH_SHARING if pair.new.pool.sharing.mode in HAVE_RUNBOOKS else ()
    return {key: value for key, value in will.items() if was.get(key) != value and key not in by_runbook}


def _by_provisioner(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    pool = pair.new.pool
    changed = _changed(pair)
    if pool.selection.by is not SelectedBy.PROVISIONER or not changed:
        return
    way = WAYS[pool.selection.provisioner]
    effect = pair.effect(
        way.fact,
        way.risk,
        f"{pair.text} {way.does}, since {changed} of its {way.where} change",
        causes=pool_pairs.caused_by(comparison, pair, *KEYS),
    )
    yield from pool_pairs.with_handovers(effect, *([pair.old] if effect.teams else []))


def _changed(pair: PoolPair) -> str:
    """Return which labels and taints change, in words; empty where none does."""
    old, new = pair.old, pair.new
    was, will = all_labels(old.home, old.pool), all_labels(new.home, new.pool)
    keys = [key for key in sorted({*was, *will}) if was.get(key) != will.get(key)]
    if old.pool.selection.provisioner != new.pool.selection.provisioner:
        keys = keys or sorted(will)
    told = [f"labels ({listed(keys)})"] if keys else []
    return " and ".join([*told, *(["taints"] if old.pool.taints != new.pool.taints else [])])


def _by_nfd(comparison: Comparison, pair: PoolPair) -> Iterator[Effect]:
    old, new = pair.old.pool, pair.new.pool
    if new.selection.by is not SelectedBy.NFD:
        return
    rules = pair.objects(RULE)
    if _matched(old) != _matched(new) and old.selection.by is SelectedBy.NFD:
        yield pair.effect(
            "nodes/nfd-match",
            Risk.LOW,
            "NFD labels other nodes than before; those that its rule no longer matches lose their labels within a minute, and "
            "with them their agents",
            causes=pool_pairs.caused_by(comparison, pair, "selectedBy", "card", "tier"),
            objects=rules,
        )
    was, will = all_labels(pair.old.home, old), all_labels(pair.new.home, new)
    if old.selection.by is not SelectedBy.NFD:  # what others have put there, NFD leaves there
        was = {key: value for key, value in was.items() if key in will}
    changed = [key for key in sorted({*was, *will}) if was.get(key) != will.get(key)]
    if changed:
        yield pair.effect(
            "nodes/nfd-relabels",
            Risk.LOW,
            f"NFD changes {listed(changed)} on {pair.text} within a minute",
            causes=pool_pairs.caused_by(comparison, pair, *KEYS),
            objects=rules,
        )


def _matched(pool: NodePool) -> object:
    """Return what a rule tells the nodes of a pool by."""
    return pool.selection.node_names, pool.card.name


def _rules_gone(comparison: Comparison) -> Iterator[Effect]:
    """Yield what happens to the nodes of each rule that is taken away."""
    for change in comparison.of_kind(RULE):
        after = change.after if change.was is None else None
        if after is not None or change.before is None or _leaves_with_cluster(comparison, change.ref.cluster):
            continue
        name = (change.was or change.ref).key.name
        yield Effect(
            fact="nodes/nfd-rule-gone",
            risk=Risk.LOW,
            cluster=change.ref.cluster,
            subject=f"NodeFeatureRule {name}",
            summary=f"NodeFeatureRule {name} goes, and with it the labels and taints that it has put on nodes",
            objects=(change.ref,),
            causes=change.causes,
        )


def _leaves_with_cluster(comparison: Comparison, cluster: str | None) -> bool:
    """Tell whether nobody takes anything away there, since its Application goes, too."""
    return cluster not in comparison.new.manifests.clusters
