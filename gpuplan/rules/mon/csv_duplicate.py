"""A field that the exporter's list of counters has twice.

The exporter writes the series of the field for each of the lines, and Prometheus keeps one sample of the two and logs the other.

Source: NVIDIA/dcgm-exporter internal/pkg/counters; Prometheus, scrape (duplicate sample).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.exported import lists
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="mon/csv-duplicate",
    severity=Severity.WARNING,
    summary="A counter that is listed twice",
    why="Its series come twice in every scrape; Prometheus drops the second, whatever type or help it has.",
    fix="Keep one of the lines.",
    bad="DCGM_FI_DEV_GPU_TEMP, gauge, Temperature in C\nDCGM_FI_DEV_GPU_TEMP, gauge, Heat in C",
    good="DCGM_FI_DEV_GPU_TEMP, gauge, Temperature in C",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each line that names a field of a line before it."""
    for listed in lists(inventory):
        first: dict[str, int] = {}
        for record in listed.counters.records:
            if record.name in first:
                before = Related("listed first", listed.at(first[record.name]))
                yield DOC.found(f"`{record.name}` is listed before", at=listed.at(record.line), also=(before,))
            first.setdefault(record.name, record.line)
