"""Queues take work.

A person's emergency hold (`stopPolicy`) fails as well: it was meant and survives every sync, but until somebody lifts it the
queue does not do what the fleet promises. The evidence says that it is a hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuplan.manifests.set import Manifest
from gpuplan.verify.comparing import by_name, name_of, rendered, shown
from gpuplan.verify.observed import Object
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="queues/active",
    title="Every ClusterQueue is active with its LocalQueues, and none is on hold",
    reads=("ClusterQueue", "LocalQueue"),
    why="An inactive queue admits nothing: its jobs stay suspended, and only a condition of the queue says why.",
)
HOLDS: Mapping[str, str] = {
    "Hold": "a person holds it: nothing new is admitted",
    "HoldAndDrain": "a person holds it: nothing new is admitted and what runs is evicted",
}


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each ClusterQueue that is there, its LocalQueues among it."""
    live, locals_of = by_name(scene.seen("ClusterQueue")), _local_queues(scene)
    for one in rendered(scene, "ClusterQueue"):
        queue = live.get(("", one.key.name))
        if queue is not None:
            yield _verdict(one, queue, locals_of.get(one.key.name, ()))


def _local_queues(scene: Scene) -> Mapping[str, Sequence[Object]]:
    """Return the rendered LocalQueues that are there, by their ClusterQueue."""
    ours = {(one.key.namespace, one.key.name) for one in rendered(scene, "LocalQueue")}
    found: dict[str, list[Object]] = {}
    for queue in scene.seen("LocalQueue"):
        if name_of(queue) in ours:
            found.setdefault((queue.get("spec") or {}).get("clusterQueue", ""), []).append(queue)
    return found


def _verdict(one: Manifest, queue: Object, local_queues: Sequence[Object]) -> Verdict:
    inside = [problem for local in local_queues for problem in _problems("LocalQueue", local)]
    problems = [*_problems("ClusterQueue", queue), *inside]
    held = any("a person holds it" in problem for problem in problems)
    lift = "Lift the hold where its reason is gone: set spec.stopPolicy to None (gpuplan never writes it)."
    mend = "Mend what the condition names; where there is no condition, see whether Kueue runs."
    words = Words(
        at=one.origin.span,
        good="it takes work",
        bad="it is on hold" if held else "it takes no work",
        fix=lift if held else mend,
    )
    right = [f"{len(local_queues) + 1} queues say Active"]
    return verdict(DOC, f"ClusterQueue {one.key.name}", words, wrong=problems, right=right)


def _problems(kind: str, queue: Object) -> Iterator[str]:
    """Yield why a queue takes no work: one line, and nothing where it does."""
    name = f"{kind} {shown(name_of(queue))}"
    policy = (queue.get("spec") or {}).get("stopPolicy", "None")
    conditions = (queue.get("status") or {}).get("conditions") or ()
    active = next((one for one in conditions if one.get("type") == "Active"), None)
    if policy in HOLDS:
        yield f"{name}: stopPolicy {policy}, {HOLDS[policy]}"
    elif active is None:
        yield f"{name}: no condition Active, Kueue has not looked at it"
    elif active.get("status") != "True":
        yield f"{name}: Active={active.get('status')}, {active.get('reason', '')}: {active.get('message', '')}"
