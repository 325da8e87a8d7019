"""The exporter of each node gives every counter that alerts need and its cards surely have."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.verify import monitoring
from gpuplan.verify.loaded import Sample, samples
from gpuplan.verify.nodes import members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="monitoring/counters",
    title="Each exporter gives the counters that alerts need",
    reads=("Node", "prometheus"),
    why="An exporter with a list of counters of its own works and is green, and the alerts that read what it lacks are blind.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each pool with NVIDIA cards that has nodes. A silent exporter is another check's matter."""
    said = samples(scene, monitoring.COUNTERS)
    expected = monitoring.expected_counters(scene.fleet, scene.cluster)
    for pool in scene.cluster.pools:
        nodes = [node.name for node in members(scene, pool)]
        wanted = expected.get(pool.name, ())
        words = Words(
            at=scene.place(pool.path),
            good=f"{len(wanted)} counters that alerts need are there",
            bad="counters are missing that alerts need",
            fix="Compare the exporter's list of counters on the node with the one in rendered/, and look in its log.",
        )
        if nodes and wanted:
            wrong = [] if isinstance(said, str) else list(_wrong(scene, said, nodes, wanted))
            unseen = [said] if isinstance(said, str) else []
            yield verdict(DOC, f"pool {pool.name}", words, wrong=wrong, unseen=unseen, right=[", ".join(wanted)])


def _wrong(scene: Scene, said: tuple[Sample, ...], nodes: list[str], wanted: tuple[str, ...]) -> Iterator[str]:
    given: dict[str, set[str]] = {}
    for one in said:
        given.setdefault(one.labels.get("node", ""), set()).add(one.labels.get("__name__", ""))
    for node in nodes:
        lacks = [name for name in wanted if name not in given.get(node, set())]
        if lacks and (node in given or _reports(scene, node)):
            yield f"{node}: no series of {', '.join(lacks)}"


def _reports(scene: Scene, node: str) -> bool:
    said = samples(scene, monitoring.exporter_question("nvidia"))
    return not isinstance(said, str) and any(one.labels.get("node") == node for one in said)
