"""Containers and volumes of a pod with a bad name, or one that is there already, and mounts of a volume that is not.

Names are DNS labels, each used once in a pod. A StatefulSet's claims are volumes of its pods, too.

Source: Kubernetes, validation of pods.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.reading.templates import is_placeholder
from gpuplan.inventory.scheduling.workloads import PodSet
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written
from gpuplan.suggest import meant
from gpuplan.validate.formats import dns_label

DOC = RuleDoc(
    id="manifest/pod-names",
    severity=Severity.ERROR,
    summary="Containers or volumes with a bad name or the same, or a mount without its volume",
    why="The API server refuses the pods: Invalid value, Duplicate value (of a name); Not found (of a volume).",
    fix="Give each container and each volume a name of its own; mount what stands under `volumes`.",
    bad="spec:\n  containers: [{name: a, image: b, volumeMounts: [{name: shm, mountPath: /dev/shm}]}]\n",
    good="spec:\n  containers: [{name: a, image: b, volumeMounts: [{name: shm, mountPath: /dev/shm}]}]\n"
    "  volumes: [{name: shm, emptyDir: {medium: Memory}}]\n",
)

OWN = ("", "apps", "batch")
"""Groups of which we know all that brings a pod volumes; a LeaderWorkerSet, for one, has claims of its own."""
CLAIMING = "StatefulSet"
"""The kind whose claims are volumes of its pods."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each name that repeats, and each mount of nothing."""
    for work, pods in written.pods(inventory):
        yield from _twice(work.object, "Container", [one["name"] for one in pods.containers])
        yield from _twice(work.object, "Volume", [one["name"] for one in pods.spec["volumes"].items()])
        if work.object.group in OWN:
            yield from _mounts(work.object, pods)


def _twice(one: Object, what: str, names: list[View]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for name in names:
        if name.text() and (wrong := dns_label(name.text())) and not is_placeholder(name.text()):
            yield DOC.found(f"{what} `{name.text()}` of {one} {wrong}", at=name.key_span)
        if name.text() and name.text() in seen:
            yield DOC.found(f"{what} `{name.text()}` stands twice in the pods of {one}", at=name.key_span)
        seen.add(name.text())


def _mounts(one: Object, pods: PodSet) -> Iterator[Diagnostic]:
    volumes = {volume["name"].text() for volume in pods.spec["volumes"].items()}
    if one.kind == CLAIMING:
        volumes |= {claim["metadata"]["name"].text() for claim in one.spec["volumeClaimTemplates"].items()}
    for container in pods.containers:
        for mount in container["volumeMounts"].items():
            name = mount["name"]
            if name.text() and name.text() not in volumes:
                yield DOC.found(
                    f"{one} mounts volume `{name.text()}`, which its pods do not have",
                    at=name.key_span,
                    fix=meant(name.text(), volumes, f"Write a volume `{name.text()}` under `volumes` of the pods."),
                )
