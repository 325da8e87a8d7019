"""Monitoring knows the pool of each node."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.monitoring.series import NODE_POOL
from gpuplan.verify import monitoring
from gpuplan.verify.loaded import samples
from gpuplan.verify.nodes import members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="monitoring/node-pools",
    title="Monitoring knows each node's pool",
    reads=("Node", "prometheus"),
    why="Alerts on missing cards and silent exporters start from it: of a node in no pool none of them can fire.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each pool that has nodes."""
    said = samples(scene, monitoring.POOLS)
    for pool in scene.cluster.pools:
        found = members(scene, pool)
        words = Words(
            at=scene.place(pool.path),
            good="every node is known in its pool",
            bad="nodes are not known in their pool",
            fix="Load the rules of group gpuplan-base, and give kube-state-metrics the values in rendered/provisioner/: it tells "
            "nodes' labels only where `metricLabelsAllowlist` names them.",
        )
        if not found:
            continue
        if isinstance(said, str):
            yield verdict(DOC, f"pool {pool.name}", words, wrong=(), unseen=[said])
            continue
        known = {one.labels.get("node", ""): one.labels.get("pool", "") for one in said}
        wrong = [
            f"{node.name}: {NODE_POOL} says {f'pool {known[node.name]}' if node.name in known else 'nothing of it'}"
            for node in found
            if known.get(node.name) != pool.name
        ]
        yield verdict(DOC, f"pool {pool.name}", words, wrong=wrong, right=[f"{len(found)} nodes"])
