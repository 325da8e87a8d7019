"""apps/v1 DaemonSet and Deployment, and the classes that pods name: RuntimeClass and PriorityClass."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from gpuplan.manifests.kinds.meta import LabelSelector, NamespacedMeta, ObjectMeta, StringMap
from gpuplan.manifests.kinds.pod import PodTemplateSpec, Toleration


class RollingUpdate(TypedDict):
    """How many pods may be extra or missing during a rollout: a number, or a percentage such as `25%`."""

    maxSurge: int | str
    maxUnavailable: int | str


class UpdateStrategy(TypedDict):
    """A rollout; `rollingUpdate` only with the type RollingUpdate."""

    type: Literal["RollingUpdate", "OnDelete", "Recreate"]
    rollingUpdate: NotRequired[RollingUpdate]


class DaemonSetSpec(TypedDict):
    """One pod on every node that matches. `selector` never changes after creation."""

    minReadySeconds: NotRequired[int]
    revisionHistoryLimit: int
    selector: LabelSelector
    template: PodTemplateSpec
    updateStrategy: UpdateStrategy


class DaemonSet(TypedDict):
    """apps/v1 DaemonSet."""

    apiVersion: Literal["apps/v1"]
    kind: Literal["DaemonSet"]
    metadata: NamespacedMeta
    spec: DaemonSetSpec


class DeploymentStrategy(TypedDict):
    """How pods are replaced; Recreate ends the old ones first."""

    type: Literal["Recreate"]


class DeploymentSpec(TypedDict):
    """A number of equal pods. `selector` never changes after creation."""

    progressDeadlineSeconds: int
    replicas: int
    revisionHistoryLimit: int
    selector: LabelSelector
    strategy: DeploymentStrategy
    template: PodTemplateSpec


class Deployment(TypedDict):
    """apps/v1 Deployment."""

    apiVersion: Literal["apps/v1"]
    kind: Literal["Deployment"]
    metadata: NamespacedMeta
    spec: DeploymentSpec


class RuntimeClassScheduling(TypedDict):
    """Where pods of the class may run: merged into each pod."""

    nodeSelector: NotRequired[StringMap]
    tolerations: NotRequired[list[Toleration]]


class RuntimeClass(TypedDict):
    """node.k8s.io/v1 RuntimeClass. `handler` is immutable."""

    apiVersion: Literal["node.k8s.io/v1"]
    kind: Literal["RuntimeClass"]
    metadata: ObjectMeta
    handler: str
    scheduling: NotRequired[RuntimeClassScheduling]


class PriorityClass(TypedDict):
    """scheduling.k8s.io/v1 PriorityClass. `value` is immutable; `globalDefault: false` is dropped by the server."""

    apiVersion: Literal["scheduling.k8s.io/v1"]
    kind: Literal["PriorityClass"]
    metadata: ObjectMeta
    description: NotRequired[str]
    globalDefault: NotRequired[Literal[True]]
    preemptionPolicy: Literal["PreemptLowerPriority", "Never"]
    value: int
