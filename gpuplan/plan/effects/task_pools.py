"""Task pools: those that come and go, and what changes for all queues of one alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpuplan import conventions
from gpuplan.model.queues import Service
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.effects.pruning import fate
from gpuplan.plan.effects.queues import GOES
from gpuplan.plan.effects.quotas import flavors_of, queue_changes
from gpuplan.plan.evictions import may_evict
from gpuplan.plan.parts import NOTHING, Action, Effect, ObjectChange, QuotaRow, Risk
from gpuplan.plan.quotas import service_of, task_pool_of
from gpuplan.words import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The queues of a task pool of a cluster that change, and that both sides have."""

    cluster: str
    name: str
    changes: tuple[ObjectChange, ...]

    def teams(self, some: Sequence[ObjectChange] = ()) -> tuple[str, ...]:
        """Return the teams of its queues, or of some of them, sorted."""
        made = (reading.sides(change) for change in some or self.changes)
        return tuple(sorted({name for one in made if (name := reading.labels(one).get(conventions.LABEL_TEAM))}))

    def differing(self, read: Callable[[Mapping[str, Any]], object]) -> tuple[ObjectChange, ...]:
        """Return the changes in which something that is read off the queue differs."""
        return tuple(change for change in self.changes if reading.differs(change, read))

    def effect(
        self,
        fact: str,
        risk: Risk,
        summary: str,
        some: Sequence[ObjectChange],
        teams: tuple[str, ...] = (),
        cards: int = 0,
    ) -> Effect:
        """Return an effect on this task pool."""
        return Effect(
            fact=fact,
            risk=risk,
            cluster=self.cluster,
            subject=f"task pool {self.name}",
            summary=f"task pool {self.name}: {summary}",
            objects=reading.refs(some),
            causes=reading.causes(some),
            teams=teams,
            cards=cards,
        )


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what happens to whole task pools, and what changes in how their queues work."""
    yield from _cohorts(comparison)
    for pool in pools(comparison):
        yield from _service(pool, comparison)
        yield from _ways(pool)


def pools(comparison: Comparison) -> Iterator[Pool]:
    """Yield every task pool with a queue that changes and that both sides have."""
    found: dict[tuple[str, str], list[ObjectChange]] = defaultdict(list)
    for (cluster, _, name), change in queue_changes(comparison).items():
        if change.before is not None and change.after is not None:
            found[cluster, name].append(change)
    for (cluster, name), changes in found.items():
        yield Pool(cluster=cluster, name=name, changes=tuple(changes))


def _cohorts(comparison: Comparison) -> Iterator[Effect]:
    whole = _renamed_trees(comparison)
    for cluster, some in whole.items():
        yield _renamed_tree(comparison, cluster, some)
    for change in reading.changes(comparison, "Cohort"):
        if change in whole.get(reading.new_cluster(comparison, change), ()):
            continue
        cluster, name = reading.new_cluster(comparison, change), task_pool_of(reading.sides(change))
        pool = Pool(cluster=cluster, name=name, changes=(change,))
        if change.action is Action.CREATE:
            rows = [row for row in comparison.quotas if (row.cluster, row.task_pool, row.team) == (cluster, name, "")]
            owned = reading.listed(f"{row.new.guaranteed} of {row.flavor}" for row in rows if row.new.guaranteed)
            told = f"it is new in this cluster{f', and owns {owned}' if owned else ''}"
            yield pool.effect("task-pool/added", Risk.NONE, told, [change])
        elif change.action is Action.DELETE:
            told = f"it leaves this cluster; {GOES[fate(comparison, change)]}"
            yield pool.effect("task-pool/removed", Risk.LOW, told, [change])
        elif change.was is not None and change.was.key != change.ref.key:
            told = f"it was called {change.was.key.name}; work must name the new one"
            yield pool.effect("task-pool/renamed", Risk.DISRUPTIVE, told, [change])
        elif reading.differs(change, _parent):
            told = f"it moves in the quota tree: {reading.stepped_text(_parent(change.before), _parent(change.after))}"
            yield pool.effect("task-pool/moved", Risk.LOW, told, [change])


def _renamed_trees(comparison: Comparison) -> Mapping[str, Sequence[ObjectChange]]:
    """Return by cluster the cohorts of a tree whose root has another name, as the fleet has: the old root, the new one, and
    those that merely hang from it.
    """
    found: dict[str, list[ObjectChange]] = defaultdict(list)
    for change in reading.changes(comparison, "Cohort"):
        found[reading.new_cluster(comparison, change)].append(change)
    whole: dict[str, Sequence[ObjectChange]] = {}
    for cluster, changes in found.items():
        ends = {one.action: one for one in changes if "parentName" not in reading.spec(reading.sides(one))}
        old, new = ends.get(Action.DELETE), ends.get(Action.CREATE)
        if old is not None and new is not None:
            names = (old.ref.key.name, new.ref.key.name)
            hang = [one for one in changes if (_parent(one.before), _parent(one.after)) == names]
            whole[cluster] = [old, new, *hang]
    return whole


def _renamed_tree(comparison: Comparison, cluster: str, some: Sequence[ObjectChange]) -> Effect:
    old, new, *_ = some
    return Effect(
        fact="task-pool/moved",
        risk=Risk.LOW,
        cluster=cluster,
        subject="quota tree",
        summary=f"the quota tree is called {new.ref.key.name} instead of {old.ref.key.name}: all task pools move over, with what "
        f"they own and use; {GOES[fate(comparison, old)]}",
        objects=reading.refs(some),
        causes=reading.causes(some),
    )


def _parent(cohort: Mapping[str, object] | None) -> str:
    return str(reading.spec(cohort).get("parentName", "the root"))


def _service(pool: Pool, comparison: Comparison) -> Iterator[Effect]:
    """Yield what a new service class means: what becomes of floors, and who may evict whom."""
    some = pool.differing(service_of)
    if not some:
        return
    old, new = service_of(some[0].before or {}), service_of(some[0].after or {})
    rows = [row for row in comparison.quotas if (row.cluster, row.task_pool) == (pool.cluster, pool.name) and row.team]
    lost = sum(max(0, _floor_cards(row, old=True) - _floor_cards(row, old=False)) for row in rows)
    threats = [one.value for one in Service if may_evict(one.value, new) and not may_evict(one.value, old)]
    worse = [one.value for one in Service].index(new) > [one.value for one in Service].index(old)
    told = [f"{old} → {new}"]
    told += [f"{counted(lost, 'card')} of floors are no longer its teams' own"] if lost else []
    told += [f"{reading.listed(threats)} work may evict it from now on"] if threats else []
    powers = [one.value for one in Service if may_evict(new, one.value) and not may_evict(old, one.value)]
    told += [f"for its floors it may evict {reading.listed(powers)} work that borrows them"] if powers else []
    told += ["new jobs need a priority of the other band, and what is there keeps the old one until it is changed"]
    risk = Risk.DISRUPTIVE if worse else Risk.LOW
    cohort = [one for one in reading.changes(comparison, "Cohort") if task_pool_of(reading.sides(one)) == pool.name]
    touching = [*some, *(one for one in cohort if one.ref.cluster == pool.cluster)]
    teams = pool.teams(some) if worse else ()
    yield pool.effect("task-pool/service-changed", risk, "; ".join(told), touching, teams, cards=lost)


def _floor_cards(row: QuotaRow, *, old: bool) -> int:
    holding = row.old if old else row.new
    return reading.in_cards(holding.guaranteed, row.per_piece) if holding != NOTHING else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way in which all queues of a task pool work."""

    fact: str
    risk: Risk
    field: str
    words: Callable[[Mapping[str, Any]], str]
    """Says the field's value."""


def _preemption(value: Mapping[str, Any]) -> str:
    within, cohort = value.get("withinClusterQueue", "Never"), value.get("reclaimWithinCohort", "Never")
    borrow = value.get("borrowWithinCohort", {}).get("policy", "Never")
    return f"reclaims {cohort}, within the queue {within}, while borrowing {borrow}"


def _fungibility(value: Mapping[str, Any]) -> str:
    borrow, preempt = value.get("whenCanBorrow", "MayStopSearch"), value.get("whenCanPreempt", "TryNextFlavor")
    words = {
        ("TryNextFlavor", "TryNextFlavor"): "next flavor before borrowing or preempting",
        ("MayStopSearch", "MayStopSearch"): "borrows and preempts before the next flavor",
    }
    return words.get((borrow, preempt), "borrows before, preempts after the next flavor")


WAYS: tuple[Way, ...] = (
    Way(fact="task-pool/queueing-changed", risk=Risk.LOW, field="queueingStrategy", words=str),
    Way(fact="task-pool/preemption-changed", risk=Risk.DISRUPTIVE, field="preemption", words=_preemption),
    Way(fact="task-pool/fallback-changed", risk=Risk.LOW, field="flavorFungibility", words=_fungibility),
    Way(fact="task-pool/stopped", risk=Risk.LOW, field="stopPolicy", words=str),
)
"""Fields of a queue besides its numbers, flavors and namespaces."""


FOLLOWING: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "preemption": service_of,
    "flavorFungibility": lambda queue: len(flavors_of(queue)) > 1,
}
"""Fields that follow from something which is told by itself."""


def _ways(pool: Pool) -> Iterator[Effect]:
    """Yield what changes in how queues work, where it does not merely follow something else."""
    for way in WAYS:

        def read(made: Mapping[str, Any], field: str = way.field) -> object:
            return reading.spec(made).get(field)

        some = [
            change
            for change in pool.differing(read)
            if not (way.field in FOLLOWING and reading.differs(change, FOLLOWING[way.field]))
        ]
        if some:
            values = [_say(way, read(side or {})) for side in (some[0].before, some[0].after)]
            stops = way.field == "stopPolicy"
            risk, teams = _stopping(values[1], pool.teams(some)) if stops else (way.risk, ())
            yield pool.effect(way.fact, risk, reading.stepped_text(*values), some, teams)


def _say(way: Way, value: object) -> str:
    if value is None:
        return "None" if way.field == "stopPolicy" else "as by default"
    return way.words(value)  # type: ignore[arg-type]  # the field's own shape


def _stopping(value: str, teams: tuple[str, ...]) -> tuple[Risk, tuple[str, ...]]:
    """Return what a stop means: HoldAndDrain evicts, Hold admits nothing more."""
    return {
        "HoldAndDrain": (Risk.DISRUPTIVE, teams),
        "Hold": (Risk.LOW, teams),
    }.get(value, (Risk.NONE, ()))
