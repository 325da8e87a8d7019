"""How cards of vendors other than NVIDIA can be cut: AMD's partitions, Huawei's virtual NPUs (data/cuts.yaml)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan.catalog._load import Row, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Partitions:
    """The compute modes of one AMD card: devices that it becomes, and the memory modes that go with each.

    `unchecked` names fields of this class.
    """

    card: str
    devices: Mapping[str, int]
    memory: Mapping[str, tuple[str, ...]]
    unchecked: frozenset[str]
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class VnpuTemplate:
    """One size of virtual NPU: its AI cores, and the end of its resource name (`5c.1cpu.16g`)."""

    name: str
    cores: int
    resource: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Vnpus:
    """The virtual NPUs that one Huawei card can be cut into. `cores` are the AI cores of the whole card."""

    card: str
    cores: int
    templates: Mapping[str, VnpuTemplate]
    unchecked: frozenset[str]
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """Both tables, by card name."""

    partitions: Mapping[str, Partitions]
    vnpus: Mapping[str, Vnpus]


def read() -> Cuts:
    """Read the cuts."""
    table = Table("cuts.yaml")
    return Cuts(
        partitions=MappingProxyType({row.key: _partitions(row) for row in table.rows("partitions")}),
        vnpus=MappingProxyType({row.key: _vnpus(row) for row in table.rows("vnpu")}),
    )


def _partitions(row: Row) -> Partitions:
    provenance = row.provenance
    return Partitions(
        card=row.key,
        devices=MappingProxyType({mode: int(count) for mode, count in row.mapping("devices").items()}),
        memory=MappingProxyType(row.lists("memory")),
        unchecked=row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )


def _vnpus(row: Row) -> Vnpus:
    provenance = row.provenance
    return Vnpus(
        card=row.key,
        cores=row.whole("cores"),
        templates=MappingProxyType({part.key: _template(part) for part in row.children("templates")}),
        unchecked=row.unchecked,
        source=provenance.source,
        checked=provenance.checked,
    )


def _template(row: Row) -> VnpuTemplate:
    return VnpuTemplate(name=row.key, cores=row.whole("cores"), resource=row.text("resource"))
