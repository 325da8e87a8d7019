"""Each node of a pool has the labels that selectors and agents go by."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.model.labels import all_labels
from gpuplan.model.pools import SelectedBy
from gpuplan.verify.nodes import members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="nodes/labels",
    title="Each node has the labels of its pool",
    reads=("Node",),
    why="Flavors, agents and drivers find their nodes by labels: a node that lacks one stays idle while work waits.",
)
_WHO = {
    SelectedBy.LABELS: "whoever makes the nodes",
    SelectedBy.NFD: "Node Feature Discovery, by the rendered NodeFeatureRule",
    SelectedBy.PROVISIONER: "the provisioner, by the rendered snippet",
}


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each pool that has nodes. The MIG layout is looked at by `devices/mig`."""
    for pool in scene.cluster.pools:
        found = members(scene, pool)
        wanted = all_labels(scene.cluster, pool)
        wanted.pop(conventions.LABEL_MIG_CONFIG, None)
        wrong = [
            f"{node.name}: {key}={node.labels.get(key, '(absent)')}, expected {value}"
            for node in found
            for key, value in wanted.items()
            if node.labels.get(key) != value
        ]
        wrong += [
            f"{node.name}: {key} is absent, a level of its topology"
            for node in found
            for key in pool.tier.levels
            if not node.labels.get(key)
        ]
        words = Words(
            at=scene.place((*pool.path, "selectedBy")),
            good=f"all have {', '.join(f'{key}={value}' for key, value in wanted.items())}",
            bad="some lack a label, or have another value",
            fix=f"They are set by {_WHO[pool.selection.by]}: see why not on these nodes.",
        )
        if found:
            yield verdict(DOC, f"pool {pool.name}", words, wrong=wrong)
