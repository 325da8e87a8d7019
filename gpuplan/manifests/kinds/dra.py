"""resource.k8s.io/v1: classes of devices, and templates of the claims on them. Both are immutable but for a class's spec.

`allocationMode` and `count` are the server's defaults and stand here, so that what we wrote reads back equal.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from gpuplan.manifests.kinds.meta import NamespacedMeta, ObjectMeta, StringMap


class CELDeviceSelector(TypedDict):
    """A CEL expression over one device, such as `device.driver == "gpu.nvidia.com"`."""

    expression: str


class DeviceSelector(TypedDict):
    """One condition; a device must meet all that a class and a request have."""

    cel: CELDeviceSelector


class DeviceClassSpec(TypedDict):
    """Which devices belong to the class."""

    selectors: list[DeviceSelector]


class DeviceClass(TypedDict):
    """Devices that claims ask for by one name."""

    apiVersion: Literal["resource.k8s.io/v1"]
    kind: Literal["DeviceClass"]
    metadata: ObjectMeta
    spec: DeviceClassSpec


class ExactDeviceRequest(TypedDict):
    """So many devices of one class, any of them."""

    deviceClassName: str
    allocationMode: Literal["ExactCount"]
    count: int
    selectors: NotRequired[list[DeviceSelector]]


class DeviceRequest(TypedDict):
    """One request of a claim. Kueue counts those of the form `exactly`, and refuses the others."""

    name: str
    exactly: ExactDeviceRequest


class DeviceClaim(TypedDict):
    """All that a claim asks for."""

    requests: list[DeviceRequest]


class ResourceClaimSpec(TypedDict):
    """A claim."""

    devices: DeviceClaim


class ClaimMeta(TypedDict):
    """Metadata that each claim made from the template gets; the server keeps it even where it is empty."""

    labels: NotRequired[StringMap]


class ResourceClaimTemplateSpec(TypedDict):
    """The claim that each pod gets of its own; immutable."""

    metadata: ClaimMeta
    spec: ResourceClaimSpec


class ResourceClaimTemplate(TypedDict):
    """What a pod names in `spec.resourceClaims[].resourceClaimTemplateName`."""

    apiVersion: Literal["resource.k8s.io/v1"]
    kind: Literal["ResourceClaimTemplate"]
    metadata: NamespacedMeta
    spec: ResourceClaimTemplateSpec
