"""Kueue's objects are all there."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.verify.comparing import by_name, rendered, shown
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

KINDS = ("Topology", "ResourceFlavor", "Cohort", "ClusterQueue", "LocalQueue")
DOC = CheckDoc(
    id="queues/present",
    title="Every queue, cohort, flavor and topology of the fleet is on the cluster",
    reads=KINDS,
    why="Work in a queue that is not there waits for ever without a word, and a missing cohort silently ends its limits.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each kind of which something was rendered."""
    for kind in KINDS:
        wanted = rendered(scene, kind)
        live = by_name(scene.seen(kind))
        missing = [one for one in wanted if (one.key.namespace, one.key.name) not in live]
        words = Words(
            at=next((one.origin.span for one in (*missing, *wanted)), None),
            good="all are there",
            bad=f"{len(missing)} of {len(wanted)} are missing",
            fix=f"Let Argo CD sync the cluster, and see there why {kind} objects are refused or pruned.",
        )
        wrong = [f"{kind} {shown((one.key.namespace, one.key.name))} is not there" for one in missing]
        if wanted:
            yield verdict(DOC, f"objects of kind {kind}", words, wrong=wrong, right=[f"{len(wanted)} are there"])
