"""An entry of a MIG table that mig-parted refuses for its values.

mig-parted wants `version: v1`, and of each entry `devices` (`all` or a list of indexes) and `mig-enabled` (a boolean); with it
on, `mig-devices`, and with it off, none. For one wrong entry it refuses the whole file.

Source: NVIDIA/mig-parted, api/spec/v1/spec.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import keys
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.misfits import misfits

DOC = RuleDoc(
    id="mig/value-refused",
    severity=Severity.ERROR,
    summary="A value in a MIG table that mig-parted refuses",
    why="It refuses the whole file, and no node that uses it is cut.",
    fix="Write `devices`, `mig-enabled` and, where that is true, `mig-devices`.",
    bad="version: v1\nmig-configs:\n  all-1g.10gb: [{devices: all, mig-enabled: 'true', mig-devices: {1g.10gb: 7}}]",
    good="version: v1\nmig-configs:\n  all-1g.10gb: [{devices: all, mig-enabled: true, mig-devices: {1g.10gb: 7}}]",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each value that stops mig-parted."""
    known = keys.load("mig-parted")
    for config in inventory.configs_of(Format.MIG_PARTED):
        root = config.root
        if not root["version"].exists:
            yield DOC.found(
                "The table has no `version`", at=root["mig-configs"].key_span, fix="Begin with `version: v1`."
            )
        for one in misfits(root, known, converts=False):
            summary = f"`{one.view.path[-1] if one.view.path else 'table'}` is {one.written}, and mig-parted takes {one.wanted}"
            yield DOC.found(summary, at=one.view.span, fix=one.fix)
        for name, entries in root["mig-configs"].entries():
            for entry in entries.items():
                yield from _entry(name, entry)


def _entry(name: str, entry: View) -> Iterator[Diagnostic]:
    if not entry.is_mapping:
        return
    missing = [key for key in ("devices", "mig-enabled") if not entry[key].exists]
    if missing:
        yield DOC.found(
            f"An entry of `{name}` has no {' and no '.join(f'`{key}`' for key in missing)}", at=entry.key_span
        )
    yield from _devices(entry["devices"])
    devices = entry["mig-devices"]
    if entry["mig-enabled"].value is True and not devices.exists:
        yield DOC.found(
            f"An entry of `{name}` switches MIG on and has no `mig-devices`",
            at=entry["mig-enabled"].key_span,
            fix="Say which instances to make, or `mig-devices: {}` for none.",
        )
    if entry["mig-enabled"].value is False and devices.is_mapping and devices.value:
        yield DOC.found(
            f"An entry of `{name}` switches MIG off and has `mig-devices`",
            at=devices.key_span,
            fix="Remove `mig-devices`, or write `mig-enabled: true`.",
        )


def _devices(devices: View) -> Iterator[Diagnostic]:
    if isinstance(devices.value, list | tuple):
        wrong = [one for one in devices.items() if one.number() is None]
    else:
        wrong = [devices] if devices.exists and devices.value != "all" else []
    for one in wrong:
        yield DOC.found(
            "`devices` takes `all` or a list of indexes", at=one.span, fix="Write `devices: all`, or `devices: [0, 1]`."
        )
