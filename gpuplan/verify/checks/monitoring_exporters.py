"""Each node of a pool has series of its exporter in Prometheus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuplan.model.pools import NodePool
from gpuplan.verify import monitoring
from gpuplan.verify.loaded import Sample, samples, targets
from gpuplan.verify.nodes import members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="monitoring/exporters",
    title="Prometheus has series of the cards of each node",
    reads=("Node", "prometheus"),
    why="Of a node whose exporter is not scraped no alert fires, whatever happens to its cards.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each pool that has nodes."""
    for pool in scene.cluster.pools:
        found = members(scene, pool)
        words = Words(
            at=scene.place(pool.path),
            good="every node reports cards",
            bad="nodes report no card",
            fix="See whether the exporter's pod runs on the node, whether a monitor selects it, and whether Prometheus reads "
            "that monitor (`monitoring.selectorLabels`).",
            look="The series name no node: scrape the exporter with a label `node`, as the monitors that gpuplan renders do.",
        )
        if found:
            wrong, unseen = _judged(scene, pool, [node.name for node in found])
            yield verdict(
                DOC, f"pool {pool.name}", words, wrong=wrong, unseen=unseen, right=[f"{len(found)} nodes report"]
            )


def _judged(scene: Scene, pool: NodePool, nodes: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return what is wrong and what is not seen. Somebody else's exporter may well name no node."""
    family = monitoring.family_of(scene.fleet, pool)
    said = samples(scene, monitoring.exporter_question(family))
    if isinstance(said, str):
        return [], [said]
    metric = scene.fleet.catalog.vendors.by_name[family].exporter.metrics.presence
    if not said:
        return [f"no series of {metric} at all: no exporter is scraped"], []
    if pool.stack == "external" and not any(one.labels.get("node") for one in said):
        return [], [f"{metric} has no label `node`"]
    reporting = {one.labels.get("node", "") for one in said}
    return [f"{node}: no series of {metric}{_why(scene, said, node)}" for node in nodes if node not in reporting], []


def _why(scene: Scene, said: Sequence[Sample], node: str) -> str:
    """Return what Prometheus says of the node's target, as far as it has any."""
    found = targets(scene)
    if isinstance(found, str):
        return ""
    jobs = {one.labels.get("job", "") for one in said}
    its = [one for one in found if one["labels"]["job"].text() in jobs and one["labels"]["node"].text() == node]
    if not its:
        return ", and no target of it"
    errors = [one["lastError"].text() for one in its if one["lastError"].text()]
    return f"; its target says: {errors[0]}" if errors else ", and its target is up"
