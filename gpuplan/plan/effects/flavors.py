"""Flavors and Topologies: what Kueue takes for the hardware."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.effects.pruning import Fate, fate
from gpuplan.plan.effects.queues import GOES
from gpuplan.plan.effects.quotas import flavors_of, queue_changes
from gpuplan.plan.effects.revisions import revisions
from gpuplan.plan.parts import Action, Effect, ObjectChange, QuotaRow, Risk
from gpuplan.words import counted

FIELDS: Mapping[str, str] = {"nodeLabels": "node labels", "tolerations": "tolerations", "topologyName": "topology"}
"""What a flavor says besides its name, in words."""


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what happens to flavors and Topologies."""
    revised = revisions(comparison)
    for change in reading.changes(comparison, "ResourceFlavor"):
        cluster, name = reading.new_cluster(comparison, change), change.ref.key.name
        renamed = {name for pair in revised.get(cluster, ()) for name in pair}
        if name in renamed:
            yield from _replaced(comparison, cluster, revised[cluster], change)
        elif change.before is not None and change.after is not None:
            yield from _changed(cluster, change)
        elif change.action is Action.CREATE:
            yield _added(comparison, cluster, change)
        else:
            yield _removed(comparison, cluster, change)
    yield from _topologies(comparison)


def _effect(fact: str, risk: Risk, cluster: str, summary: str, some: Sequence[ObjectChange]) -> Effect:
    kind = "topology" if some[0].ref.key.kind == "Topology" else "flavor"
    subject = f"{kind} {some[0].ref.key.name}"
    return Effect(
        fact=fact,
        risk=risk,
        cluster=cluster,
        subject=subject,
        summary=f"{subject}{summary}",
        objects=reading.refs(some),
        causes=reading.causes(some),
    )


def _rows(comparison: Comparison, cluster: str, flavor: str) -> list[QuotaRow]:
    return [row for row in comparison.quotas if (row.cluster, row.flavor) == (cluster, flavor)]


def _cards(comparison: Comparison, cluster: str, flavor: str, side: int) -> int:
    """Return the cards behind a flavor on the old (0) or new (1) side."""
    return sum(
        reading.in_cards(one.capacity[side], one.per_piece)
        for one in comparison.balances
        if (one.cluster, one.flavor) == (cluster, flavor)
    )


def _added(comparison: Comparison, cluster: str, change: ObjectChange) -> Effect:
    cards = _cards(comparison, cluster, change.ref.key.name, 1)
    told = f" is new, with {counted(cards, 'card')}"
    touching = [change, *_roots(comparison, change)]
    return replace(_effect("flavor/added", Risk.NONE, cluster, told, touching), cards=cards)


def _roots(comparison: Comparison, change: ObjectChange) -> Iterator[ObjectChange]:
    """Yield the root of the quota tree that gets or loses a flavor."""
    name = change.ref.key.name
    for cohort in reading.changes(comparison, "Cohort", actions=(Action.UPDATE,)):
        root = "parentName" not in reading.spec(cohort.after)
        if (
            root
            and cohort.ref.cluster == change.ref.cluster
            and name in {*flavors_of(cohort.before), *flavors_of(cohort.after)}
        ):
            yield cohort


def _removed(comparison: Comparison, cluster: str, change: ObjectChange) -> Effect:
    """Those who had a floor there lose it, and a job that waits for it alone waits for good."""
    name = change.ref.key.name
    rows, cards = _rows(comparison, cluster, name), _cards(comparison, cluster, name, 0)
    losing = tuple(sorted({row.team for row in rows if row.team and row.old.guaranteed}))
    touching = [change, *_roots(comparison, change)]
    told = (
        f" goes, with {counted(cards, 'card')}; it is there until no queue names it; {GOES[fate(comparison, change)]}"
    )
    return replace(_effect("flavor/removed", Risk.DISRUPTIVE, cluster, told, touching), teams=losing, cards=cards)


def _replaced(
    comparison: Comparison, cluster: str, pairs: Sequence[tuple[str, str]], change: ObjectChange
) -> Iterator[Effect]:
    """Yield one effect for a flavor and its successor, with all queues and cohorts that go over."""
    old = next((old for old, new in pairs if new == change.ref.key.name), None)
    if old is None:
        return
    new, gone = change.ref.key.name, _change_of(comparison, cluster, old)
    moving = [
        one
        for (where, _, _), one in queue_changes(comparison).items()
        if where == cluster and new in flavors_of(one.after)
    ]
    moving += [
        one
        for one in reading.changes(comparison, "Cohort")
        if one.ref.cluster == cluster and new in flavors_of(one.after)
    ]
    rows, cards = _rows(comparison, cluster, new), _cards(comparison, cluster, new, 1)
    told = (
        f" takes over from {old}: what runs there goes on and does not count against the new one, so that for"
        f" {counted(cards, 'card')} more may be admitted than there is until it ends"
    )
    if gone is None or fate(comparison, gone) is Fate.CONFIRMED:
        told += "; a person must confirm that the old one goes"
    touching = [change, *([gone] if gone else []), *moving]
    teams = tuple(sorted({row.team for row in rows if row.team and row.new.guaranteed}))
    yield replace(_effect("flavor/replaced", Risk.DISRUPTIVE, cluster, told, touching), teams=teams, cards=cards)


def _change_of(comparison: Comparison, cluster: str, flavor: str) -> ObjectChange | None:
    gone = reading.changes(comparison, "ResourceFlavor", actions=(Action.DELETE,))
    return next(
        (one for one in gone if (reading.new_cluster(comparison, one), one.ref.key.name) == (cluster, flavor)), None
    )


def _changed(cluster: str, change: ObjectChange) -> Iterator[Effect]:
    """Yield what changes inside a flavor: with a Topology it is refused, without one it holds for new work."""
    before, after = reading.spec(change.before), reading.spec(change.after)
    fields = [words for field, words in FIELDS.items() if before.get(field) != after.get(field)]
    if change.action is Action.REPLACE:
        told = f": {reading.listed(fields)} cannot change while it has a topology; the API server refuses, and the sync stops"
        yield _effect("flavor/immutable", Risk.DISRUPTIVE, cluster, told, [change])
    elif before.get("nodeLabels") != after.get("nodeLabels"):
        told = f": {_labels(before)} → {_labels(after)}; new work goes to nodes with these labels, what runs stays where it is"
        yield _effect("flavor/labels-changed", Risk.LOW, cluster, told, [change])
    elif before.get("tolerations") != after.get("tolerations"):
        told = ": its tolerations change, for pods that start from now on"
        yield _effect("flavor/tolerations-changed", Risk.LOW, cluster, told, [change])
    elif before.get("topologyName") != after.get("topologyName"):
        told = f": gets topology {after.get('topologyName')}, so that Kueue places its pods node by node from now on"
        yield _effect("flavor/topology-set", Risk.LOW, cluster, told, [change])


def _labels(spec: Mapping[str, Mapping[str, str]]) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted(spec.get("nodeLabels", {}).items())) or "no labels"


def _topologies(comparison: Comparison) -> Iterator[Effect]:
    revised = revisions(comparison, "Topology")
    for change in reading.changes(comparison, "Topology"):
        cluster, name = reading.new_cluster(comparison, change), change.ref.key.name
        successor = dict(revised.get(cluster, ())).get(name)
        if change.action is Action.CREATE or (change.was and change.was.key != change.ref.key):
            levels = ", ".join(one["nodeLabel"] for one in reading.spec(change.after)["levels"])
            yield _effect("topology/added", Risk.NONE, cluster, f" is new: {levels}", [change])
        elif change.action is Action.DELETE:
            heir = f" for {successor}" if successor else ""
            told = f" goes{heir}; it is there until no flavor names it; {GOES[fate(comparison, change)]}"
            yield _effect("topology/removed", Risk.LOW, cluster, told, [change])
        else:
            told = ": its levels can never change; the API server refuses, and the sync stops"
            yield _effect("topology/immutable", Risk.DISRUPTIVE, cluster, told, [change])
