"""Cases of the alert on work that lost its cards."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.monitoring import scenes
from gpuplan.emit.monitoring.alerts import Case
from gpuplan.emit.monitoring.kueue_scenes import HOUR, Queue, queues
from gpuplan.emit.monitoring.kueue_series import LOCAL_EVICTED, PENDING
from gpuplan.model.fleet import Cluster

_AT = f"{2 * HOUR}m"


def spike(cluster: Cluster, most: int) -> Iterator[Case]:
    """Yield cases by how many workloads of a namespace a stopped queue evicted within an hour."""
    queue = next(queues(cluster))
    fires = ({"namespace": queue.namespace, "team": queue.team.name},)
    known = {**queue.known(), **queue.namespace_known(), queue.of(PENDING, status="active"): f"0x{4 * HOUR}"}
    many, fewer = f"0x30 {most + 1}x{3 * HOUR}", f"0x30 {most}x{3 * HOUR}"
    yield Case(
        kind="firing", name="more are evicted than may be", inputs={**known, _of(queue): many}, at=_AT, fires=fires
    )
    yield Case(kind="healthy", name="nothing is evicted", inputs={**known, _of(queue): f"7x{4 * HOUR}"}, at=_AT)
    yield Case(kind="absent", name="Kueue is silent", inputs={**queue.known(), **queue.namespace_known()}, at=_AT)
    yield Case(kind="edge", name="as many are evicted as may be", inputs={**known, _of(queue): fewer}, at=_AT)
    stale = {**known, _of(queue, role="follower"): many}
    yield Case(kind="edge", name="a replica that does not lead counts", inputs=stale, at=_AT)
    halves = {_of(queue, priority_class="low"): f"0x30 {most}x{3 * HOUR}", _of(queue): f"0x30 1x{3 * HOUR}"}
    yield Case(kind="edge", name="two priorities together are more", inputs={**known, **halves}, at=_AT, fires=fires)


def _of(queue: Queue, *, role: str = "leader", priority_class: str = "normal") -> str:
    labels = {"namespace": queue.namespace, "name": queue.task_pool.local_queue, "replica_role": role}
    return scenes.series(LOCAL_EVICTED, **labels, reason="ClusterQueueStopped", priority_class=priority_class)
