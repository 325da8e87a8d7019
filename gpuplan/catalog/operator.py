"""What each release line of the GPU Operator accepts, and the road from one line to another (data/operator.yaml)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gpuplan import versions
from gpuplan.catalog._load import Row, Table
from gpuplan.versions import Version

EXPORTER_HOST_PID = "ClusterPolicy.dcgmExporter.hostPID"
NRI_PLUGIN = "ClusterPolicy.cdi.nriPluginEnabled"
POLICY_KERNEL_MODULES = "ClusterPolicy.driver.kernelModuleType"
DRIVER_KERNEL_MODULES = "NVIDIADriver.kernelModuleType"
DRIVER_UPGRADE_POLICY = "NVIDIADriver.upgradePolicy"


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorField:
    """A field of a custom resource, `kind.path`, and the first release line whose CRD has it."""

    name: str
    since: Version
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorLine:
    """A release line (`26.3`), and the one that an upgrade goes to next; None for the newest."""

    name: str
    next: str | None
    source: str
    checked: dt.date


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorReleases:
    """The fields that came after the oldest known line, by name, and the lines, oldest first."""

    fields: Mapping[str, OperatorField]
    lines: Mapping[str, OperatorLine]

    def accepts(self, version: Version, field: str) -> bool:
        """Tell whether the CRDs of an operator's version have a field. A field that is not in the table raises KeyError."""
        return version >= self.fields[field].since

    def road(self, installed: Version, wanted: Version) -> tuple[str, ...] | None:
        """Return the lines that an upgrade passes, both ends included.

        None where there is no road: backwards, or from or to a line that is not known. One line alone is a road, too.
        """
        passed, at = [line_name(installed)], self.lines.get(line_name(installed))
        while at is not None and passed[-1] != line_name(wanted):
            passed.append(at.next or "")
            at = self.lines.get(at.next or "")
        return tuple(passed) if at is not None else None


def line_name(version: Version) -> str:
    """Return the release line of an operator's version: `26.3` of `v26.3.2`."""
    year, month = version.minor
    return f"{year}.{month}"


def read() -> OperatorReleases:
    """Read the fields and lines."""
    table = Table("operator.yaml")
    return OperatorReleases(
        fields=MappingProxyType({row.key: _field(row) for row in table.rows("fields")}),
        lines=MappingProxyType({row.key: _line(row) for row in table.rows("lines")}),
    )


def _field(row: Row) -> OperatorField:
    provenance = row.provenance
    return OperatorField(
        name=row.key,
        since=versions.required(row.text("since")),
        source=provenance.source,
        checked=provenance.checked,
    )


def _line(row: Row) -> OperatorLine:
    provenance = row.provenance
    return OperatorLine(
        name=row.key,
        next=row.optional("next"),
        source=provenance.source,
        checked=provenance.checked,
    )
