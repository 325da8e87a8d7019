"""The API server and the kubelets run versions that go together, the server the spec's."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import versions
from gpuplan.verify.nodes import members
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict
from gpuplan.versions import Version

DOC = CheckDoc(
    id="nodes/kubernetes",
    title="The API server runs the spec's Kubernetes, and each kubelet one that goes with it",
    reads=("Node",),
    why="What is rendered is for the spec's version; a kubelet newer than its server, or over three behind, is not supported.",
)
SKEW = 3
"""Minor versions that a kubelet may be older than the server (Kubernetes' version skew policy, since 1.28)."""


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict on the server, and one for each pool that has nodes."""
    stated = scene.cluster.kubernetes
    server = versions.parse(scene.observed.kubernetes)
    yield _server(scene, stated, server)
    for pool in scene.cluster.pools:
        found = members(scene, pool)
        limit = server or stated
        seen = [(node.name, node.runs("kubeletVersion")) for node in found]
        words = Words(
            at=scene.place((*scene.cluster.path, "kubernetes")),
            good=f"kubelets {', '.join(sorted({said for _, said in seen}))}",
            bad=f"some kubelets do not go with {limit}",
            fix="Bring the node to the cluster's version, one node at a time with a drain.",
        )
        if found:
            yield verdict(
                DOC,
                f"pool {pool.name}",
                words,
                wrong=[f"{name}: kubelet {said}, {why}" for name, said in seen if (why := _why(said, limit))],
                unseen=[f"{name}: says no kubelet version" for name, said in seen if not versions.parse(said)],
            )


def _server(scene: Scene, stated: Version, server: Version | None) -> Verdict:
    words = Words(
        at=scene.place((*scene.cluster.path, "kubernetes")),
        good=f"{server}",
        bad=f"{server}, where the spec says {stated}",
        fix="Write the version that the cluster runs, and render anew.",
        look="Snapshots of kubectl do not say it; take one by `gpuplan verify --save-snapshot FILE`.",
    )
    other = server is not None and server.minor != stated.minor
    return verdict(
        DOC,
        "API server",
        words,
        wrong=[f"API server: gitVersion={server}, expected {stated}"] if other else [],
        unseen=[] if server else ["API server: its version is not known"],
    )


def _why(said: str, server: Version) -> str:
    """Return why a kubelet does not go with a server; empty where it does, or says nothing."""
    kubelet = versions.parse(said)
    if kubelet is None:
        return ""
    behind = server.minor[1] - kubelet.minor[1]
    if behind < 0:
        return f"newer than the server's {server}"
    return f"{behind} minor versions behind the server's {server}" if behind > SKEW else ""
