"""Cards that are cut or shared anew, and flavors that are replaced: the queues must be empty of them in between.

A change of what a pool's nodes offer destroys what runs there; a flavor with a Topology never changes, so another takes
over under a new revision. Work that holds the old one does not count against the new one's quota, and Kueue would admit
more than there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuplan.model.flavors import Flavor
from gpuplan.model.fleet import Cluster
from gpuplan.model.lifecycle import REPLACING
from gpuplan.model.pools import CardTier, NodePool, shared_alike
from gpuplan.model.sharing import SharingMode
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.parts import Action, Edit, Effect, ObjectChange, Rollout, Step
from gpuplan.plan.rollout.holding import (
    cordon,
    empty,
    flavors_of,
    hold,
    merge,
    queues_on,
    relabel,
    release,
    synced,
    uncordon,
)

BY_RUNBOOK = (SharingMode.MIG, SharingMode.PARTITION)
"""Ways to cut for which gpuplan renders a runbook, node by node."""


def layout(comparison: Comparison, _effects: Sequence[Effect]) -> Iterator[Rollout]:
    """Yield a rollout for each pool whose cards are cut or shared in another way, and each flavor that is replaced."""
    done: set[tuple[str, str]] = set()
    for before, after in comparison.clusters():
        for old, new in _recut(before, after, comparison):
            done |= {(after.name, flavor.name) for flavor in flavors_of(before, [old])}
            yield _cut_anew(before, old, new)
        for old, new in _regrouped(before, after, comparison):
            yield _other_tier(before, old, new)
    for cluster, flavors, reason, edits in _replaced(comparison):
        left = [name for name in flavors if (cluster.name, name) not in done]
        if left:
            yield _other_flavor(cluster, left, reason, edits)


def _recut(before: Cluster, after: Cluster, comparison: Comparison) -> Iterator[tuple[NodePool, NodePool]]:
    pools = {pool.name: pool for pool in after.pools}
    for old in before.pools:
        new = pools.get(comparison.moves.new_name("nodePools", old.name))
        if new is not None and not (shared_alike(old, new) and (old.exposure, old.card) == (new.exposure, new.card)):
            yield old, new


def _cut_anew(before: Cluster, old: NodePool, new: NodePool) -> Rollout:
    flavors = [flavor.name for flavor in flavors_of(before, [old])]
    queues = queues_on(before, flavors)
    steps = [hold(queues, "They would fill the nodes again."), empty(queues, flavors)] if queues else []
    if new.sharing.mode in BY_RUNBOOK:
        runbook = f"rendered/runbooks/{before.name}/"
        steps.append(
            Step(
                title=f"Follow the runbook of pool `{new.name}`",
                until=f"its step `Merge the change` is reached: the runbook is in `{runbook}` of this change",
                why="Instances are destroyed by the cut, and nothing of ours drains a node for it.",
            )
        )
        steps.append(merge(f"every node of `{new.name}` went through the runbook and lists what it offers now"))
    else:
        steps.append(cordon(old, old.nodes, "What runs there holds cards as they are offered now."))
        steps += _by_hand(new)
        steps += relabel(before, old, new)
        steps.append(merge(f"{synced(before.name)}, and the nodes list what they offer now as allocatable"))
        steps.append(uncordon(new))
    return Rollout(
        kind="recut",
        cluster=before.name,
        subject=f"pool {old.name}",
        reason=f"{_cards(old)} are cut or shared anew under what runs on them, and its names for them may be gone.",
        steps=(*steps, *([release(queues)] if queues else [])),
    )


def _cards(pool: NodePool) -> str:
    """Return a pool's cards in words."""
    return f"{pool.nodes * pool.cards_per_node} cards on {pool.nodes} nodes" if pool.counted else "All its cards"


def _regrouped(before: Cluster, after: Cluster, comparison: Comparison) -> Iterator[tuple[NodePool, NodePool]]:
    """Yield the pools that leave a flavor which others keep. Where none is left behind, the flavor as a whole is emptied;
    Karpenter empties the nodes by itself, since it replaces them.
    """
    recut = {old.name for old, _ in _recut(before, after, comparison)}
    pools = {comparison.moves.old_name("nodePools", pool.name): pool for pool in after.pools}
    kept = {flavor.name for flavor in after.flavors}
    for flavor in before.flavors:
        for old in flavor.pools if flavor.name in kept else ():
            new = pools.get(old.name)
            if new is None or old.name in recut or new.selection.provisioner == REPLACING:
                continue
            if comparison.moves.new_name("cardTiers", old.tier.name) != new.tier.name:
                yield old, new


def _other_tier(before: Cluster, old: NodePool, new: NodePool) -> Rollout:
    return Rollout(
        kind="tier",
        cluster=before.name,
        subject=f"pool {old.name}",
        reason=f"What runs on nodes that go from tier {old.tier.name} to {new.tier.name} does not count against the new flavor.",
        steps=(
            cordon(old, old.nodes, "The queues of the new tier would be given cards that are in use."),
            *relabel(before, old, new),
            merge(f"{synced(before.name)}, and the nodes carry the labels of the new tier"),
            uncordon(new),
        ),
    )


def _by_hand(new: NodePool) -> Iterator[Step]:
    """Yield what people cut: nothing of ours cuts NPUs."""
    if new.sharing.mode is SharingMode.VNPU:
        yield Step(
            title=f"Cut the NPUs of pool `{new.name}` anew, by `npu-smi set -t create-vnpu`",
            until=f"`npu-smi info -t info-vnpu` shows {new.sharing.label} on each of its cards",
        )


Replaced = tuple[Cluster, list[str], str, tuple[Edit, ...]]


def _replaced(comparison: Comparison) -> Iterator[Replaced]:
    """Yield the flavors of each cluster that end while their tier or nodes go on, or that had to change what never does.

    The change is merged once, so each says all revisions.
    """
    stuck_in = {after.name: _stuck(comparison, before, after) for before, after in comparison.clusters()}
    edits = tuple(dict.fromkeys(_revision(flavor.tier) for some in stuck_in.values() for flavor in some))
    for before, after in comparison.clusters():
        names = {flavor.name for flavor in after.flavors}
        tiers = {(flavor.tier.name, flavor.card.name) for flavor in after.flavors}
        stay = {comparison.moves.old_name("nodePools", pool.name) for pool in after.pools}
        gone = [
            flavor.name
            for flavor in before.flavors
            if flavor.name not in names
            and (
                (comparison.moves.new_name("cardTiers", flavor.tier.name), flavor.card.name) in tiers
                or not stay.isdisjoint(pool.name for pool in flavor.pools)
            )
        ]
        if gone:
            yield before, gone, "Another flavor takes over at once, while work still holds the old one.", ()
        stuck = stuck_in[after.name]
        if stuck:
            yield before, [flavor.name for flavor in stuck], "A flavor with a Topology can never change.", edits


def _stuck(comparison: Comparison, before: Cluster, after: Cluster) -> list[Flavor]:
    """Return the flavors that are to change, or whose topology is, although they never do."""
    fixed = {change.ref.key.name for change in _immutable(comparison, after.name)}
    return [flavor for flavor in before.flavors if {flavor.name, flavor.topology} & fixed]


def _immutable(comparison: Comparison, cluster: str) -> Iterator[ObjectChange]:
    for change in comparison.of_kind("ResourceFlavor", "Topology", action=Action.REPLACE):
        if change.ref.cluster == cluster and change.was is None:
            yield change


def _revision(tier: CardTier) -> Edit:
    return Edit(path=(*tier.path, "revision"), value=tier.revision + 1)


def _other_flavor(cluster: Cluster, flavors: Sequence[str], reason: str, edits: tuple[Edit, ...]) -> Rollout:
    queues = queues_on(cluster, flavors)
    over = Step(
        title="Merge this change" + (", with a new revision" if edits else ""),
        edits=edits,
        merges=True,
        until=f"{synced(cluster.name)}, and a person has confirmed that the old flavors go",
    )
    emptied = (
        hold(queues, "Work that holds the old flavor does not count against the new one."),
        empty(queues, flavors),
    )
    return Rollout(
        kind="flavor",
        cluster=cluster.name,
        subject=f"flavor {', '.join(flavors)}",
        reason=reason,
        steps=(*(emptied if queues else ()), over, *((release(queues),) if queues else ())),
    )
