"""Objects that can only go and come back: LocalQueues that would point elsewhere, and priorities that would change.

A LocalQueue's ClusterQueue never changes, nor does the value of a PriorityClass; the API server refuses the whole sync.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuplan.conventions import LABEL_MANAGED_BY, MANAGED_BY
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.parts import ABSENT, Action, Edit, Effect, ObjectChange, Rollout, Step
from gpuplan.plan.rollout.holding import merge, synced
from gpuplan.plan.state import Plain


def layout(comparison: Comparison, _effects: Sequence[Effect]) -> Iterator[Rollout]:
    """Yield a rollout for the LocalQueues that would point elsewhere, and one for the PriorityClasses of each cluster."""
    clusters = sorted({change.ref.cluster or "" for change in comparison.objects})
    turned = {cluster: queues for cluster in clusters if (queues := list(_fixed(comparison, "LocalQueue", cluster)))}
    if turned:
        yield _requeued(comparison, turned)
    for cluster in clusters:
        revalued = list(_fixed(comparison, "PriorityClass", cluster))
        if revalued:
            yield _revalued(cluster, revalued)


def _fixed(comparison: Comparison, kind: str, cluster: str) -> Iterator[ObjectChange]:
    for change in comparison.of_kind(kind, action=Action.REPLACE):
        if change.ref.cluster == cluster and change.was is None:
            yield change


def _requeued(comparison: Comparison, turned: Mapping[str, Sequence[ObjectChange]]) -> Rollout:
    namespaces = sorted({change.ref.key.namespace for changes in turned.values() for change in changes})
    everywhere = " and ".join(synced(cluster) for cluster in turned)
    first = Step(
        title=f"Take {', '.join(f'`{name}`' for name in namespaces)} out of the old team",
        edits=tuple(_taken_away(comparison, namespaces)),
        commands=tuple(
            command
            for name in namespaces
            for command in (
                f"kubectl -n {name} get workloads.kueue.x-k8s.io",
                f"kubectl -n {name} delete localqueues.kueue.x-k8s.io --selector {LABEL_MANAGED_BY}={MANAGED_BY}",
            )
        ),
        until=f"{everywhere}, the work of these namespaces has ended, and their LocalQueues are deleted",
        why="Argo CD's project no longer permits the namespaces, so that it leaves them and their LocalQueues alone: a person "
        "deletes those. Work that waits in them is submitted anew afterwards; what runs goes on until it ends.",
    )
    return Rollout(
        kind="requeue",
        cluster=next(iter(turned)) if len(turned) == 1 else None,
        subject=f"namespace {', '.join(namespaces)}",
        reason="A LocalQueue cannot be pointed at another ClusterQueue: the API server refuses it, and with it the sync.",
        steps=(first, merge(f"{everywhere}, and the new LocalQueues are Active")),
    )


def _taken_away(comparison: Comparison, namespaces: Sequence[str]) -> Iterator[Edit]:
    """Yield the edits that leave each team only the namespaces that keep their queues; a team without any goes."""
    teams = comparison.old.written.get("teams")
    for name, team in teams.items() if isinstance(teams, dict) else ():
        own = team.get("namespaces") if isinstance(team, dict) else None
        if isinstance(own, list) and set(map(str, own)) & set(namespaces):
            left: list[Plain] = [one for one in own if one not in namespaces]
            yield (
                Edit(path=("teams", name, "namespaces"), value=left)
                if left
                else Edit(path=("teams", name), value=ABSENT)
            )


def _revalued(cluster: str, revalued: Sequence[ObjectChange]) -> Rollout:
    names = [change.ref.key.name for change in revalued]
    return Rollout(
        kind="priority",
        cluster=cluster,
        subject=f"priority class {', '.join(names)}",
        reason="The value of a PriorityClass never changes: the API server refuses it, and with it the sync.",
        steps=(
            merge(
                "Argo CD reports that the API server refuses these objects; everything before their wave is in place"
            ),
            Step(
                title="Delete the old classes",
                commands=tuple(f"kubectl delete priorityclass {name}" for name in names),
                until=f"{synced(cluster)}: it makes them anew within seconds",
                why="Pods that run keep the number that they were admitted with. New pods that name a class are refused until it "
                "is back.",
            ),
        ),
    )
