"""Priority classes: of workloads, which Kueue orders and evicts by, and of pods."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import reading
from gpuplan.plan.effects.pruning import fate
from gpuplan.plan.effects.queues import GOES
from gpuplan.plan.parts import Action, Effect, ObjectChange, Risk

POD_CLASS = "PriorityClass"
WORKLOAD_CLASS = "WorkloadPriorityClass"


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what happens to priority classes: those that come or go together as one."""
    come: dict[str, list[ObjectChange]] = defaultdict(list)
    gone: dict[str, list[ObjectChange]] = defaultdict(list)
    for change in reading.changes(comparison, WORKLOAD_CLASS, POD_CLASS):
        cluster = reading.new_cluster(comparison, change)
        if change.action is Action.CREATE:
            come[cluster].append(change)
        elif change.action is Action.DELETE:
            gone[cluster].append(change)
        else:
            yield from _changed(cluster, change)
    for cluster, some in come.items():
        yield _together("priority/class-added", Risk.NONE, cluster, f"{_names(some)} are new", some)
    for cluster, some in gone.items():
        told = f"{_names(some)} go: what has them keeps its priority, new work that names them is refused"
        yield _together("priority/class-removed", Risk.LOW, cluster, f"{told}; {GOES[fate(comparison, some[0])]}", some)


def _names(some: Sequence[ObjectChange]) -> str:
    return reading.listed(sorted(change.ref.key.name for change in some))


def _together(fact: str, risk: Risk, cluster: str, told: str, some: Sequence[ObjectChange]) -> Effect:
    return Effect(
        fact=fact,
        risk=risk,
        cluster=cluster,
        subject=f"priority classes of {cluster}",
        summary=f"priority classes {told}",
        objects=reading.refs(some),
        causes=reading.causes(some),
    )


def _changed(cluster: str, change: ObjectChange) -> Iterator[Effect]:
    """Yield what a new value does: Kueue takes it over for waiting and running work, Kubernetes refuses it."""
    before, after = change.before or {}, change.after or {}
    fields = [field for field in ("value", "preemptionPolicy") if before.get(field) != after.get(field)]
    if not fields:
        return
    subject = f"{change.ref.key.kind} {change.ref.key.name}"
    values = reading.listed(f"{field} {reading.stepped_text(before.get(field), after.get(field))}" for field in fields)
    of_pods = change.ref.key.kind == POD_CLASS
    told = (
        "can never change: the API server refuses, and the sync stops until a person deletes the class; pods keep the old one"
        if of_pods
        else "Kueue gives it to all work of the class, which changes who waits and who is evicted first"
    )
    yield Effect(
        fact="priority/immutable" if of_pods else "priority/value-changed",
        risk=Risk.DISRUPTIVE if of_pods else Risk.LOW,
        cluster=cluster,
        subject=subject,
        summary=f"{subject}: {values}; {told}",
        objects=(change.ref,),
        causes=change.causes,
    )
