"""The GPU Operator's ClusterPolicy: which of its agents restart. It is an object, or the values of the operator's chart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gpuplan import conventions
from gpuplan.model.fleet import Cluster
from gpuplan.model.sharing import SharingMode
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs, reading
from gpuplan.plan.effects.pool_pairs import Side, nodes_text
from gpuplan.plan.effects.reading import Object, listed, spec
from gpuplan.plan.parts import Action, Effect, ObjectChange, Risk

KIND, APPLICATION = "ClusterPolicy", "Application"
ALL = "all its agents"
AGENTS: Mapping[str, str] = {
    "cdi": ALL,
    "daemonsets": ALL,
    "dcgmExporter": "DCGM exporter",
    "devicePlugin": "device plugin",
    "gfd": "GPU Feature Discovery",
    "hostPaths": ALL,
    "mig": "device plugin and GPU Feature Discovery",
    "migManager": "MIG manager",
    "toolkit": "container toolkit",
}
"""A part of the policy → what restarts. What is not here restarts nothing on nodes."""
RUNTIME = ("toolkit", "cdi", "hostPaths")
"""Parts by which the container runtime of a node is set up anew."""


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what other settings of the operator do in clusters that keep it."""
    for change in comparison.of_kind(KIND, APPLICATION):
        cluster = _cluster(comparison, change)
        if cluster is None:
            continue
        if change.action is Action.UPDATE:
            yield from _rolls(comparison, change, cluster)
        elif change.ref.key.kind == KIND and _installation(comparison, cluster) is not None:
            yield _changes_hands(comparison, change, cluster)
        elif change.ref.key.kind == KIND and change.action is Action.DELETE:
            yield _gone(comparison, change, cluster)


def _installation(comparison: Comparison, cluster: Cluster) -> ObjectChange | None:
    """Return how the operator's Application of a cluster comes or goes; None where it does neither."""
    name = conventions.gpu_operator_application_name(cluster.name)
    changes = (change for change in comparison.of_kind(APPLICATION) if change.ref.key.name == name)
    return next((change for change in changes if change.action in (Action.CREATE, Action.DELETE)), None)


def _changes_hands(comparison: Comparison, change: ObjectChange, cluster: Cluster) -> Effect:
    """Return what happens where the policy goes over from the chart to the cluster's own Application, or back."""
    own, chart = conventions.application_name(cluster.name), conventions.gpu_operator_application_name(cluster.name)
    old, new = (chart, own) if change.action is Action.CREATE else (own, chart)
    nodes, cards = pool_pairs.size(_served(pool_pairs.new_sides(comparison), cluster))
    return Effect(
        fact="operator/policy-changes-hands",
        risk=Risk.DISRUPTIVE,
        cluster=cluster.name,
        subject="GPU Operator",
        summary=f"GPU Operator: every sync of Application {new} fails as long as the ClusterPolicy bears the name of {old}",
        objects=(change.ref,),
        causes=change.causes,
        nodes=nodes,
        cards=cards,
    )


def _cluster(comparison: Comparison, change: ObjectChange) -> Cluster | None:
    """Return the cluster whose policy an object holds; None for other objects, and where there is no spec."""
    for _, cluster in comparison.clusters():
        if change.ref.key.kind == KIND and reading.new_cluster(comparison, change) == cluster.name:
            return cluster
        if change.ref.key.name == conventions.gpu_operator_application_name(cluster.name):
            return cluster
    return None


def _policy(made: Mapping[str, object] | None) -> Object:
    """Return the policy that an object holds."""
    whole = spec(made)
    if (made or {}).get("kind") == KIND:
        return whole
    values: Object = whole.get("source", {}).get("helm", {}).get("valuesObject", {})
    return values


def _rolls(comparison: Comparison, change: ObjectChange, cluster: Cluster) -> Iterator[Effect]:
    old, new = _policy(change.before), _policy(change.after)
    parts = [key for key in sorted({*old, *new}) if key in AGENTS and old.get(key) != new.get(key)]
    if not parts or not cluster.operator_pools:
        return
    agents = listed(dict.fromkeys(AGENTS[part] for part in parts))
    served = _served(pool_pairs.new_sides(comparison), cluster)
    nodes, cards = pool_pairs.size(served)
    runtime = any(part in RUNTIME for part in parts)
    shared = [side for side in served if side.pool.sharing.mode is SharingMode.MPS]
    kills = bool(shared) and any(AGENTS[part] == ALL or "device plugin" in AGENTS[part] for part in parts)
    after = "; the container runtime is set up anew there, running containers stay" if runtime else ""
    killed = ", and every process ends that shares a card by MPS" if kills else ""
    effect = Effect(
        fact="operator/mps-rolls" if kills else "operator/runtime" if runtime else "operator/agents-roll",
        risk=Risk.DISRUPTIVE if kills else Risk.LOW,
        cluster=cluster.name,
        subject="GPU Operator",
        summary=f"GPU Operator: {agents} restart on {nodes_text(nodes, cards)}, one node at a time{killed} "
        f"({listed(parts)} of its ClusterPolicy change){after}",
        objects=(change.ref,),
        causes=change.causes,
        teams=pool_pairs.teams_on(*shared) if kills else (),
        nodes=nodes,
        cards=cards,
    )
    yield from pool_pairs.with_handovers(effect, *(shared if kills else ()))


def _gone(comparison: Comparison, change: ObjectChange, cluster: Cluster) -> Effect:
    before = comparison.old.cluster(comparison.moves.old_name("clusters", cluster.name)) or cluster
    served = _served(pool_pairs.old_sides(comparison), before)
    nodes, cards = pool_pairs.size(served)
    return Effect(
        fact="operator/policy-gone",
        risk=Risk.DISRUPTIVE,
        cluster=cluster.name,
        subject="GPU Operator",
        summary=f"GPU Operator: its ClusterPolicy goes once a person confirms, and its agents leave {nodes_text(nodes, cards)}",
        objects=(change.ref,),
        causes=change.causes,
        teams=pool_pairs.teams_on(*served),
        nodes=nodes,
        cards=cards,
    )


def _served(sides: Iterable[Side], cluster: Cluster) -> list[Side]:
    """Return the pools that the operator serves in a cluster."""
    names = {pool.name for pool in cluster.operator_pools}
    return [side for side in sides if side.pool.name in names]
