"""A record of the exporter's list of counters that has not three fields.

Name, type and help are separated by commas, so that a comma in the help makes a fourth field; a line of spaces is a record, too.

Source: NVIDIA/dcgm-exporter internal/pkg/counters (ExtractCounters); NVIDIA/DCGM 232.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.metrics.counters import FIELDS, Fault, FaultKind
from gpuplan.inventory.metrics.exported import lists
from gpuplan.rulebook import RuleDoc
from gpuplan.words import counted

DOC = RuleDoc(
    id="mon/csv-field-count",
    severity=Severity.ERROR,
    summary="A counter that has not three fields",
    why="dcgm-exporter stops at its start with `malformed CSV record` or `wrong number of fields`, and no card is watched.",
    fix="Write exactly the field's name, the type and a help text without a comma.",
    bad="DCGM_FI_DEV_POWER_USAGE, gauge, Draw in W, averaged",
    good="DCGM_FI_DEV_POWER_USAGE, gauge, Averaged draw in W",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each such record."""
    for listed in lists(inventory):
        for fault in listed.counters.faults:
            if fault.kind is FaultKind.FIELD_COUNT:
                what = counted(len(fault.fields), "field") if any(fault.fields) else "nothing but spaces"
                yield DOC.found(
                    f"Record {fault.number} has {what} instead of {FIELDS}", at=listed.at(fault.line), fix=_fix(fault)
                )


def _fix(fault: Fault) -> str | None:
    if not any(fault.fields):
        return "Leave the line empty, without spaces."
    if fault.fields[0].startswith("#"):
        return "Begin the comment in the first column of the list: before `#` no space may stand."
    if len(fault.fields) > 2 * FIELDS:
        return "Give each counter a line of its own; in YAML, begin the list with `|`, which keeps lines, not with `>`."
    if len(fault.fields) > FIELDS:
        name, kind, *help_text = fault.fields
        return f"Write the help without a comma: `{name}, {kind}, {' '.join(help_text)}`."
    return None
