"""Namespaces of teams: those that come, go or change hands, what may run in them, and who may work there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpuplan import conventions
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.effects.pruning import Fate, fate
from gpuplan.plan.effects.quotas import queue_changes
from gpuplan.plan.parts import Action, Effect, ObjectChange, Risk

LEVELS = ("privileged", "baseline", "restricted")
"""Pod Security levels, the strictest last."""
ENFORCED = f"{conventions.POD_SECURITY}/enforce"

Place = tuple[str, str]
"""(cluster, namespace)."""


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what happens to namespaces, to what is allowed in them, and to the rights of people."""
    inside = _inside(comparison)
    selectors = _selectors(comparison)
    for change in reading.changes(comparison, "Namespace"):
        cluster, name = reading.new_cluster(comparison, change), change.ref.key.name
        team = reading.labels(reading.sides(change)).get(conventions.LABEL_TEAM, "")
        touching = [change, *inside.get((cluster, name), ()), *selectors.get((cluster, team), ())]
        if change.action is Action.CREATE:
            told = f"is new{f' for team {team}' if team else ''}"
            touching += [one for one in comparison.of_kind("AppProject") if _permits_otherwise(one, name)]
            yield _effect("namespace/added", Risk.NONE, change, told, touching)
        elif change.action is Action.DELETE:
            touching += [one for one in comparison.of_kind("AppProject") if _permits_otherwise(one, name)]
            yield _removed(comparison, change, team, touching)
        else:
            yield from _hands(comparison, change, touching)
            yield from _security(change)
    yield from _renamed(comparison)
    yield from _selectors_alone(comparison, selectors)
    yield from _rights(comparison)


def _inside(comparison: Comparison) -> Mapping[Place, list[ObjectChange]]:
    """Return what comes and goes inside namespaces."""
    found: dict[Place, list[ObjectChange]] = defaultdict(list)
    for change in comparison.objects:
        if change.ref.key.namespace and change.action in (Action.CREATE, Action.DELETE):
            found[reading.new_cluster(comparison, change), change.ref.key.namespace].append(change)
    return found


def _permits_otherwise(project: ObjectChange, namespace: str) -> bool:
    """Tell whether a project permits a namespace in more places or fewer than before."""
    before, after = (
        [one for one in reading.spec(side).get("destinations", ()) if one.get("namespace") == namespace]
        for side in (project.before, project.after)
    )
    return before != after


def _selectors(comparison: Comparison) -> Mapping[tuple[str, str], list[ObjectChange]]:
    """Return the queues that serve other namespaces than before, by cluster and team."""
    found: dict[tuple[str, str], list[ObjectChange]] = defaultdict(list)
    for (cluster, team, _), change in queue_changes(comparison).items():
        if reading.differs(change, _selector):
            found[cluster, team].append(change)
    return found


def _selector(queue: Mapping[str, object]) -> object:
    return reading.spec(queue).get("namespaceSelector")


def _effect(
    fact: str, risk: Risk, change: ObjectChange, told: str, some: Sequence[ObjectChange], teams: tuple[str, ...] = ()
) -> Effect:
    subject = f"namespace {change.ref.key.name}"
    return Effect(
        fact=fact,
        risk=risk,
        cluster=change.ref.cluster,
        subject=subject,
        summary=f"{subject} {told}",
        objects=reading.refs(some),
        causes=reading.causes(some),
        teams=teams,
    )


def _removed(comparison: Comparison, change: ObjectChange, team: str, some: Sequence[ObjectChange]) -> Effect:
    """A namespace that Argo CD no longer sees stays with all that is in it; one that it takes away is lost with its volumes."""
    goes, teams = fate(comparison, change), (team,) if team else ()
    if goes is Fate.STAYS:
        told = "is let go: Argo CD's project no longer permits it, so that it stays with all that is in it"
        if not team:
            return _effect("namespace/let-go", Risk.LOW, change, told, some)
        told += ", local queues and rights too, but its team's queues admit nothing from it any more"
        return _effect("namespace/let-go", Risk.DISRUPTIVE, change, told, some, teams)
    who = "once a person confirms it" if goes is Fate.CONFIRMED else "with the sync"
    told = f"is deleted {who}, with everything in it: work, volumes, secrets"
    return _effect("namespace/removed", Risk.DESTRUCTIVE, change, told, some, teams)


def _teams(change: ObjectChange) -> tuple[str, str]:
    """Return whose a namespace is, before and after."""
    old, new = (reading.labels(side).get(conventions.LABEL_TEAM, "") for side in (change.before, change.after))
    return old, new


def _hands(comparison: Comparison, change: ObjectChange, some: Sequence[ObjectChange]) -> Iterator[Effect]:
    """Yield that a namespace goes from one team to another. A team that is renamed gives nothing away."""
    old, new = _teams(change)
    if comparison.moves.new_name("teams", old) == new:
        return
    stuck = any(
        (one.ref.cluster, one.ref.key.namespace) == (change.ref.cluster, change.ref.key.name)
        for one in reading.changes(comparison, "LocalQueue", actions=(Action.REPLACE,))
    )
    told = f"goes from team {old or 'nobody'} to team {new or 'nobody'}"
    told += ": its local queues can lead to no other queue, so that the sync stops there" if stuck else ""
    risk = Risk.DISRUPTIVE if stuck or old else Risk.LOW
    yield _effect("namespace/changes-hands", risk, change, told, some, (old,) if old else ())


def _renamed(comparison: Comparison) -> Iterator[Effect]:
    """Yield each team that is called otherwise, with its namespaces."""
    found: dict[tuple[str, str, str], list[ObjectChange]] = defaultdict(list)
    for change in reading.changes(comparison, "Namespace", actions=(Action.UPDATE,)):
        old, new = _teams(change)
        if old != new and comparison.moves.new_name("teams", old) == new:
            found[change.ref.cluster or "", old, new].append(change)
    for (cluster, old, new), some in found.items():
        yield Effect(
            fact="team/renamed",
            risk=Risk.DISRUPTIVE,
            cluster=cluster,
            subject=f"team {new}",
            summary=f"team {old} is called {new}: its queues begin anew under the new name, its namespaces stay",
            objects=reading.refs(some),
            causes=reading.causes(some),
            teams=(new,),
        )


def _security(change: ObjectChange) -> Iterator[Effect]:
    old, new = (reading.labels(side).get(ENFORCED, LEVELS[0]) for side in (change.before, change.after))
    if old == new or not {old, new} <= {*LEVELS}:
        return
    levels = reading.stepped_text(old, new)
    if LEVELS.index(new) > LEVELS.index(old):
        team = reading.labels(change.after).get(conventions.LABEL_TEAM, "")
        told = (
            f"allows less, {levels}: pods that run go on, new ones that break the level are refused, restarted work too"
        )
        yield _effect("namespace/security-tightened", Risk.DISRUPTIVE, change, told, [change], (team,) if team else ())
    else:
        yield _effect("namespace/security-loosened", Risk.LOW, change, f"allows more, {levels}", [change])


def _selectors_alone(
    comparison: Comparison, selectors: Mapping[tuple[str, str], list[ObjectChange]]
) -> Iterator[Effect]:
    """Yield the queues that serve other namespaces although none came or went: they moved between teams."""
    told = {
        (reading.new_cluster(comparison, change), reading.labels(reading.sides(change)).get(conventions.LABEL_TEAM, ""))
        for change in reading.changes(comparison, "Namespace", actions=(Action.CREATE, Action.DELETE))
    }
    for (cluster, team), some in selectors.items():
        if (cluster, team) not in told:
            before, after = (_served(side) for side in (some[0].before, some[0].after))
            words = [
                *([f"{reading.listed(sorted(after - before))} from now on"] if after - before else []),
                *([f"{reading.listed(sorted(before - after))} no longer"] if before - after else []),
            ]
            loses = bool(before - after)
            yield Effect(
                fact="queue/namespaces-changed",
                risk=Risk.LOW if loses else Risk.NONE,
                cluster=cluster,
                subject=f"team {team}",
                summary=f"team {team}: its queues serve {', '.join(words) or 'other namespaces'}",
                objects=reading.refs(some),
                causes=reading.causes(some),
                teams=(team,) if loses else (),
            )


def _served(queue: Mapping[str, object] | None) -> frozenset[str]:
    """Return the namespaces that a queue's selector names."""
    selector: Any = _selector(queue or {}) or {}
    named = (one.get("values", ()) for one in selector.get("matchExpressions", ()) if one.get("operator") == "In")
    return frozenset(name for values in named for name in values)


def _rights(comparison: Comparison) -> Iterator[Effect]:
    """Yield who may work where: groups that are bound or no longer, and what the teams' role allows."""
    touched = {
        (reading.new_cluster(comparison, change), change.ref.key.name)
        for change in reading.changes(comparison, "Namespace", actions=(Action.CREATE, Action.DELETE))
    }
    for change in reading.changes(comparison, "RoleBinding"):
        place = (reading.new_cluster(comparison, change), change.ref.key.namespace)
        if change.ref.key.name == conventions.TEAM_ROLE and place not in touched:
            yield from _groups(comparison, change)
    for change in reading.changes(comparison, "ClusterRole"):
        if change.ref.key.name == conventions.TEAM_ROLE:
            yield Effect(
                fact="rights/role-changed",
                risk=Risk.LOW,
                cluster=change.ref.cluster,
                subject="rights of teams",
                summary=f"what members of teams may do in their namespaces {_ROLE[change.action]}",
                objects=(change.ref,),
                causes=change.causes,
            )


_ROLE = {
    Action.CREATE: "is written down for the first time",
    Action.DELETE: "ends, since no team names a group",
    Action.UPDATE: "changes",
    Action.REPLACE: "changes",
}


def _groups(comparison: Comparison, change: ObjectChange) -> Iterator[Effect]:
    """Yield who may work in a namespace from now on; the team whose people no longer may is asked."""
    before, after = (
        {str(one["name"]) for one in (side or {}).get("subjects", ())}  # type: ignore[attr-defined]  # a RoleBinding's list
        for side in (change.before, change.after)
    )
    told = [
        *([f"{reading.listed(sorted(after - before))} may work there"] if after - before else []),
        *([f"{reading.listed(sorted(before - after))} may no longer"] if before - after else []),
    ]
    if told:
        name = change.ref.key.namespace
        losing = _owner(comparison, name) if before - after else ()
        yield Effect(
            fact="rights/groups-changed",
            risk=Risk.LOW,
            cluster=change.ref.cluster,
            subject=f"namespace {name}",
            summary=f"namespace {name}: {', '.join(told)}",
            objects=(change.ref,),
            causes=change.causes,
            teams=losing,
        )


def _owner(comparison: Comparison, namespace: str) -> tuple[str, ...]:
    """Return the team that has had a namespace, by its new name; none where nobody knows it."""
    teams = comparison.old.fleet.teams if comparison.old.fleet else ()
    return tuple(comparison.moves.new_name("teams", team.name) for team in teams if namespace in team.namespaces)
