"""What a drill sees: nodes, pods and disruption budgets, read from objects as the API server gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gpuplan import conventions
from gpuplan.manifests.selecting import selects

Object = Mapping[str, Any]
MIRROR = "kubernetes.io/config.mirror"
"""Annotation of pods that kubelet runs from files; nobody can evict them."""
LABELS_QUEUE = (conventions.LABEL_QUEUE_NAME, "kueue.x-k8s.io/local-queue-name")
"""Where a pod names its queue: what its template says, and what Kueue writes on pods that it has admitted."""
HOSTNAME = conventions.LABEL_HOSTNAME
ENDED = ("Succeeded", "Failed")
KILLED = 137
"""Exit code of a container that was ended by SIGKILL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition of a node; `raw` is all that it says."""

    type: str
    status: str
    reason: str
    raw: Object


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node. `cordoned_by` is the manager who wrote `spec.unschedulable`; empty where nobody is known."""

    name: str
    version: str
    labels: Mapping[str, str]
    mark: str
    """The note of a drill; empty where there is none."""
    unschedulable: bool
    cordoned_by: str
    taints: tuple[tuple[str, str], ...]
    """(key, effect)."""
    conditions: tuple[Condition, ...]
    allocatable: Mapping[str, int]
    """Whole numbers only: devices, and what else is counted."""
    boot: str
    """What changes when the machine starts anew."""

    def condition(self, name: str) -> Condition | None:
        """Return a condition by its type."""
        return next((one for one in self.conditions if one.type == name), None)

    @property
    def ready(self) -> bool:
        """Whether kubelet says that it takes pods."""
        found = self.condition("Ready")
        return found is not None and found.status == "True"

    @property
    def open(self) -> bool:
        """Whether work of the fleet may be put on it."""
        return self.ready and not self.unschedulable and not self.unhealthy

    @property
    def unhealthy(self) -> bool:
        """Whether it has the taint of nodes whose GPUs are not healthy."""
        return any(key == conventions.TAINT_UNHEALTHY for key, _ in self.taints)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """A pod. `owner` is its controller's uid, empty where it has none; `owner_name` is for people."""

    namespace: str
    name: str
    uid: str
    node: str
    labels: Mapping[str, str]
    queue: str
    owner: str
    owner_kind: str
    owner_name: str
    mirror: bool
    placed: bool
    """Whether Kueue has given it its node by name."""
    ready: bool
    waits: str
    """Why it has no node yet; empty where it has one."""
    terminating: bool
    ended: bool
    grace_seconds: int
    requests: Mapping[str, int]
    """What it asks for by resource, extended resources only."""
    restarts: int
    exit_codes: tuple[int, ...]
    """Of containers that have ended."""

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def evictable(self) -> bool:
        """Whether a drain takes it: not an agent of the node, and not one that is ending anyway."""
        return not (self.mirror or self.ended or self.terminating or self.owner_kind == "DaemonSet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A PodDisruptionBudget. `selector` is None where it selects nothing."""

    namespace: str
    name: str
    selector: Object | None
    allowed: int
    healthy: int
    desired: int
    expected: int

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"

    def covers(self, pod: Pod) -> bool:
        """Tell whether a pod is among those that it is about."""
        return pod.namespace == self.namespace and self.selector is not None and selects(self.selector, pod.labels)


def node(made: Object) -> Node:
    """Read a node."""
    metadata, spec, status = made["metadata"], made.get("spec") or {}, made.get("status") or {}
    return Node(
        name=metadata["name"],
        version=metadata.get("resourceVersion", ""),
        labels=metadata.get("labels") or {},
        mark=(metadata.get("annotations") or {}).get(conventions.ANNOTATION_DRILL, ""),
        unschedulable=bool(spec.get("unschedulable")),
        cordoned_by=_writer(metadata, "f:spec", "f:unschedulable"),
        taints=tuple((one["key"], one.get("effect", "")) for one in spec.get("taints") or ()),
        conditions=tuple(
            Condition(type=one["type"], status=one.get("status", ""), reason=one.get("reason", ""), raw=one)
            for one in status.get("conditions") or ()
        ),
        allocatable=_whole(status.get("allocatable") or {}),
        boot=(status.get("nodeInfo") or {}).get("bootID", ""),
    )


def pod(made: Object) -> Pod:
    """Read a pod."""
    metadata, spec, status = made["metadata"], made.get("spec") or {}, made.get("status") or {}
    labels = metadata.get("labels") or {}
    owner: Object = next((one for one in metadata.get("ownerReferences") or () if one.get("controller")), {})
    containers = status.get("containerStatuses") or ()
    conditions = {one["type"]: one for one in status.get("conditions") or ()}
    return Pod(
        namespace=metadata["namespace"],
        name=metadata["name"],
        uid=metadata["uid"],
        node=spec.get("nodeName", ""),
        labels=labels,
        queue=next((labels[key] for key in LABELS_QUEUE if key in labels), ""),
        owner=owner.get("uid", ""),
        owner_kind=owner.get("kind", ""),
        owner_name=owner.get("name", ""),
        mirror=MIRROR in (metadata.get("annotations") or {}),
        placed=bool(spec.get("nodeName")) and (spec.get("nodeSelector") or {}).get(HOSTNAME) == spec.get("nodeName"),
        ready=conditions.get("Ready", {}).get("status") == "True",
        waits="" if spec.get("nodeName") else conditions.get("PodScheduled", {}).get("message", "it has no node yet"),
        terminating="deletionTimestamp" in metadata,
        ended=status.get("phase") in ENDED,
        grace_seconds=int(spec.get("terminationGracePeriodSeconds", 30)),
        requests=_requests(spec),
        restarts=sum(one.get("restartCount", 0) for one in containers),
        exit_codes=tuple(
            one["state"]["terminated"]["exitCode"] for one in containers if (one.get("state") or {}).get("terminated")
        ),
    )


def budget(made: Object) -> Budget:
    """Read a disruption budget."""
    status = made.get("status") or {}
    return Budget(
        namespace=made["metadata"]["namespace"],
        name=made["metadata"]["name"],
        selector=(made.get("spec") or {}).get("selector"),
        allowed=status.get("disruptionsAllowed", 0),
        healthy=status.get("currentHealthy", 0),
        desired=status.get("desiredHealthy", 0),
        expected=status.get("expectedPods", 0),
    )


def _writer(metadata: Object, *path: str) -> str:
    """Return who wrote a field last, by what the server keeps of that."""
    for entry in metadata.get("managedFields") or ():
        held: Any = entry.get("fieldsV1") or {}
        for step in path:
            held = held.get(step) if isinstance(held, Mapping) else None
        if held is not None:
            return str(entry.get("manager", ""))
    return ""


def _whole(amounts: Mapping[str, Any]) -> dict[str, int]:
    """Return what is counted in whole pieces; `2Ti` is not."""
    return {name: int(amount) for name, amount in amounts.items() if str(amount).isdecimal()}


def _requests(spec: Object) -> dict[str, int]:
    """Add up what the containers ask for, of resources with a domain in their name."""
    found: dict[str, int] = {}
    for container in spec.get("containers") or ():
        for name, amount in _whole((container.get("resources") or {}).get("requests") or {}).items():
            if "/" in name:
                found[name] = found.get(name, 0) + amount
    return found


def pods(made: Iterable[Object]) -> tuple[Pod, ...]:
    """Read pods, by namespace and name."""
    return tuple(sorted(map(pod, made), key=lambda one: (one.namespace, one.name)))


def nodes(made: Iterable[Object]) -> tuple[Node, ...]:
    """Read nodes, by name."""
    return tuple(sorted(map(node, made), key=lambda one: one.name))
