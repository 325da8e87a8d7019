"""NVIDIA drivers: branches, what an architecture accepts, what a feature needs (data/drivers.yaml)."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan import versions
from gpuplan.catalog._load import Row, Table
from gpuplan.versions import Version


class KernelModules(enum.Enum):
    """Which flavour of kernel modules a card accepts."""

    ANY = "any"
    OPEN = "open"
    PROPRIETARY = "proprietary"


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverBranch:
    """A driver branch: its life (`LTS`, `PB` for production, `NFB` for new features) and the last day of its support.

    `newest` is the newest release that we know an image of, None where we know none. `precompiled` tells whether there
    are images with ready modules for some kernels.
    """

    name: str
    life: str
    ends: dt.date
    newest: Version | None
    precompiled: bool
    unchecked: frozenset[str]
    source: str
    checked: dt.date

    def has_ended(self, today: dt.date) -> bool:
        """Tell whether the branch is past its end of support on that day."""
        return today > self.ends


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverLimits:
    """What a card accepts: its architecture's limits and its own.

    `max_branch` is the last branch that drives it, None while there is none. `unchecked` names fields of this class
    that nobody has read at a source.
    """

    architecture: str
    min_driver: Version | None
    max_branch: int | None
    kernel_modules: KernelModules
    unchecked: frozenset[str]
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverRequirement:
    """What a feature of the stack asks of driver, modules and Kubernetes; `summary` is a line for messages."""

    name: str
    summary: str
    min_driver: Version | None
    not_branches: tuple[str, ...]
    not_versions: tuple[Version, ...]
    kernel_modules: KernelModules | None
    min_kubernetes: Version | None
    unchecked: frozenset[str]
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class Drivers:
    """Everything known about drivers: branches by name (`580`), limits by architecture, requirements by feature."""

    branches: Mapping[str, DriverBranch]
    limits: Mapping[str, DriverLimits]
    requirements: Mapping[str, DriverRequirement]


def read() -> Drivers:
    """Read the driver tables."""
    table = Table("drivers.yaml")
    return Drivers(
        branches=MappingProxyType({row.key: _branch(row) for row in table.rows("branches")}),
        limits=MappingProxyType({row.key: _limits(row) for row in table.rows("architectures")}),
        requirements=MappingProxyType({row.key: _requirement(row) for row in table.rows("requirements")}),
    )


def _branch(row: Row) -> DriverBranch:
    provenance = row.provenance
    return DriverBranch(
        name=row.key,
        life=row.text("life"),
        ends=dt.date.fromisoformat(row.text("ends")),
        newest=row.optional_version("newest"),
        precompiled=row.flag("precompiled"),
        unchecked=row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )


def _limits(row: Row) -> DriverLimits:
    provenance = row.provenance
    return DriverLimits(
        architecture=row.key,
        min_driver=row.optional_version("minDriver"),
        max_branch=row.optional_whole("maxBranch"),
        kernel_modules=KernelModules(row.text("kernelModules")),
        unchecked=frozenset(_FIELDS[key] for key in row.unchecked),
        source=provenance.source,
        checked=provenance.checked,
    )


def _requirement(row: Row) -> DriverRequirement:
    provenance = row.provenance
    modules = row.optional("kernelModules")
    return DriverRequirement(
        name=row.key,
        summary=row.text("summary"),
        min_driver=row.optional_version("minDriver"),
        not_branches=row.texts("notBranches"),
        not_versions=tuple(map(versions.required, row.texts("notVersions"))),
        kernel_modules=KernelModules(modules) if modules else None,
        min_kubernetes=row.optional_version("minKubernetes"),
        unchecked=row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )


_FIELDS = {"kernelModules": "kernel_modules", "maxBranch": "max_branch", "minDriver": "min_driver"}
"""The spelling of a key in the data file → the field of `DriverLimits` that it fills."""
