"""amd.com/v1alpha1: DeviceConfig of AMD's GPU Operator.

Only what gpuplan writes; fields that every 1.x release since 1.4 knows, but `draDriver`, which came with 1.5. The operator
fills in the rest.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from gpuplan.manifests.kinds.meta import NamespacedMeta, StringMap
from gpuplan.manifests.kinds.pod import Toleration


class DrainPolicy(TypedDict):
    """How a node is drained before its driver changes; the timeout is in seconds."""

    force: bool
    timeoutSeconds: int


class DriverUpgradePolicy(TypedDict):
    """How many nodes get a new driver at a time."""

    enable: bool
    maxParallelUpgrades: int
    maxUnavailableNodes: str
    nodeDrainPolicy: DrainPolicy
    rebootRequired: bool


class Driver(TypedDict):
    """Whether the operator installs the driver, and which."""

    enable: bool
    version: NotRequired[str]
    upgradePolicy: NotRequired[DriverUpgradePolicy]
    tolerations: NotRequired[list[Toleration]]


class DevicePlugin(TypedDict):
    """The device plugin and the node labeller."""

    devicePluginArguments: StringMap
    devicePluginTolerations: NotRequired[list[Toleration]]
    enableNodeLabeller: bool
    nodeLabellerTolerations: NotRequired[list[Toleration]]


class DraDriver(TypedDict):
    """Whether pods claim devices instead of asking for a resource."""

    enable: bool


class MetricsExporter(TypedDict):
    """The exporter of a pool's nodes."""

    enable: bool
    port: int
    serviceType: Literal["ClusterIP", "NodePort"]
    tolerations: NotRequired[list[Toleration]]


class ConfigName(TypedDict):
    """A ConfigMap of the operator's namespace."""

    name: str


class ConfigManager(TypedDict):
    """What partitions the cards of a node."""

    enable: bool
    config: NotRequired[ConfigName]
    configManagerTolerations: NotRequired[list[Toleration]]


class TestRunner(TypedDict):
    """What tests cards that nobody holds."""

    enable: bool


class DeviceConfigSpec(TypedDict):
    """What the operator runs on the nodes that the selector matches."""

    driver: Driver
    devicePlugin: DevicePlugin
    draDriver: DraDriver
    metricsExporter: MetricsExporter
    configManager: ConfigManager
    testRunner: TestRunner
    selector: StringMap


class DeviceConfig(TypedDict):
    """amd.com/v1alpha1 DeviceConfig."""

    apiVersion: Literal["amd.com/v1alpha1"]
    kind: Literal["DeviceConfig"]
    metadata: NamespacedMeta
    spec: DeviceConfigSpec
