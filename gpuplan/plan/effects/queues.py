"""Queues that come, go or get another name, and the LocalQueues by which namespaces reach them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gpuplan import conventions
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.effects.pruning import Fate, fate
from gpuplan.plan.effects.quotas import Owner, queue_changes
from gpuplan.plan.live import LiveQueue
from gpuplan.plan.parts import Action, Effect, Holding, ObjectChange, QuotaRow, Risk
from gpuplan.words import counted

Reached = Mapping[tuple[str, str], list[ObjectChange]]
"""LocalQueues that change, by (cluster, name of their ClusterQueue)."""

GOES: Mapping[Fate, str] = {
    Fate.PRUNED: "Argo CD takes it away",
    Fate.CONFIRMED: "a person must confirm that it goes",
    Fate.STAYS: "Argo CD's project no longer permits it, so that it stays as it is",
}
"""What becomes of an object that leaves, in words."""


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what happens with whole queues, and with the LocalQueues of those that stay."""
    reached, owned = _reached(comparison), defaultdict[Owner, list[QuotaRow]](list)
    for row in comparison.quotas:
        owned[row.cluster, row.team, row.task_pool].append(row)
    for owner, change in queue_changes(comparison).items():
        (cluster, team, _), rows = owner, owned[owner]
        touching = [change, *reached.get((cluster, change.ref.key.name), ())]
        if change.action is Action.CREATE:
            yield _added(cluster, change, touching, rows)
        elif change.action is Action.DELETE:
            yield _removed(comparison, cluster, team, change, touching, rows)
        elif change.was is not None and change.was.key != change.ref.key:
            yield _renamed(cluster, team, change, touching, rows)
    yield from _local(comparison, reached)


def _reached(comparison: Comparison) -> Reached:
    found: dict[tuple[str, str], list[ObjectChange]] = defaultdict(list)
    for change in reading.changes(comparison, "LocalQueue"):
        queue = str(reading.spec(reading.sides(change)).get("clusterQueue", ""))
        found[reading.new_cluster(comparison, change), queue].append(change)
    return found


def rights(rows: Sequence[QuotaRow], *, old: bool) -> str:
    """Return what a queue holds on one side, in words."""
    told = []
    for row in rows:
        holding = row.old if old else row.new
        right = _right(holding)
        if right:
            told.append(f"{right} of {row.flavor}")
    return reading.listed(told) or "nothing"


def _right(holding: Holding) -> str:
    if holding.guaranteed:
        more = f" and may borrow {holding.borrowable}" if holding.borrowable else ""
        return f"{holding.guaranteed} guaranteed{more}"
    most = holding.borrowable or holding.reclaimable
    if most:
        return f"at most {most}"
    return "any number" if None in (holding.borrowable, holding.reclaimable) else ""


def cards_of(rows: Sequence[QuotaRow], *, old: bool) -> int:
    """Return the guaranteed cards of a queue on one side."""
    return sum(reading.in_cards((row.old if old else row.new).guaranteed, row.per_piece) for row in rows)


def _added(cluster: str, change: ObjectChange, touching: Sequence[ObjectChange], rows: Sequence[QuotaRow]) -> Effect:
    name = change.ref.key.name
    return Effect(
        fact="queue/added",
        risk=Risk.NONE,
        cluster=cluster,
        subject=f"queue {name}",
        summary=f"queue {name} comes, with {rights(rows, old=False)}",
        objects=reading.refs(touching),
        causes=reading.causes(touching),
        cards=cards_of(rows, old=False),
    )


def live_queue(comparison: Comparison, cluster: str, name: str) -> LiveQueue | None:
    """Return the work in a queue, where somebody looked: a queue that a snapshot does not have holds none."""
    looked = comparison.live.get(cluster)
    return None if looked is None or looked.queues is None else looked.queues.get(name, LiveQueue())


def _removed(
    comparison: Comparison,
    cluster: str,
    team: str,
    change: ObjectChange,
    touching: Sequence[ObjectChange],
    rows: Sequence[QuotaRow],
) -> Effect:
    """What waits in a queue that ends is stuck for good, so the risk follows from what is there, if anybody looked."""
    name = change.ref.key.name
    work = live_queue(comparison, cluster, name)
    goes = fate(comparison, change)
    if work is None:
        risk, told = Risk.DESTRUCTIVE, "what runs goes on, what waits never starts"
    else:
        risk = Risk.DESTRUCTIVE if work.pending else Risk.DISRUPTIVE if work.admitted else Risk.LOW
        running, waiting = counted(work.admitted, "workload"), counted(work.pending, "waiting one")
        told = f"{running} run on, {waiting} never start" if work.admitted or work.pending else "it is empty now"
    return Effect(
        fact="queue/removed",
        risk=Risk.LOW if goes is Fate.STAYS else risk,
        cluster=cluster,
        subject=f"queue {name}",
        summary=f"queue {name} goes, with {rights(rows, old=True)}; {told}; {GOES[goes]}",
        objects=reading.refs(touching),
        causes=reading.causes(touching),
        teams=(team,),
        cards=cards_of(rows, old=True),
    )


def _renamed(
    cluster: str, team: str, change: ObjectChange, touching: Sequence[ObjectChange], rows: Sequence[QuotaRow]
) -> Effect:
    old = change.was.key.name if change.was else ""
    name = change.ref.key.name
    twice = cards_of(rows, old=False)
    counts = f", and {counted(twice, 'guaranteed card')} count twice until then" if twice else ""
    return Effect(
        fact="queue/renamed",
        risk=Risk.DISRUPTIVE,
        cluster=cluster,
        subject=f"queue {name}",
        summary=f"queue {old} becomes {name}: what it runs and holds stays with the old one until a person lets that go{counts}",
        objects=reading.refs(touching),
        causes=reading.causes(touching),
        teams=(team,),
        cards=twice,
    )


def _local(comparison: Comparison, reached: Reached) -> Iterator[Effect]:
    """Yield what happens to LocalQueues apart from their queue and their namespace."""
    places = {
        (reading.new_cluster(comparison, change), change.ref.key.name): change.action
        for change in reading.changes(comparison, "ClusterQueue", "Namespace")
        if change.action in (Action.CREATE, Action.DELETE)
    }
    for (cluster, queue), some in reached.items():
        for change in some:
            name = f"{change.ref.key.namespace}/{change.ref.key.name}"
            alone = change.action not in (places.get((cluster, queue)), places.get((cluster, change.ref.key.namespace)))
            if change.was is not None and change.was.key != change.ref.key:
                told = f"is what {change.was.key.namespace}/{change.was.key.name} was: work must name it anew"
                yield _local_effect("queue/local-renamed", Risk.DISRUPTIVE, cluster, name, told, change)
            elif change.action is Action.REPLACE:
                yield replace(_repointed(cluster, name, change), teams=_owner(comparison, change))
            elif change.action is Action.DELETE and alone:
                yield replace(_unreachable(comparison, cluster, name, queue, change), teams=_owner(comparison, change))
            elif change.action is Action.CREATE and alone:
                yield _local_effect("queue/local-added", Risk.NONE, cluster, name, f"leads to queue {queue}", change)


def _owner(comparison: Comparison, change: ObjectChange) -> tuple[str, ...]:
    """Return the team whose queue a LocalQueue led to."""
    queue = str(reading.spec(change.before).get("clusterQueue", ""))
    where = (change.was or change.ref).cluster
    key = change.ref.key._replace(kind="ClusterQueue", namespace="", name=queue)
    made = comparison.old.manifests.get(where, key)
    team = reading.labels(made.object).get(conventions.LABEL_TEAM, "") if made else ""
    return (comparison.moves.new_name("teams", team),) if team else ()


def _repointed(cluster: str, name: str, change: ObjectChange) -> Effect:
    queue = reading.stepped_text(
        *(reading.spec(side).get("clusterQueue", "") for side in (change.before, change.after))
    )
    told = f"would lead to another queue ({queue}), which the API server refuses: the sync stops there"
    return _local_effect("queue/local-repointed", Risk.DISRUPTIVE, cluster, name, told, change)


def _unreachable(comparison: Comparison, cluster: str, name: str, queue: str, change: ObjectChange) -> Effect:
    told = f"goes: what waits in it for queue {queue} never starts, what runs goes on; {GOES[fate(comparison, change)]}"
    return _local_effect("queue/local-removed", Risk.DISRUPTIVE, cluster, name, told, change)


def _local_effect(fact: str, risk: Risk, cluster: str, name: str, told: str, change: ObjectChange) -> Effect:
    return Effect(
        fact=fact,
        risk=risk,
        cluster=cluster,
        subject=f"local queue {name}",
        summary=f"local queue {name} {told}",
        objects=(change.ref,),
        causes=change.causes,
    )
