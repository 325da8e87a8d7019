"""The RuntimeClass by which agents and work reach the nvidia runtime is there."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.emit import agents, gpu_operator
from gpuplan.emit.gpu_operator.cluster_policy import runtime_class
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="nodes/runtime-class",
    title="The RuntimeClass of the nvidia runtime is there, with its handler",
    reads=("RuntimeClass",),
    why="A pod that names a RuntimeClass that is not there is refused; with another handler it starts and sees no card.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict where the stack needs the class: ours, or the one that the operator makes."""
    wanted = _wanted(scene)
    if not wanted:
        return
    name, handler = wanted
    found = {one["metadata"]["name"]: str(one.get("handler", "")) for one in scene.seen("RuntimeClass")}
    wrong = []
    if name not in found:
        wrong.append(f"RuntimeClass {name}: absent; there are {', '.join(sorted(found)) or 'none'}")
    elif handler and found[name] != handler:
        wrong.append(f"RuntimeClass {name}: handler={found[name]}, expected {handler}")
    words = Words(
        at=scene.place(scene.cluster.path),
        good=f"handler {found.get(name, '')}",
        bad="it is not as the node agents need it",
        fix="Sync the cluster's Application (rendered/…/25-runtime); where the operator makes it, see its toolkit's pods.",
    )
    yield verdict(DOC, f"RuntimeClass {name}", words, wrong=wrong)


def _wanted(scene: Scene) -> tuple[str, str] | None:
    """Return the name and the handler (empty where the operator chooses it); None where nothing needs a class."""
    for one in scene.wanted("RuntimeClass"):
        return str(one["metadata"]["name"]), str(one["handler"])
    cluster = scene.cluster
    if cluster.operator_pools:
        return runtime_class(scene.fleet, cluster), ""
    if agents.managed_pools(cluster) and agents.needs_runtime_class(cluster):
        made = gpu_operator.makes_runtime_class(scene.fleet, cluster, conventions.RUNTIME_CLASS)
        return (conventions.RUNTIME_CLASS, "") if made else None
    return None
