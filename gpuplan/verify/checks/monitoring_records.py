"""The series that hold whatever happens are recorded."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.monitoring import series
from gpuplan.inventory.metrics import promql
from gpuplan.verify import monitoring
from gpuplan.verify.loaded import recorded, rules_of, samples
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="monitoring/records",
    title="The series that our rules record are there",
    reads=("Node", "prometheus"),
    why="Dashboards, bills and the reclaimer read recorded series; without them they show nothing, and act on nothing.",
)
_WITH_NODES = tuple(one.name for one in (series.NODE_CARDS, series.NODE_POOL, series.POOL_CAPACITY))
"""What is there as soon as the cluster has nodes with cards."""


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each group that records what must be there: constants of the spec, and what each node gives."""
    said = samples(scene, monitoring.RECORDS)
    words = Words(
        at=scene.place(scene.fleet.monitoring.path),
        good="its series are there",
        bad="series are missing",
        fix="See that the group is loaded and evaluated, and that Prometheus answers from where rules write to.",
    )
    for group in rules_of(scene.manifests):
        wanted = sorted({rule.name for rule in group.rules if not rule.alerts and _must(scene, rule.name, rule.expr)})
        if not wanted:
            continue
        if isinstance(said, str):
            yield verdict(DOC, f"group {group.name}", words, wrong=(), unseen=[said])
            continue
        there = {one.labels.get("__name__", "") for one in said}
        wrong = [f"no series of {name}" for name in wanted if name not in there]
        quiet = sorted({*recorded([group])} - there - {*wanted})
        right = [f"without series now, which can be right: {', '.join(quiet)}"] if quiet else []
        yield verdict(
            DOC, f"group {group.name}", words, wrong=wrong, right=[f"{len(wanted)} series that must be there", *right]
        )


def _must(scene: Scene, name: str, expr: str) -> bool:
    read = promql.read(expr)
    constant = read.tree is not None and not read.selectors
    return (constant and name != series.PEAK_HOURS.name) or (name in _WITH_NODES and bool(scene.seen("Node")))
