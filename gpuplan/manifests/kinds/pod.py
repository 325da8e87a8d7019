"""The pod template and all below it, as core/v1 names it."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from gpuplan.manifests.kinds.meta import LabelSelector, LocalObjectReference, StringMap, TemplateMeta
from gpuplan.manifests.kinds.volume import Volume

TaintEffect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class Toleration(TypedDict):
    """A taint that a pod accepts. No `key` with `Exists` accepts all; `effect` left out means every effect.

    `operator` is written always: a ResourceFlavor's schema defaults it to `Equal`.
    """

    key: NotRequired[str]
    operator: Literal["Equal", "Exists"]
    value: NotRequired[str]
    effect: NotRequired[TaintEffect]
    tolerationSeconds: NotRequired[int]


class ObjectFieldSelector(TypedDict):
    """A field of the pod, such as `spec.nodeName`."""

    apiVersion: Literal["v1"]
    fieldPath: str


class KeySelector(TypedDict):
    """A key of a ConfigMap or Secret."""

    name: str
    key: str
    optional: NotRequired[bool]


class EnvVarSource(TypedDict):
    """Where a variable's value comes from; exactly one key."""

    fieldRef: NotRequired[ObjectFieldSelector]
    configMapKeyRef: NotRequired[KeySelector]
    secretKeyRef: NotRequired[KeySelector]


class EnvVar(TypedDict):
    """An environment variable. The server drops an empty `value`."""

    name: str
    value: NotRequired[str]
    valueFrom: NotRequired[EnvVarSource]


class ContainerPort(TypedDict):
    """A port that a container listens on. On the host network the server sets `hostPort` to `containerPort`."""

    name: NotRequired[str]
    containerPort: int
    hostPort: NotRequired[int]
    protocol: Literal["TCP", "UDP"]


class VolumeMount(TypedDict):
    """Where a volume appears in the container."""

    name: str
    mountPath: str
    readOnly: NotRequired[Literal[True]]
    subPath: NotRequired[str]
    mountPropagation: NotRequired[Literal["None", "HostToContainer", "Bidirectional"]]


class Capabilities(TypedDict):
    """Linux capabilities."""

    add: NotRequired[list[str]]
    drop: NotRequired[list[str]]


class SeccompProfile(TypedDict):
    """The seccomp filter."""

    type: Literal["RuntimeDefault", "Unconfined", "Localhost"]
    localhostProfile: NotRequired[str]


class SecurityContext(TypedDict):
    """What a container may do. These are pointers in the API, so `false` is kept."""

    allowPrivilegeEscalation: NotRequired[bool]
    capabilities: NotRequired[Capabilities]
    privileged: NotRequired[bool]
    readOnlyRootFilesystem: NotRequired[bool]
    runAsGroup: NotRequired[int]
    runAsNonRoot: NotRequired[bool]
    runAsUser: NotRequired[int]
    seccompProfile: NotRequired[SeccompProfile]


class PodSecurityContext(TypedDict):
    """What all containers of a pod may do; written as `{}` when nothing is asked, as the server does."""

    fsGroup: NotRequired[int]
    runAsGroup: NotRequired[int]
    runAsNonRoot: NotRequired[bool]
    runAsUser: NotRequired[int]
    seccompProfile: NotRequired[SeccompProfile]


class ResourceRequirements(TypedDict):
    """Requests and limits as canonical quantities. A request left out beside a limit is set to the limit."""

    limits: NotRequired[StringMap]
    requests: NotRequired[StringMap]


class HTTPGetAction(TypedDict):
    """An HTTP probe's target."""

    path: str
    port: int | str
    scheme: Literal["HTTP", "HTTPS"]


class TCPSocketAction(TypedDict):
    """A TCP probe's target."""

    port: int | str


class ExecAction(TypedDict):
    """A command."""

    command: list[str]


class Probe(TypedDict):
    """A probe; exactly one of `httpGet`, `tcpSocket`, `exec`. Times in seconds."""

    httpGet: NotRequired[HTTPGetAction]
    tcpSocket: NotRequired[TCPSocketAction]
    exec: NotRequired[ExecAction]
    initialDelaySeconds: NotRequired[int]
    timeoutSeconds: int
    periodSeconds: int
    successThreshold: int
    failureThreshold: int


class LifecycleHandler(TypedDict):
    """What runs at a container's start or end."""

    exec: ExecAction


class Lifecycle(TypedDict):
    """Hooks of a container."""

    postStart: NotRequired[LifecycleHandler]
    preStop: NotRequired[LifecycleHandler]


class Container(TypedDict):
    """A container. `resources` is written as `{}` when empty, as the server does."""

    name: str
    image: str
    imagePullPolicy: Literal["Always", "IfNotPresent", "Never"]
    command: NotRequired[list[str]]
    args: NotRequired[list[str]]
    env: NotRequired[list[EnvVar]]
    ports: NotRequired[list[ContainerPort]]
    resources: ResourceRequirements
    volumeMounts: NotRequired[list[VolumeMount]]
    livenessProbe: NotRequired[Probe]
    readinessProbe: NotRequired[Probe]
    startupProbe: NotRequired[Probe]
    lifecycle: NotRequired[Lifecycle]
    restartPolicy: NotRequired[Literal["Always"]]
    securityContext: NotRequired[SecurityContext]
    terminationMessagePath: str
    terminationMessagePolicy: Literal["File", "FallbackToLogsOnError"]


class NodeSelectorRequirement(TypedDict):
    """One node label term."""

    key: str
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    values: NotRequired[list[str]]


class NodeSelectorTerm(TypedDict):
    """Terms that must all hold."""

    matchExpressions: list[NodeSelectorRequirement]


class NodeSelector(TypedDict):
    """Alternatives: one term is enough."""

    nodeSelectorTerms: list[NodeSelectorTerm]


class PreferredSchedulingTerm(TypedDict):
    """A wish with a weight of 1 to 100."""

    weight: int
    preference: NodeSelectorTerm


class NodeAffinity(TypedDict):
    """Which nodes a pod needs or prefers."""

    requiredDuringSchedulingIgnoredDuringExecution: NotRequired[NodeSelector]
    preferredDuringSchedulingIgnoredDuringExecution: NotRequired[list[PreferredSchedulingTerm]]


class PodAffinityTerm(TypedDict):
    """Pods to be near to, or away from, within one topology domain."""

    labelSelector: LabelSelector
    topologyKey: str


class PodAntiAffinity(TypedDict):
    """Which pods a pod must stay away from."""

    requiredDuringSchedulingIgnoredDuringExecution: NotRequired[list[PodAffinityTerm]]


class Affinity(TypedDict):
    """Affinity to nodes and pods."""

    nodeAffinity: NotRequired[NodeAffinity]
    podAntiAffinity: NotRequired[PodAntiAffinity]


class PodSpec(TypedDict):
    """A pod. `serviceAccount` is the old name that the server writes beside `serviceAccountName`: give both or none."""

    affinity: NotRequired[Affinity]
    automountServiceAccountToken: NotRequired[bool]
    containers: list[Container]
    dnsPolicy: Literal["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]
    hostIPC: NotRequired[Literal[True]]
    hostNetwork: NotRequired[Literal[True]]
    hostPID: NotRequired[Literal[True]]
    imagePullSecrets: NotRequired[list[LocalObjectReference]]
    initContainers: NotRequired[list[Container]]
    nodeSelector: NotRequired[StringMap]
    priorityClassName: NotRequired[str]
    restartPolicy: Literal["Always", "OnFailure", "Never"]
    runtimeClassName: NotRequired[str]
    schedulerName: str
    securityContext: PodSecurityContext
    serviceAccount: NotRequired[str]
    serviceAccountName: NotRequired[str]
    shareProcessNamespace: NotRequired[bool]
    terminationGracePeriodSeconds: int
    tolerations: NotRequired[list[Toleration]]
    volumes: NotRequired[list[Volume]]


class PodTemplateSpec(TypedDict):
    """The template of a workload's pods."""

    metadata: TemplateMeta
    spec: PodSpec
