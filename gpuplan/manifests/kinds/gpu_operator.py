"""nvidia.com of the GPU Operator: ClusterPolicy (v1) and NVIDIADriver (v1alpha1), as far as gpuplan writes them.

Fields that newer releases have added are `NotRequired`; `catalog/operator` knows since when each is accepted.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from gpuplan.manifests.kinds.meta import ObjectMeta, StringMap
from gpuplan.manifests.kinds.pod import Toleration


class OperatorEnv(TypedDict):
    """An environment variable with a fixed value."""

    name: str
    value: str


class OperatorImage(TypedDict):
    """An operand's image in three parts: `repository/image:version`."""

    repository: str
    image: str
    version: str


class Operand(OperatorImage):
    """An operand that is on or off."""

    enabled: bool


class Switch(TypedDict):
    """A part of the operator that is on or off."""

    enabled: bool


class NamedConfig(TypedDict):
    """A ConfigMap in the operator's namespace, and the entry for nodes whose label names none."""

    name: str
    default: str


class MetricsConfig(TypedDict):
    """A ConfigMap with the exporter's counters under the key `dcgm-metrics.csv`."""

    name: str


class OperatorSpec(TypedDict):
    """How the operator starts the operands."""

    defaultRuntime: Literal["containerd", "crio", "docker"]
    runtimeClass: str
    use_ocp_driver_toolkit: NotRequired[bool]


class MaxUnavailable(TypedDict):
    """Nodes whose operands may be down at once: a number as text, or a percentage."""

    maxUnavailable: str


class DaemonSetsSpec(TypedDict):
    """What all operands' DaemonSets share."""

    priorityClassName: str
    rollingUpdate: MaxUnavailable
    tolerations: list[Toleration]
    updateStrategy: Literal["RollingUpdate", "OnDelete"]


class WaitForCompletion(TypedDict):
    """Pods that a driver upgrade waits for; 0 seconds is for ever, an empty selector is no pod."""

    podSelector: NotRequired[str]
    timeoutSeconds: int


class PodDeletion(TypedDict):
    """How pods with GPUs leave a node before its driver is replaced."""

    deleteEmptyDir: bool
    force: bool
    timeoutSeconds: int


class Drain(TypedDict):
    """The drain of a node where the deletion of its pods with GPUs was not enough."""

    deleteEmptyDir: bool
    enable: bool
    force: bool
    timeoutSeconds: int


class UpgradePolicy(TypedDict):
    """How drivers are replaced, node by node. Helm's values and docs call `podDeletion` otherwise: `gpuPodDeletion`."""

    autoUpgrade: bool
    drain: NotRequired[Drain]
    maxParallelUpgrades: int
    maxUnavailable: int | str
    podDeletion: NotRequired[PodDeletion]
    waitForCompletion: NotRequired[WaitForCompletion]


class Rdma(TypedDict):
    """GPUDirect RDMA."""

    enabled: bool
    useHostMofed: bool


class ClusterDriver(TypedDict):
    """The driver's part of a ClusterPolicy: NVIDIADrivers say what runs where."""

    enabled: bool
    kernelModuleType: NotRequired[Literal["auto", "open", "proprietary"]]
    manager: OperatorImage
    rdma: Rdma
    upgradePolicy: UpgradePolicy
    useNvidiaDriverCRD: bool
    usePrecompiled: bool


class Toolkit(Operand):
    """The container toolkit, which tells the container runtime about the nvidia runtime."""

    env: NotRequired[list[OperatorEnv]]
    installDir: str


class Mps(TypedDict):
    """Multi-Process Service."""

    root: str


class DevicePlugin(Operand):
    """The device plugin; GPU Feature Discovery and the MPS daemon read its configuration, too."""

    config: NamedConfig
    mps: Mps


class MigManager(Operand):
    """The MIG manager."""

    config: NamedConfig


class ExporterService(TypedDict):
    """The exporter's Service."""

    internalTrafficPolicy: Literal["Cluster", "Local"]


class DcgmExporter(Operand):
    """The DCGM exporter."""

    config: MetricsConfig
    env: list[OperatorEnv]
    hostPID: NotRequired[bool]
    service: ExporterService
    serviceMonitor: Switch


class Cdi(TypedDict):
    """The Container Device Interface; `default` means something before 25.10 only."""

    default: bool
    enabled: bool
    nriPluginEnabled: NotRequired[bool]


class HostPaths(TypedDict):
    """Folders of the node."""

    driverInstallDir: str
    rootFS: str


class SandboxWorkloads(TypedDict):
    """Cards for virtual machines."""

    defaultWorkload: Literal["container", "vm-passthrough", "vm-vgpu"]
    enabled: bool


class Mig(TypedDict):
    """The MIG strategy of all nodes."""

    strategy: Literal["none", "single", "mixed"]


class ClusterPolicySpec(TypedDict):
    """Everything but the drivers, for all nodes of the operator."""

    cdi: Cdi
    daemonsets: DaemonSetsSpec
    dcgm: Switch
    dcgmExporter: DcgmExporter
    devicePlugin: DevicePlugin
    driver: ClusterDriver
    gfd: Operand
    hostPaths: HostPaths
    mig: Mig
    migManager: MigManager
    nodeStatusExporter: Switch
    operator: OperatorSpec
    psa: Switch
    sandboxWorkloads: SandboxWorkloads
    toolkit: Toolkit


class ClusterPolicy(TypedDict):
    """nvidia.com/v1 ClusterPolicy: one a cluster, which the operator ignores a second of."""

    apiVersion: Literal["nvidia.com/v1"]
    kind: Literal["ClusterPolicy"]
    metadata: ObjectMeta
    spec: ClusterPolicySpec


class NvidiaDriverSpec(OperatorImage):
    """The driver of the nodes that the selector matches; no two may match one node."""

    driverType: Literal["gpu", "vgpu", "vgpu-host-manager"]
    kernelModuleType: NotRequired[Literal["auto", "open", "proprietary"]]
    manager: OperatorImage
    nodeSelector: StringMap
    priorityClassName: str
    rdma: Rdma
    tolerations: NotRequired[list[Toleration]]
    upgradePolicy: NotRequired[UpgradePolicy]
    usePrecompiled: bool


class NVIDIADriver(TypedDict):
    """nvidia.com/v1alpha1 NVIDIADriver."""

    apiVersion: Literal["nvidia.com/v1alpha1"]
    kind: Literal["NVIDIADriver"]
    metadata: ObjectMeta
    spec: NvidiaDriverSpec
