"""A quote in the exporter's list of counters that Go's reader of CSV does not take.

A quoted field begins with its quote: after a comma and a space it does not, and a quote in the middle of a field is refused.

Source: Go, encoding/csv (LazyQuotes off); NVIDIA/dcgm-exporter internal/pkg/counters.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.counters import FaultKind
from gpuplan.inventory.metrics.exported import lists
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="mon/csv-quote",
    severity=Severity.ERROR,
    summary="A quote where the reader of CSV takes none",
    why="dcgm-exporter stops at its start with `bare quote` or `extraneous quote`, and no card is watched.",
    fix='Write the help without quotes and commas, or put the quote right after the comma: `…,gauge,"Draw in W, averaged"`.',
    bad='DCGM_FI_DEV_POWER_USAGE, gauge, "Draw in W, averaged"',
    good='DCGM_FI_DEV_POWER_USAGE, gauge,"Draw in W, averaged"',
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such record."""
    for listed in lists(inventory):
        for fault in listed.counters.faults:
            if fault.kind is FaultKind.QUOTE:
                yield DOC.found(
                    f"Record {fault.number} has a quote that does not enclose a field", at=listed.at(fault.line)
                )
