"""Pods in the agents' namespaces have the powers over their node that were rendered, and no other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gpuplan.verify.agent_pods import (
    ABSENT,
    READS,
    SYNC,
    Agent,
    agents,
    containers,
    namespaces,
    owner,
    strangers,
    template_of,
)
from gpuplan.verify.comparing import name_of
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="rights/pods",
    title="Agents' pods are privileged, mount host paths and add capabilities only where that was rendered",
    reads=READS,
    why="The agents' namespaces must allow privileged pods, so anything that gets in there owns the node it runs on.",
)
HOST = ("hostNetwork", "hostPID", "hostIPC")


def powers(spec: Mapping[str, Any]) -> frozenset[str]:
    """Return the powers of a pod over its node, each in words: `privileged`, `hostPath /dev`, `capability SYS_ADMIN`."""
    found = {key for key in HOST if spec.get(key)}
    found |= {f"hostPath {one['hostPath'].get('path')}" for one in spec.get("volumes") or () if one.get("hostPath")}
    for one in containers(spec):
        security = one.get("securityContext") or {}
        found |= {"privileged"} if security.get("privileged") else set()
        found |= {f"capability {name}" for name in (security.get("capabilities") or {}).get("add") or ()}
    return frozenset(found)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each rendered workload, and one for all other pods of each namespace of agents."""
    for agent in agents(scene):
        yield _agent(agent)
    for namespace in namespaces(scene):
        yield _strangers(scene, namespace)


def _agent(agent: Agent) -> Verdict:
    allowed = powers(template_of(agent.manifest.object))
    seen = list(agent.seen)
    words = Words(
        at=agent.manifest.origin.span,
        good="its pods have the powers that were rendered",
        bad="its pods have powers that were not rendered",
        fix="Let Argo CD sync it, and see who changed it and whether a webhook changes its pods.",
        unknown=ABSENT,
        look=SYNC,
    )
    return verdict(
        DOC,
        agent.name,
        words,
        wrong=[f"{name}: {', '.join(sorted(more))}" for name, spec in seen if (more := powers(spec) - allowed)],
        unseen=[] if seen else [f"{agent.name} is not there, and no pod of it"],
        right=[f"{len(agent.pods)} pods, with {', '.join(sorted(allowed)) or 'no power over the node'}"],
    )


def _strangers(scene: Scene, namespace: str) -> Verdict:
    others = strangers(scene, namespace)
    wrong = [
        f"Pod {'/'.join(name_of(pod))} ({owner(pod)[0]} {owner(pod)[2]}): {', '.join(sorted(found))}"
        for pod in others
        if (found := powers(pod.get("spec") or {}))
    ]
    words = Words(
        at=scene.place(scene.cluster.path),
        good="none has a power over its node",
        bad=f"{len(wrong)} have powers over their node that nobody rendered",
        fix="See who made them; what belongs to the platform goes into another namespace, with its own Pod Security level.",
    )
    right = [f"{len(others)} pods that were not rendered"]
    return verdict(DOC, f"other pods in namespace {namespace}", words, wrong=wrong, right=right)
