"""Agents run the images of the cluster's release."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.verify.agents import expected, pods
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="agents/images",
    title="Agents run the images of the cluster's release",
    reads=("Pod",),
    why="Versions of a release go together; one agent of another may read a configuration or name a metric otherwise.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each agent of each pool that has pods."""
    running = pods(scene)
    for one in expected(scene):
        its = [pod for pod in running if pod.matches(one.namespace, one.labels)]
        words = Words(
            at=scene.place((*scene.cluster.path, "release")),
            good=", ".join(sorted(one.images)),
            bad=f"some pods do not run {', '.join(sorted(one.images))}",
            fix="Sync the cluster's Application and wait for the rollout; if it stays, see who changed the DaemonSet "
            "(`gpuplan drift`).",
        )
        if its:
            wrong = [
                f"{pod.node}: {pod.name} runs {', '.join(sorted(pod.images))}"
                for pod in its
                if not one.images <= pod.images
            ]
            yield verdict(DOC, f"{one.name} on pool {one.pool.name}", words, wrong=wrong)
