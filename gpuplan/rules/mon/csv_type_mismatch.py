"""A field that is declared as a counter and is none.

Whoever sees `counter` puts `rate()` over it. `DCGM_FI_PROF_PCIE_TX_BYTES` is bytes in a second already, and the code of the last
XID is no count.

Source: NVIDIA/dcgm-exporter etc/dcp-metrics-included.csv; the lists of oracle-quickstart/oci-hpc-oke.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.exported import lists
from gpuplan.inventory.metrics.uses import field
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="mon/csv-type-mismatch",
    severity=Severity.WARNING,
    summary="A counter that is a gauge",
    why="The type is copied as it is: tools and people take the metric for a counter, and a rate over it means nothing.",
    fix="Declare it as `gauge`.",
    bad="DCGM_FI_PROF_PCIE_TX_BYTES, counter, Bytes sent over PCIe",
    good="DCGM_FI_PROF_PCIE_TX_BYTES, gauge, Bytes sent over PCIe in a second",
)

_WINDOWED = "DCGM_EXP_"
"""Counts within a window, which the exporter's own examples call counters."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each field that is declared as a counter and surely is a gauge."""
    for listed in lists(inventory):
        for record in listed.counters.records:
            row = field(record.name, inventory.catalog)
            gauge = row is not None and row.type == "gauge" and not record.name.startswith(_WINDOWED)
            if row is not None and gauge and record.type == "counter":
                unit = f" in {row.unit.replace('_', ' ')}" if row.unit else ""
                yield DOC.found(f"`{record.name}` is a gauge{unit}, declared as a counter", at=listed.at(record.line))
