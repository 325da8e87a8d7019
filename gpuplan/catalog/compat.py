"""Which versions work together: Kubernetes with Kueue, and the GPU Operator's support matrix (data/compat.yaml)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan import versions
from gpuplan.catalog._load import Row, Table
from gpuplan.versions import Version


@dataclass(frozen=True, slots=True)
class KubernetesRange:
    """Minor versions from `minimum` to `maximum`, both included; 1.36.3 lies in 1.34-1.36."""

    minimum: Version
    maximum: Version

    def __contains__(self, version: Version) -> bool:
        return self.minimum.minor <= version.minor <= self.maximum.minor

    def __str__(self) -> str:
        return f"{self.minimum}-{self.maximum}"


@dataclass(frozen=True, slots=True, kw_only=True)
class KueueSupport:
    """One minor of Kueue; `tested` is what its own CI runs."""

    minor: str
    tested: KubernetesRange
    unchecked: frozenset[str]
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class Incompatibility:
    """A component's versions that break something: on Kubernetes older than `below_kubernetes`, or on all where None."""

    name: str
    component: str
    versions: tuple[Version, ...]
    below_kubernetes: Version | None
    summary: str
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionSupport:
    """A Kubernetes distribution that the GPU Operator supports, by the Kubernetes version inside it.

    `own_versions` is the range in the distribution's own numbers where the matrix uses those (OpenShift), else empty.
    """

    name: str
    kubernetes: KubernetesRange
    own_versions: tuple[str, ...]
    unchecked: frozenset[str]
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingSystem:
    """An operating system of the nodes, named as in a driver image's tag (`ubuntu24.04`, `rhel9`).

    `versions` lists the minor releases supported; `precompiled_kernels` maps a driver branch to kernel versions
    (`5.15`).
    """

    name: str
    versions: tuple[str, ...]
    kubernetes: KubernetesRange
    runtimes: tuple[str, ...]
    precompiled_kernels: Mapping[str, tuple[str, ...]]
    unchecked: frozenset[str]
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorLife:
    """A release line of the GPU Operator (`26.7`): `supported`, `deprecated` or `ended`."""

    line: str
    life: str
    kubernetes: KubernetesRange | None
    unchecked: frozenset[str]
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class Compatibility:
    """The support matrix, each part by name; systems and distributions are those of the newest operator."""

    kueue: Mapping[str, KueueSupport]
    incompatibilities: Mapping[str, Incompatibility]
    operator: Mapping[str, OperatorLife]
    distributions: Mapping[str, DistributionSupport]
    operating_systems: Mapping[str, OperatingSystem]


def read() -> Compatibility:
    """Read the matrix."""
    table = Table("compat.yaml")
    return Compatibility(
        kueue=MappingProxyType({row.key: _kueue(row) for row in table.rows("kueue")}),
        incompatibilities=MappingProxyType({row.key: _incompatibility(row) for row in table.rows("incompatibilities")}),
        operator=MappingProxyType({row.key: _operator(row) for row in table.rows("operator")}),
        distributions=MappingProxyType({row.key: _distribution(row) for row in table.rows("distributions")}),
        operating_systems=MappingProxyType({row.key: _operating_system(row) for row in table.rows("operatingSystems")}),
    )


def kubernetes_range(row: Row, key: str) -> KubernetesRange:
    """Read `[minimum, maximum]` from a row."""
    minimum, maximum = row.texts(key)
    return KubernetesRange(versions.required(minimum), versions.required(maximum))


def _kueue(row: Row) -> KueueSupport:
    provenance = row.provenance
    return KueueSupport(
        minor=row.key,
        tested=kubernetes_range(row, "tested"),
        unchecked=row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )


def _incompatibility(row: Row) -> Incompatibility:
    provenance = row.provenance
    return Incompatibility(
        name=row.key,
        component=row.text("component"),
        versions=tuple(map(versions.required, row.texts("versions"))),
        below_kubernetes=row.optional_version("belowKubernetes"),
        summary=row.text("summary"),
        source=provenance.source,
        checked=provenance.checked,
    )


def _operator(row: Row) -> OperatorLife:
    provenance = row.provenance
    return OperatorLife(
        line=row.key,
        life=row.text("life"),
        kubernetes=kubernetes_range(row, "kubernetes") if row.has("kubernetes") else None,
        unchecked=row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )


def _distribution(row: Row) -> DistributionSupport:
    provenance = row.provenance
    return DistributionSupport(
        name=row.key,
        kubernetes=kubernetes_range(row, "kubernetes"),
        own_versions=row.texts("ownVersions"),
        unchecked=row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )


def _operating_system(row: Row) -> OperatingSystem:
    provenance = row.provenance
    return OperatingSystem(
        name=row.key,
        versions=row.texts("versions"),
        kubernetes=kubernetes_range(row, "kubernetes"),
        runtimes=row.texts("runtimes"),
        precompiled_kernels=MappingProxyType(row.lists("precompiled")),
        unchecked=row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )
