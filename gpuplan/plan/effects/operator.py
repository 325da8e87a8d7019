"""The GPU Operator's ClusterPolicy: which of its agents restart. It is an object, or the values of the operator's chart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gpuplan import conventions
from gpuplan.model.sharing import SharingMode
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs, reading
from gpuplan.plan.effects.pool_pairs import Side, nodes_text
from gpuplan.plan.effects.reading import Object, listed, spec
from gpuplan.plan.parts import Action, Effect, ObjectChange, Risk

KIND, APPLICATION = "ClusterPolicy", "Application"
ALL, PLUGIN = "all its agents", "device plugin"
AGENTS: Mapping[str, tuple[str, ...]] = {
    "cdi": (ALL,),
    "daemonsets": (ALL,),
    "dcgmExporter": ("DCGM exporter",),
    "devicePlugin": (PLUGIN,),
    "gfd": ("GPU Feature Discovery",),
    "hostPaths": (ALL,),
    "mig": (PLUGIN, "GPU Feature Discovery"),
    "migManager": ("MIG manager",),
    "toolkit": ("container toolkit",),
}
"""A part of the policy → what restarts. What is not here restarts nothing on nodes."""
RUNTIME = ("toolkit", "cdi", "hostPaths")
"""Parts by which the container runtime of a node is set up anew."""


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what other settings of the operator do in clusters that stay."""
    stay = reading.staying(comparison)
    for change in comparison.of_kind(KIND, APPLICATION):
        cluster = _cluster(comparison, change)
        if cluster not in stay:
            continue
        if change.action is Action.UPDATE:
            yield from _rolls(comparison, change, cluster)
        elif change.ref.key.kind == KIND and _installation(comparison, cluster) is not None:
            yield _changes_hands(comparison, change, cluster)
        elif change.ref.key.kind == KIND and change.action is Action.DELETE:
            yield _gone(comparison, change, cluster)


def _cluster(comparison: Comparison, change: ObjectChange) -> str:
    """Return the cluster whose policy an object holds; empty for other objects."""
    if change.ref.key.kind == KIND:
        return reading.new_cluster(comparison, change)
    prefix = conventions.gpu_operator_application_name("")
    return change.ref.key.name.removeprefix(prefix) if change.ref.key.name.startswith(prefix) else ""


def _installation(comparison: Comparison, cluster: str) -> ObjectChange | None:
    """Return how the operator's Application of a cluster comes or goes; None where it does neither."""
    name = conventions.gpu_operator_application_name(cluster)
    changes = (change for change in comparison.of_kind(APPLICATION) if change.ref.key.name == name)
    return next((change for change in changes if change.action in (Action.CREATE, Action.DELETE)), None)


def _changes_hands(comparison: Comparison, change: ObjectChange, cluster: str) -> Effect:
    """Return what happens where the policy goes over from the chart to the cluster's own Application, or back."""
    own, chart = conventions.application_name(cluster), conventions.gpu_operator_application_name(cluster)
    old, new = (chart, own) if change.action is Action.CREATE else (own, chart)
    nodes, cards = pool_pairs.size(_served(pool_pairs.new_sides(comparison), cluster))
    return Effect(
        fact="operator/policy-changes-hands",
        risk=Risk.DISRUPTIVE,
        cluster=cluster,
        subject="GPU Operator",
        summary=f"GPU Operator: every sync of Application {new} fails as long as the ClusterPolicy bears the name of {old}",
        objects=(change.ref,),
        causes=change.causes,
        nodes=nodes,
        cards=cards,
    )


def _policy(made: Mapping[str, object] | None) -> Object:
    """Return the policy that an object holds."""
    whole = spec(made)
    if (made or {}).get("kind") == KIND:
        return whole
    values: Object = whole.get("source", {}).get("helm", {}).get("valuesObject", {})
    return values


def _rolls(comparison: Comparison, change: ObjectChange, cluster: str) -> Iterator[Effect]:
    old, new = _policy(change.before), _policy(change.after)
    parts = [key for key in sorted({*old, *new}) if key in AGENTS and old.get(key) != new.get(key)]
    if not parts:
        yield from _unfelt(change, cluster, [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)])
        return
    agents = list(dict.fromkeys(agent for part in parts for agent in AGENTS[part]))
    served = _served(pool_pairs.new_sides(comparison), cluster)
    nodes, cards = pool_pairs.size(served)
    runtime = any(part in RUNTIME for part in parts)
    shared = [side for side in served if side.pool.sharing.mode is SharingMode.MPS]
    kills = bool(shared) and (ALL in agents or PLUGIN in agents)
    after = "; the container runtime is set up anew there, running containers stay" if runtime else ""
    verb = "restarts" if len(agents) == 1 and ALL not in agents else "restart"
    killed = ", and every process ends that shares a card by MPS" if kills else ""
    effect = Effect(
        fact="operator/mps-rolls" if kills else "operator/runtime" if runtime else "operator/agents-roll",
        risk=Risk.DISRUPTIVE if kills else Risk.LOW,
        cluster=cluster,
        subject="GPU Operator",
        summary=f"GPU Operator: {listed(agents)} {verb} on {_place(served)}, one node at a time{killed} "
        f"({listed(parts)} of its ClusterPolicy {'changes' if len(parts) == 1 else 'change'}){after}",
        objects=(change.ref,),
        causes=change.causes,
        teams=pool_pairs.teams_on(*shared) if kills else (),
        nodes=nodes,
        cards=cards,
    )
    yield from pool_pairs.with_handovers(effect, *(shared if kills else ()))


def _unfelt(change: ObjectChange, cluster: str, parts: list[str]) -> Iterator[Effect]:
    """Yield that no agent restarts; drivers are told of by their own objects."""
    if parts:
        yield Effect(
            fact="operator/settings",
            risk=Risk.NONE,
            cluster=cluster,
            subject="GPU Operator",
            summary=f"GPU Operator: {listed(parts)} of its ClusterPolicy change, for which none of its agents restarts",
            objects=(change.ref,),
            causes=change.causes,
        )


def _gone(comparison: Comparison, change: ObjectChange, cluster: str) -> Effect:
    served = _served(pool_pairs.old_sides(comparison), comparison.moves.old_name("clusters", cluster))
    nodes, cards = pool_pairs.size(served)
    return Effect(
        fact="operator/policy-gone",
        risk=Risk.DISRUPTIVE,
        cluster=cluster,
        subject="GPU Operator",
        summary=f"GPU Operator: its ClusterPolicy goes once a person confirms, and its agents leave {_place(served)}",
        objects=(change.ref,),
        causes=change.causes,
        teams=pool_pairs.teams_on(*served),
        nodes=nodes,
        cards=cards,
    )


def _served(sides: Iterable[Side], cluster: str) -> list[Side]:
    """Return the pools that the operator serves in a cluster."""
    return [side for side in sides if side.home.name == cluster and side.pool in side.home.operator_pools]


def _place(served: list[Side]) -> str:
    """Say on how many nodes, where that is known."""
    return nodes_text(*pool_pairs.size(served)) if served else "its nodes"
