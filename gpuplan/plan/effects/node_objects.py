"""What else stands between nodes and pods: health rules, disruption budgets, the RuntimeClass, classes of devices to claim."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from gpuplan.conventions import node_readiness_rule_name
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs, reading
from gpuplan.plan.effects.pool_pairs import nodes_text
from gpuplan.plan.effects.reading import listed, spec
from gpuplan.plan.parts import Action, Effect, ObjectChange, Risk

Judge = Callable[[Comparison, str, list[ObjectChange]], Iterator[Effect]]


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what changes of such objects do, by cluster."""
    for kind, judge in KINDS.items():
        changes = list(reading.changes(comparison, kind))
        for cluster in sorted({reading.new_cluster(comparison, change) for change in changes}):
            some = [change for change in changes if reading.new_cluster(comparison, change) == cluster]
            yield from judge(comparison, cluster, some)


def _health(comparison: Comparison, cluster: str, changes: list[ObjectChange]) -> Iterator[Effect]:
    gone = [change for change in changes if change.action is Action.DELETE]
    judged = [change for change in changes if change not in gone and not spec(change.after).get("dryRun")]
    told = [change for change in changes if change not in gone and change not in judged]
    for fact, risk, some, does in (
        ("health/rules-gone", Risk.LOW, gone, "no longer keep pods off: nodes that are not healthy take pods again"),
        (
            "health/rules",
            Risk.LOW,
            judged,
            f"keep new pods off where {_conditions(judged)} is missing or not as it has to be",
        ),
        ("health/dry-run", Risk.NONE, told, "only report which nodes they would taint"),
    ):
        if some:
            rules = [change.ref.key.name for change in some]
            sides = [*pool_pairs.new_sides(comparison), *pool_pairs.old_sides(comparison)]
            pools = {side.pool.name: side for side in sides if node_readiness_rule_name(side.pool.name) in rules}
            nodes, cards = pool_pairs.size(pools.values())
            text = f"rules for {nodes_text(nodes, cards)} {does} ({listed(rules)})"
            effect = reading.told(fact, risk, cluster, "node health", text, some)
            yield replace(effect, nodes=nodes, cards=cards)


def _conditions(changes: list[ObjectChange]) -> str:
    named = (one["type"] for change in changes for one in spec(change.after).get("conditions", ()))
    return listed(sorted(set(named)))


def _budgets(comparison: Comparison, cluster: str, changes: list[ObjectChange]) -> Iterator[Effect]:
    for action, fact, risk, does in (
        (
            Action.DELETE,
            "serving/budget-gone",
            Risk.LOW,
            "are protected by no budget: a drain may take all their pods at once",
        ),
        (Action.UPDATE, "serving/budget", Risk.LOW, "have another budget in drains"),
        (Action.CREATE, "serving/budget", Risk.NONE, "lose one pod at a time in drains"),
    ):
        some = [change for change in changes if change.action is action]
        if some:
            where = listed(f"{one.ref.key.name} in {one.ref.key.namespace}" for one in some)
            subject = f"disruption budgets {action.value}"
            effect = reading.told(fact, risk, cluster, subject, f"pods of {where} {does}", some)
            namespaces = {one.ref.key.namespace for one in some}
            yield replace(effect, teams=_teams_of(comparison, namespaces) if action is Action.DELETE else ())


def _teams_of(comparison: Comparison, namespaces: set[str]) -> tuple[str, ...]:
    """Return the teams that namespaces are of, before the change."""
    teams = comparison.old.fleet.teams if comparison.old.fleet else ()
    return tuple(sorted(team.name for team in teams if not namespaces.isdisjoint(team.namespaces)))


def _runtime_class(comparison: Comparison, cluster: str, changes: list[ObjectChange]) -> Iterator[Effect]:
    """Yield what becomes of the RuntimeClass. Where a pool of the cluster is the operator's, that makes its own."""
    for change in changes:
        name = change.ref.key.name
        home = comparison.new.cluster(cluster)
        if change.action is Action.CREATE:
            yield reading.told(
                "runtime/class-made",
                Risk.NONE,
                cluster,
                f"RuntimeClass {name}",
                f"pods can name RuntimeClass {name}",
                [change],
            )
        elif change.action is Action.DELETE and home is not None and home.has_operator:
            text = f"RuntimeClass {name} is the GPU Operator's from now on: it makes it anew within moments"
            yield reading.told("runtime/class-handed-over", Risk.LOW, cluster, f"RuntimeClass {name}", text, [change])
        elif change.action is Action.DELETE:
            text = f"RuntimeClass {name} goes: what runs stays, and every new pod that names it is refused"
            teams = pool_pairs.teams_on(
                *(side for side in pool_pairs.old_sides(comparison) if side.home.name == cluster)
            )
            made = reading.told("runtime/class-gone", Risk.DISRUPTIVE, cluster, f"RuntimeClass {name}", text, [change])
            yield replace(made, teams=teams)


def _device_classes(_comparison: Comparison, cluster: str, changes: list[ObjectChange]) -> Iterator[Effect]:
    gone = [change for change in changes if change.action is Action.DELETE]
    others = [change for change in changes if change.action is Action.UPDATE]
    made = [change for change in changes if change.action is Action.CREATE]
    if gone:
        names = listed(change.ref.key.name for change in gone)
        yield reading.told(
            "claims/class-gone",
            Risk.DESTRUCTIVE,
            cluster,
            "device classes",
            f"claims on {names} get no device any more",
            gone,
        )
    if others:
        names = listed(change.ref.key.name for change in others)
        yield reading.told(
            "claims/class-changed",
            Risk.LOW,
            cluster,
            "device classes",
            f"new claims on {names} get other devices",
            others,
        )
    if made:
        names = listed(change.ref.key.name for change in made)
        yield reading.told(
            "claims/class-made", Risk.NONE, cluster, "device classes", f"devices can be claimed by {names}", made
        )


def _claim_templates(_comparison: Comparison, cluster: str, changes: list[ObjectChange]) -> Iterator[Effect]:
    gone = [change for change in changes if change.action is Action.DELETE]
    fixed = [change for change in changes if change.action is Action.REPLACE]
    made = [change for change in changes if change.action is Action.CREATE]
    if gone:
        names = listed(dict.fromkeys(change.ref.key.name for change in gone))
        text = f"pods that name claim template {names} are never started: write one of those that stay"
        yield reading.told("claims/template-gone", Risk.DISRUPTIVE, cluster, "claim templates", text, gone)
    if fixed:
        names = listed(dict.fromkeys(change.ref.key.name for change in fixed))
        text = f"claim template {names} can never change: the sync fails until a person deletes it"
        yield reading.told("claims/template-immutable", Risk.DISRUPTIVE, cluster, "claim templates", text, fixed)
    if made:
        names = listed(dict.fromkeys(change.ref.key.name for change in made))
        yield reading.told(
            "claims/template-made", Risk.NONE, cluster, "claim templates", f"pods can name claim template {names}", made
        )


KINDS: Mapping[str, Judge] = {
    "DeviceClass": _device_classes,
    "NodeReadinessRule": _health,
    "PodDisruptionBudget": _budgets,
    "ResourceClaimTemplate": _claim_templates,
    "RuntimeClass": _runtime_class,
}
"""Who judges the changes of a kind in a cluster."""
