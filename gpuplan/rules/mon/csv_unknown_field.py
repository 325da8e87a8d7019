"""A counter that DCGM has no field for.

Names are compared letter by letter, in capitals. What is listed here was read for DCGM 4.6; a name that is like none of it may be
newer, and is warned of.

Source: NVIDIA/go-dcgm (`GetFieldID`); NVIDIA/dcgm-exporter internal/pkg/counters.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import dcgm_fields
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.exported import lists
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import nearest

DOC = RuleDoc(
    id="mon/csv-unknown-field",
    severity=Severity.ERROR,
    summary="A counter that DCGM has no field for",
    why="dcgm-exporter stops at its start with `could not find DCGM field`, and no card is watched.",
    fix="Write the name as DCGM's list of fields has it.",
    bad="DCGM_FI_DEV_GPU_TEMPERATURE, gauge, Temperature in C",
    good="DCGM_FI_DEV_GPU_TEMP, gauge, Temperature in C",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such counter."""
    fields = dcgm_fields.load()
    for listed in lists(inventory):
        for record in listed.counters.records:
            if not fields.knows(record.name):
                guess = nearest(record.name, fields.names)
                yield DOC.found(
                    f"DCGM has no field `{record.name}`",
                    at=listed.at(record.line),
                    severity=None if guess else Severity.WARNING,
                    fix=f"Write `{guess}` if that is meant." if guess else None,
                )
