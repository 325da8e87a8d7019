"""What kube-state-metrics and Kueue must give is there, and of every queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuplan.verify import monitoring
from gpuplan.verify.loaded import metrics_read, rules_of, samples
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="monitoring/sources",
    title="Prometheus has the series of kube-state-metrics and of Kueue that our rules read, and of each queue",
    reads=("prometheus",),
    why="Who holds which card, who waits and what is free is computed from them; without them it is nothing, not zero.",
)
ALWAYS = {
    "kube-state-metrics": (
        "kube_node_created",
        "kube_node_info",
        "kube_node_spec_unschedulable",
        "kube_node_status_allocatable",
        "kube_node_status_capacity",
        "kube_pod_info",
        "kube_pod_status_phase",
    ),
    "Kueue": (
        "kueue_cluster_queue_nominal_quota",
        "kueue_cluster_queue_resource_usage",
        "kueue_pending_workloads",
    ),
}
"""What each gives as soon as it runs, whatever happens in the cluster; of the rest nobody can tell whether it must be there."""
_FIXES = {
    "kube-state-metrics": "Install it with the values in rendered/provisioner/, and let Prometheus scrape it.",
    "Kueue": "Let Prometheus read Kueue's monitor and its metrics (`monitoring.prometheus.serviceAccount`), and Kueue export "
    "what queues hold (`metrics.enableClusterQueueResources`).",
}


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each source that our rules read."""
    groups = rules_of(scene.manifests)
    read = frozenset(metrics_read(groups))
    said = samples(scene, monitoring.SOURCES)
    for source, always in ALWAYS.items():
        wanted = [name for name in always if name in read]
        words = Words(
            at=scene.place(scene.fleet.monitoring.path),
            good="its series are there",
            bad="series are missing that our rules read",
            fix=_FIXES[source],
        )
        if not wanted:
            continue
        if isinstance(said, str):
            yield verdict(DOC, source, words, wrong=(), unseen=[said])
            continue
        there = {one.labels.get("__name__", "") for one in said}
        lacks = [f"no series of {name}" for name in wanted if name not in there]
        wrong, unseen = _queues(scene) if source == "Kueue" and not lacks else ([], [])
        right = [f"{', '.join(wanted)}", *_quiet(read, there, wanted)]
        yield verdict(DOC, source, words, wrong=[*lacks, *wrong], unseen=unseen, right=right)


def _quiet(read: frozenset[str], there: set[str], wanted: Sequence[str]) -> Iterator[str]:
    """Say what is read of the same source and has no series now, which may well be as it should."""
    prefix = wanted[0].partition("_")[0]
    quiet = sorted(name for name in read - there if name.startswith(f"{prefix}_"))
    if quiet:
        yield f"without series now, which can be right: {', '.join(quiet)}"


def _queues(scene: Scene) -> tuple[list[str], list[str]]:
    said = samples(scene, monitoring.QUEUES)
    if isinstance(said, str):
        return [], [said]
    there = {one.labels.get("cluster_queue", "") for one in said}
    names = sorted(one["metadata"]["name"] for one in scene.wanted("ClusterQueue"))
    return [f"no series of ClusterQueue {name}" for name in names if name not in there], []
