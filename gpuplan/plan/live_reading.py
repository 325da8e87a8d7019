"""A snapshot of a cluster as kubectl prints it, read into counts.

    kubectl get nodes,clusterqueues.kueue.x-k8s.io,workloads.kueue.x-k8s.io -A -o json > live.json

Parsed data goes in; nodes are told apart by the labels of the fleet's pools. What a queue uses is what its status says is
reserved; without queues in the snapshot, it is added up from the workloads that hold quota.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from gpuplan.diagnostics import Diagnostics, Span
from gpuplan.model.fleet import Cluster
from gpuplan.model.labels import lasting_labels
from gpuplan.plan.findings import LIVE_SHAPE
from gpuplan.plan.live import LiveCluster, LiveNodes, LiveQueue
from gpuplan.quantity import Quantity

Object = Mapping[str, Any]
Usage = dict[tuple[str, str], int]
"""Pieces by (flavor, resource)."""

KINDS = ("Node", "ClusterQueue", "Workload")


def live_cluster(parsed: object, cluster: Cluster, file: str) -> tuple[LiveCluster | None, Diagnostics]:
    """Read a snapshot of one cluster: a list as kubectl prints it, or several in a list.

    `cluster` is the cluster as it is now. Without any object that counts there is None and a finding at the file.
    """
    objects = list(_objects(parsed))
    by_kind = {kind: [made for made in objects if made.get("kind") == kind] for kind in KINDS}
    wrong = [text for kind in KINDS for text in _wrong(kind, by_kind[kind])]
    if not any(by_kind.values()):
        wrong.append(f"{file} holds no {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    if wrong:
        at = Span(file, 1, 1, 1, 1)
        return None, tuple(LIVE_SHAPE.found(text, at=at) for text in wrong)
    nodes, queues, workloads = (by_kind[kind] for kind in KINDS)
    return (
        LiveCluster(
            pools=_pools(nodes, cluster) if nodes else None,
            queues=_of_status(queues) if queues else _of_workloads(workloads, cluster) if workloads else None,
        ),
        (),
    )


def _objects(parsed: object) -> Iterator[Object]:
    """Yield every object of a list, of several lists, or that stands alone."""
    if isinstance(parsed, list):
        for one in parsed:
            yield from _objects(one)
    elif isinstance(parsed, dict):
        if isinstance(parsed.get("items"), list):
            yield from _objects(parsed["items"])
        elif "kind" in parsed:
            yield parsed


def _wrong(kind: str, objects: list[Object]) -> Iterator[str]:
    """Yield what is missing in objects of a kind: `kubectl get -o name` and tables have no status."""
    for made in objects:
        metadata, status = made.get("metadata"), made.get("status", {})
        if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str) or not isinstance(status, dict):
            yield f"a {kind} has no name, or its status is no map"
            return


def _at(made: object, *path: str) -> Any:
    """Return what stands at a path of maps; None where it ends before."""
    for key in path:
        made = made.get(key) if isinstance(made, dict) else None
    return made


def _map(made: object, *path: str) -> Object:
    """Return the map at a path; an empty one where there is none."""
    found = _at(made, *path)
    return found if isinstance(found, dict) else {}


def _text(made: object, *path: str) -> str:
    """Return the text at a path; an empty one where there is none."""
    found = _at(made, *path)
    return found if isinstance(found, str) else ""


def _maps(value: object) -> Iterator[Object]:
    """Yield the maps of a list, and nothing of anything else."""
    yield from (one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def _pieces(written: object) -> int:
    """Return a quantity as whole pieces; what is none counts as 0."""
    read = Quantity.parse(written) if isinstance(written, str | int) else None
    return read.whole if read else 0


def _holds(made: Object, condition: str) -> bool:
    return any(
        one.get("type") == condition and one.get("status") == "True" for one in _maps(_at(made, "status", "conditions"))
    )


def _pools(nodes: list[Object], cluster: Cluster) -> Mapping[str, LiveNodes]:
    found = {}
    for pool in cluster.pools:
        wanted = lasting_labels(cluster, pool).items()
        present = [node for node in nodes if wanted <= _map(node, "metadata", "labels").items()]
        usable = [node for node in present if _holds(node, "Ready") and not _at(node, "spec", "unschedulable")]
        offered: Counter[str] = Counter()
        for node in usable:
            offered.update({name: _pieces(text) for name, text in _map(node, "status", "allocatable").items()})
        found[pool.name] = LiveNodes(present=len(present), schedulable=len(usable), allocatable=dict(offered))
    return found


def _of_status(queues: list[Object]) -> Mapping[str, LiveQueue]:
    return {
        queue["metadata"]["name"]: LiveQueue(
            admitted=_pieces(_at(queue, "status", "reservingWorkloads")),
            pending=_pieces(_at(queue, "status", "pendingWorkloads")),
            usage={
                (str(flavor.get("name")), str(one.get("name"))): _pieces(one.get("total"))
                for flavor in _maps(_at(queue, "status", "flavorsReservation"))
                for one in _maps(flavor.get("resources"))
            },
        )
        for queue in queues
    }


def _of_workloads(workloads: list[Object], cluster: Cluster) -> Mapping[str, LiveQueue]:
    """Add up the workloads: those with an admission hold quota, the others wait in the queue that their LocalQueue leads to."""
    leads_to = {
        (namespace, cohort.local_queue): queue.name
        for cohort in cluster.cohorts
        for queue in cohort.queues
        for namespace in queue.team.namespaces
    }
    admitted, pending = Counter[str](), Counter[str]()
    usage: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for made in workloads:
        if _holds(made, "Finished"):
            continue
        queue = _text(made, "status", "admission", "clusterQueue")
        if queue:
            admitted[queue] += 1
            usage[queue].update(_used(made))
        else:
            waiting = leads_to.get((_text(made, "metadata", "namespace"), _text(made, "spec", "queueName")))
            pending.update([waiting] if waiting else [])
    return {
        name: LiveQueue(admitted=admitted[name], pending=pending[name], usage=dict(usage[name]))
        for name in sorted({*leads_to.values(), *admitted})
    }


def _used(workload: Object) -> Usage:
    """Return what an admitted workload holds."""
    found: Counter[tuple[str, str]] = Counter()
    for pods in _maps(_at(workload, "status", "admission", "podSetAssignments")):
        for resource, amount in _map(pods, "resourceUsage").items():
            found[_text(pods, "flavors", resource), resource] += _pieces(amount)
    return dict(found)
