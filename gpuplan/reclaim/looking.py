"""Look at a cluster: its objects from the API server, what its cards did from Prometheus. All of it, or nothing is decided.

A namespace that we may not read is left out whole, and said to be: what is not seen is not judged. Of each namespace only what
is judged is kept, so that no more than one of them is held in full.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpuplan.cluster.answers import Answer, Problem
from gpuplan.cluster.kube import Fault, Kube, collection
from gpuplan.model.reclaim_kinds import Kind, Object, kinds
from gpuplan.model.reclaim_policy import ReclaimPolicy
from gpuplan.reclaim import measures, owners
from gpuplan.reclaim.measures import Answers, PodName
from gpuplan.reclaim.observed import Distrust, Observations, Owner, PodUse, PodWindow, Suspended

if TYPE_CHECKING:
    from gpuplan.cluster.prometheus import Prometheus


Clock = Callable[[], datetime.datetime]
"""Tells the time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What is seen, and what of it could not be seen, a line each."""

    observations: Observations
    faults: tuple[str, ...] = ()


def look(
    policy: ReclaimPolicy, kube: Kube, prometheus: Prometheus, clock: Clock, at: datetime.datetime | None = None
) -> Sight | Fault:
    """Return what is seen now; a fault where the API server cannot be reached.

    Prometheus is asked for its own now, and what it says is held against our `clock`: where one of the two goes wrong, samples
    are old or come from the future. With `at` it is asked for that time instead.
    """
    seen: list[Owner] = []
    suspended: list[Suspended] = []
    faults: list[str] = []
    for namespace in policy.teams:
        found = _objects(kube, namespace, kinds(policy.frameworks))
        if not isinstance(found, Fault):
            seen += owners.owners(found, policy.resources, policy.shared_resources)
            suspended += owners.suspended(found)
        elif found.unreachable:
            return found
        else:
            faults.append(f"namespace {namespace} is left out: {found.summary}")
    seen.sort(key=lambda one: str(one.reference))
    use, distrust, why = _use(policy, prometheus, seen, clock, at)
    observations = Observations(
        owners=tuple(seen), suspended=tuple(suspended), use=use, distrust=distrust, distrust_reason=why
    )
    return Sight(observations=observations, faults=(*faults, *([why] if why else [])))


def owners_in(policy: ReclaimPolicy, kube: Kube, namespace: str) -> tuple[Owner, ...] | Fault:
    """Return the owners of one namespace as they are now."""
    found = _objects(kube, namespace, kinds(policy.frameworks))
    return found if isinstance(found, Fault) else owners.owners(found, policy.resources, policy.shared_resources)


def _objects(kube: Kube, namespace: str, wanted: Iterable[Kind]) -> dict[str, Sequence[Object]] | Fault:
    """Return the objects of a namespace by kind. A kind that the server does not serve has none."""
    found: dict[str, Sequence[Object]] = {}
    for kind in wanted:
        some = kube.list(collection(kind.api_version, kind.resource, namespace))
        if not isinstance(some, Fault):
            found[kind.kind] = some
        elif not some.absent:
            return some
    return found


Use = tuple[dict[PodWindow, PodUse], Distrust | None, str]
"""What cards did, and why it is not to be trusted."""


def _use(
    policy: ReclaimPolicy, prometheus: Prometheus, seen: Iterable[Owner], clock: Clock, at: datetime.datetime | None
) -> Use:
    """Ask once for each length of window that some owner needs."""
    pools = {policy.pools[one.queue] for one in seen if one.queue in policy.pools}
    use: dict[PodWindow, PodUse] = {}
    for minutes in sorted({pool.idle_minutes for pool in pools if pool.enabled}):
        found = _window(prometheus, policy.cluster, minutes, clock(), at)
        if isinstance(found, tuple):
            return {}, *found
        use |= {(namespace, pod, minutes): one for (namespace, pod), one in found.items()}
    return use, None, ""


def _window(
    prometheus: Prometheus, cluster: str, minutes: int, now: datetime.datetime, at: datetime.datetime | None
) -> dict[PodName, PodUse] | tuple[Distrust, str]:
    rows: dict[str, tuple[measures.Row, ...]] = {}
    for name, query in measures.queries(minutes, cluster).items():
        answer = prometheus.instant(query, at)
        if isinstance(answer, Problem):
            return Distrust.UNREACHABLE, answer.summary
        if answer.partial:
            return (
                Distrust.PARTIAL,
                f"{prometheus.url} answered in part: {'; '.join(answer.warnings) or 'a store was away'}",
            )
        rows[name] = _rows(answer)
    return measures.uses(Answers(**rows), now)


def _rows(answer: Answer) -> tuple[measures.Row, ...]:
    return tuple((sample.labels, sample.value) for sample in answer.samples)
