"""What teams gain and lose of cards that they hold by right, may borrow or lend.

Kueue evicts nobody because a number fell. But what runs above a floor is borrowed, and whoever holds a larger floor since may
take it back: only then does running work have to fear a cut.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuplan import conventions
from gpuplan.model.queues import Service
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.effects.claims import Claims, most
from gpuplan.plan.parts import Effect, Holding, ObjectChange, QuotaRow, Risk
from gpuplan.plan.quotas import service_of, task_pool_of

Owner = tuple[str, str, str]
"""(cluster, team, task pool)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A queue that both sides have, and its rights on flavors that both sides of it have."""

    name: str
    team: str
    cluster: str
    change: ObjectChange
    rows: tuple[QuotaRow, ...]

    def effect(self, fact: str, risk: Risk, summary: str, *, loses: bool, cards: int = 0) -> Effect:
        """Return an effect on this queue."""
        return Effect(
            fact=fact,
            risk=risk,
            cluster=self.cluster,
            subject=f"queue {self.name}",
            summary=f"queue {self.name}: {summary}",
            objects=(self.change.ref,),
            causes=self.change.causes,
            teams=(self.team,) if loses else (),
            cards=cards,
        )


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what happens to each queue whose numbers change; others tell of queues that come, go or change class."""
    claims = Claims.of(comparison)
    for queue in changed_queues(comparison):
        yield from _floors(queue, claims, comparison)
        yield from _beyond(queue, claims)
        yield from _lent(queue)


def queue_changes(comparison: Comparison) -> Mapping[Owner, ObjectChange]:
    """Return the changes of ClusterQueues by owner, under the names of the new side."""
    found = {}
    for change in reading.changes(comparison, "ClusterQueue"):
        made = reading.sides(change)
        team = reading.labels(made).get(conventions.LABEL_TEAM, change.ref.key.name)
        pool = task_pool_of(made)
        found[reading.new_cluster(comparison, change), team, pool] = change
    return found


def flavors_of(made: Mapping[str, object] | None) -> tuple[str, ...]:
    """Return the flavors of a queue or cohort, in their order."""
    groups = reading.spec(made).get("resourceGroups", ())
    return tuple(flavor["name"] for group in groups for flavor in group["flavors"])


def changed_queues(comparison: Comparison) -> Iterator[Changed]:
    """Yield the queues that both sides have in one service class, with those of their rights that changed."""
    rows: dict[Owner, list[QuotaRow]] = defaultdict(list)
    for row in comparison.quotas:
        if row.changed and row.team:
            rows[row.cluster, row.team, row.task_pool].append(row)
    for owner, change in queue_changes(comparison).items():
        if change.before is None or change.after is None or reading.differs(change, service_of):
            continue
        both = {*flavors_of(change.before)} & {*flavors_of(change.after)}
        kept = tuple(row for row in rows[owner] if row.flavor in both)
        if kept:
            yield Changed(name=change.ref.key.name, team=owner[1], cluster=owner[0], change=change, rows=kept)


def parts(rows: Sequence[QuotaRow], number: Callable[[Holding], int | None]) -> str:
    """Return what changes on each flavor, in words."""
    told = []
    for row in rows:
        old, new = number(row.old), number(row.new)
        text = f"{reading.stepped(old, new)} of {row.flavor}"
        if old is not None and new is not None:
            text += f" ({reading.signed(new - old, row.per_piece)})"
        told.append(text)
    return reading.listed(told)


def _floors(queue: Changed, claims: Claims, comparison: Comparison) -> Iterator[Effect]:
    cut = [row for row in queue.rows if row.new.guaranteed < row.old.guaranteed]
    grown = [row for row in queue.rows if row.new.guaranteed > row.old.guaranteed]
    if cut:
        risk, outcome = _outcome(cut, claims, comparison, queue)
        cards = sum(reading.in_cards(row.old.guaranteed - row.new.guaranteed, row.per_piece) for row in cut)
        summary = f"guaranteed {parts(cut, _guaranteed)}; {outcome}"
        yield queue.effect("quota/guaranteed-cut", risk, summary, loses=True, cards=cards)
    if grown:
        lent = any(claims.rivals(row) for row in grown)
        back = RETURNS[grown[0].service] if lent else "nobody may have borrowed them"
        summary = f"guaranteed {parts(grown, _guaranteed)}; {back}"
        yield queue.effect("quota/guaranteed-grown", Risk.LOW if lent else Risk.NONE, summary, loses=False)


RETURNS: Mapping[str, str] = {
    Service.GUARANTEED.value: "who borrows them loses them when it asks",
    Service.QUEUED.value: "who borrows them with a lower priority loses them when it asks, others only when they end",
}
"""By service class of a floor: how it comes back from those who borrow it."""


def _guaranteed(holding: Holding) -> int:
    return holding.guaranteed


def _outcome(cut: Sequence[QuotaRow], claims: Claims, comparison: Comparison, queue: Changed) -> tuple[Risk, str]:
    """Return what a cut means for what runs: it goes on, it holds the queue up, or others may take it."""
    name = queue.change.was.key.name if queue.change.was else queue.name
    used = [in_use(comparison, queue.cluster, name, row) for row in cut]
    over = sum(_beyond_limit(row, used_now) for row, used_now in zip(cut, used, strict=True))
    prey = [claims.against(row) for row in cut]
    pieces = sum(
        taken if used_now is None else min(taken, max(0, used_now - row.new.guaranteed))
        for (taken, _), row, used_now in zip(prey, cut, used, strict=True)
    )
    told = [] if None in used else [f"{sum(map(int, filter(None, used)))} in use now"]
    told.append("the cut itself evicts nobody" if pieces else "nobody is evicted")
    if pieces:
        takers = reading.listed(name for _, names in prey for name in names)
        told.append(f"but {pieces} of what runs are only borrowed from then on: {takers} may take them back")
    if over:
        told.append(f"it admits nothing more until {over} are free")
    elif not pieces and any(
        used_now is None or used_now > row.new.guaranteed for used_now, row in zip(used, cut, strict=True)
    ):
        told.append("what it uses above that is borrowed from then on")
    return (Risk.DISRUPTIVE if pieces else Risk.LOW), ", ".join(told)


def in_use(comparison: Comparison, cluster: str, queue: str, row: QuotaRow) -> int | None:
    """Return the pieces that a queue uses now; None where nobody looked."""
    looked = comparison.live.get(cluster)
    if looked is None or looked.queues is None or queue not in looked.queues:
        return None
    return looked.queues[queue].usage.get((row.flavor, row.resource), 0)


def _beyond_limit(row: QuotaRow, used: int | None) -> int:
    """Return the pieces that must end before anything is admitted: of what runs, or of the old floor where nobody looked."""
    new = most(row.new)
    return 0 if new is None else max(0, (row.old.guaranteed if used is None else used) - new)


BEYOND: Mapping[str, tuple[str, str, Callable[[Holding], int | None]]] = {
    Service.GUARANTEED.value: ("borrow", "may borrow", lambda holding: holding.borrowable),
    Service.QUEUED.value: ("borrow", "may borrow", lambda holding: holding.borrowable),
    Service.SHARED.value: ("cap", "may hold at most", lambda holding: holding.borrowable),
    Service.RECLAIMABLE.value: ("cap", "may hold at most", lambda holding: holding.reclaimable),
}
"""By service class: the name of the right beyond the floor, how to say it, and where it stands."""


def _beyond(queue: Changed, claims: Claims) -> Iterator[Effect]:
    """Yield what changes beyond the floor.

    A floor that takes over what was borrowed is no loss, and a cap that is as large as the whole pool follows that.
    """
    right, words, number = BEYOND[queue.rows[0].service]
    fewer, more = [], []
    for row in queue.rows:
        old, new = number(row.old), number(row.new)
        if old == new or (right == "cap" and (old, new) == claims.whole(row)):
            continue
        if new is None or (old is not None and new > old):
            more.append(row)
        elif old is None or row.new.guaranteed - row.old.guaranteed < old - new:
            fewer.append(row)
    if fewer:
        summary = f"{words} {parts(fewer, number)}; what runs above goes on, nothing more is admitted until it ends"
        yield queue.effect(f"quota/{right}-cut", Risk.LOW, summary, loses=True)
    if more:
        endless = any(number(row.new) is None for row in more)
        summary = f"{words} {parts(more, number)}"
        yield queue.effect(f"quota/{right}-grown", Risk.LOW if endless else Risk.NONE, summary, loses=False)


def _lent(queue: Changed) -> Iterator[Effect]:
    """Yield what changes in lending, where it does not merely follow the floor."""
    rows = [
        row
        for row in queue.rows
        if row.old.lent != row.new.lent and (row.old.lent, row.new.lent) != (row.old.guaranteed, row.new.guaranteed)
    ]
    if rows:
        summary = f"lends {parts(rows, lambda holding: holding.lent)} while they are idle"
        yield queue.effect("quota/lend-changed", Risk.LOW, summary, loses=False)
