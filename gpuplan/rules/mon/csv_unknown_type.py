"""A counter whose type is none of the words that the exporter knows.

The exporter takes `gauge`, `counter`, `histogram`, `summary` and `label`. Another word is an error at its start, and no metric
comes out.

Source: NVIDIA/dcgm-exporter internal/pkg/counters (`promMetricType`).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.exported import lists
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import nearest
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="mon/csv-unknown-type",
    severity=Severity.ERROR,
    summary="A counter of a type that the exporter does not know",
    why="dcgm-exporter stops at its start with `could not find Prometheus metric type`, and no card is watched.",
    fix="Write `gauge`, `counter`, `histogram`, `summary` or `label`, in small letters.",
    bad="DCGM_FI_DEV_GPU_TEMP, gage, Temperature in C",
    good="DCGM_FI_DEV_GPU_TEMP, gauge, Temperature in C",
)
TYPES = ("gauge", "counter", "histogram", "summary", "label")


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such counter."""
    for listed in lists(inventory):
        for record in listed.counters.records:
            if record.type not in TYPES:
                guess = nearest(record.type, TYPES)
                yield DOC.found(
                    f"`{record.name}` has the type `{record.type}`, not {in_a_row(TYPES, 'or')}",
                    at=listed.at(record.line),
                    fix=f"Write `{guess}`." if guess else None,
                )
