"""A rule on a field of DCGM that the exporter does not give out.

dcgm-exporter exports what its list of counters names and nothing else; a list of one's own takes the place of the exporter's. A
name that DCGM does not know cannot be in any list. Kueue gives out the quotas of its queues only where its configuration says so.

Source: NVIDIA/dcgm-exporter etc/dcp-metrics-included.csv and internal/pkg/counters; NVIDIA/gpu-operator's own rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import dcgm_fields
from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.inventory.metrics.exported import Exported, default_names, exported
from gpuplan.inventory.metrics.units import expected
from gpuplan.inventory.metrics.uses import MEMORY_PARTS, Use, dcgm_uses, recorded, uses
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import nearest

DOC = RuleDoc(
    id="mon/metric-not-exported",
    severity=Severity.ERROR,
    summary="A metric that the exporter does not give out",
    why="The series does not exist: a recording rule records nothing, and an alert never fires.",
    fix="Add the field to the exporter's list of counters, or use one that is in it.",
    bad="- {record: card_memory_total_bytes, expr: DCGM_FI_DEV_FB_TOTAL * 1048576}   # with the exporter's own list of counters",
    good="- {record: card_memory_used_bytes, expr: DCGM_FI_DEV_FB_USED * 1048576}",
)
TOTAL = "DCGM_FI_DEV_FB_TOTAL"
_QUEUE_RESOURCES = "metrics.enableClusterQueueResources"


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each field that does not come out, or perhaps does not."""
    given = exported(inventory)
    noted = set()
    for use in dcgm_uses(inventory):
        finding = _judged(use, given, inventory)
        if finding is not None and (finding.severity is not Severity.INFO or use.name not in noted):
            noted.add(use.name)
            yield finding
    yield from _of_kueue(inventory)


def _of_kueue(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each metric that Kueue's configuration leaves off, where the set has just one."""
    configurations = tuple(inventory.configs_of(Format.KUEUE))
    if len(configurations) != 1 or configurations[0].root["metrics"]["enableClusterQueueResources"].flag():
        return
    made = recorded(inventory)
    for use in uses(inventory):
        row = inventory.catalog.metrics.get(use.name)
        if row is not None and row.needs == _QUEUE_RESOURCES and use.name not in made:
            yield DOC.found(
                f"Kueue gives out `{use.name}` only with `{_QUEUE_RESOURCES}`",
                at=use.at,
                also=(Related("configured here", configurations[0].root["metrics"].key_span),),
                fix="Set `metrics.enableClusterQueueResources: true` in Kueue's configuration.",
            )


def _judged(use: Use, given: Exported | None, inventory: Inventory) -> Diagnostic | None:
    name, fields = use.name, dcgm_fields.load()
    if given is not None and name in given.names:
        return None
    if not fields.knows(name):
        guess = nearest(name, fields.names)
        return DOC.found(
            f"DCGM has no field `{name}`",
            at=use.at,
            severity=None if guess else Severity.WARNING,
            fix=f"Write `{guess}` if that is meant." if guess else "Check the spelling against DCGM's list of fields.",
        )
    if given is not None:
        return DOC.found(f"`{name}` is not in {given.known_from}", at=use.at, fix=_fix(use, given))
    if name in default_names(inventory):
        return None
    return DOC.found(
        f"`{name}` is not in the exporter's own list of counters, and no other list is here",
        at=use.at,
        severity=Severity.INFO,
        fix=f"Make sure that the exporter's list of counters has `{name}`; "
        "where it runs with its own list, say `--assume counters=default`.",
    )


def _fix(use: Use, given: Exported) -> str:
    add = f"Add `{use.name}, gauge, …` to the exporter's list of counters"
    if use.name == TOTAL:
        bytes_wanted = use.rule.text.strip() == TOTAL and expected(use.rule.record) == ("bytes", 1.0)
        scaled = f"{MEMORY_PARTS}{' * 1048576' if bytes_wanted else ''}"
        return f"Write `{scaled}`, or add `{TOTAL}` to the exporter's list of counters."
    aliases = dcgm_fields.load().aliases.get(dcgm_fields.load().ids.get(use.name, -1), ())
    same = next((alias for alias in aliases if alias in given.names), "")
    return f"The list has this field as `{same}`: write that." if same else f"{add}."
