"""Agents run code from where it was rendered, nothing beside it, and the same on all nodes.

Whether node agents run the version of the release is `agents/images`; here it is who can change what runs: another registry
or repository, a container that was added, a tag that was pushed anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gpuplan.verify.agent_pods import ABSENT, READS, SYNC, Agent, agents, containers, namespaces, strangers, template_of
from gpuplan.verify.comparing import name_of
from gpuplan.verify.observed import Object
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="rights/images",
    title="Agents run images from the rendered repositories, one digest of each, and no other container",
    reads=READS,
    why="A tag can be pushed anew: nodes then run different code under one name, and nobody has reviewed it.",
)
NAMED = 3
"""Pods that a line of evidence names."""


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each rendered workload, and one for all other pods of each namespace of agents."""
    found = agents(scene)
    for agent in found:
        yield _agent(agent)
    images = {image for agent in found for image in _images(template_of(agent.manifest.object)).values()}
    for namespace in namespaces(scene):
        yield _strangers(scene, namespace, {_registry(image) for image in images})


def _images(spec: Mapping[str, object]) -> dict[str, str]:
    return {str(one.get("name")): str(one.get("image")) for one in containers(spec)}


def _agent(agent: Agent) -> Verdict:
    written = _images(template_of(agent.manifest.object))
    exact = agent.manifest.key.kind != "DaemonSet"
    seen = list(agent.seen)
    wrong = [line for name, spec in seen for line in _differs(name, _images(spec), written, exact=exact)]
    digests = _digests(agent.pods)
    words = Words(
        at=agent.manifest.origin.span,
        good="it runs what was rendered",
        bad="it runs what was not rendered" if wrong else "its nodes run different images of one tag",
        fix="Let Argo CD sync it; where one tag has several digests, render the image by digest or restart the old pods.",
        unknown=ABSENT,
        look=SYNC,
    )
    return verdict(
        DOC,
        agent.name,
        words,
        wrong=[*wrong, *_several(digests)],
        unseen=[] if seen else [f"{agent.name} is not there, and no pod of it"],
        right=[*sorted(set(written.values())), *(f"{image}: {next(iter(one))}" for image, one in digests.items())],
    )


def _differs(name: str, images: Mapping[str, str], written: Mapping[str, str], *, exact: bool) -> Iterator[str]:
    """Yield what runs from elsewhere; `exact` asks for the very image, tag and all."""
    for container, image in images.items():
        if container not in written:
            yield f"{name}: container {container} with image {image} was not rendered"
        elif (image != written[container]) if exact else (_repository(image) != _repository(written[container])):
            yield f"{name}: image {image} in container {container}, rendered {written[container]}"


def _digests(pods: Iterable[Object]) -> dict[str, dict[str, list[str]]]:
    """Return by image and digest the nodes that run it. A pod that has not started has none yet."""
    found: dict[str, dict[str, list[str]]] = {}
    for pod in pods:
        status, spec = pod.get("status") or {}, pod.get("spec") or {}
        asked = _images(spec)
        for kind in ("initContainerStatuses", "containerStatuses"):
            for one in status.get(kind) or ():
                digest = str(one.get("imageID") or "").rpartition("@")[2]
                if digest:
                    nodes = found.setdefault(asked.get(one.get("name"), ""), {}).setdefault(digest, [])
                    nodes.append(str(spec.get("nodeName", "")))
    return found


def _several(digests: Mapping[str, Mapping[str, list[str]]]) -> Iterator[str]:
    for image, nodes in digests.items():
        if len(nodes) > 1:
            for digest, some in sorted(nodes.items()):
                more = f" and {len(some) - NAMED} more" if len(some) > NAMED else ""
                yield f"{image} is {digest} on {', '.join(sorted(some)[:NAMED])}{more}"


def _repository(image: str) -> str:
    """Return an image without its tag and digest.

    >>> [_repository(image) for image in ("nvcr.io/nvidia/dcgm:4.6", "host:5000/a", "host:5000/a:1@sha256:00")]
    ['nvcr.io/nvidia/dcgm', 'host:5000/a', 'host:5000/a']
    """
    path, slash, last = image.partition("@")[0].rpartition("/")
    return f"{path}{slash}{last.partition(':')[0]}"


def _registry(image: str) -> str:
    """Return the registry of an image; Docker Hub's where it names none.

    >>> [_registry(image) for image in ("nvcr.io/nvidia/k8s-device-plugin:v1", "busybox", "library/busybox", "host:5000/a")]
    ['nvcr.io', 'docker.io', 'docker.io', 'host:5000']
    """
    first, slash, _ = image.partition("/")
    return first if slash and ("." in first or ":" in first or first == "localhost") else "docker.io"


def _strangers(scene: Scene, namespace: str, registries: set[str]) -> Verdict:
    """Judge pods that were not rendered; where nothing was, no registry is known to be right or wrong."""
    others = strangers(scene, namespace)
    wrong = [
        f"Pod {'/'.join(name_of(pod))}: image {image} from {_registry(image)}"
        for pod in others
        for image in _images(pod.get("spec") or {}).values()
        if registries and _registry(image) not in registries
    ]
    words = Words(
        at=scene.place(scene.cluster.path),
        good="none runs an image from elsewhere",
        bad="some run images from registries that nothing rendered names",
        fix="See who made them, and what they do among the agents.",
    )
    right = [f"{len(others)} pods that were not rendered; registries in use: {', '.join(sorted(registries)) or 'none'}"]
    return verdict(DOC, f"other pods in namespace {namespace}", words, wrong=wrong, right=right)
