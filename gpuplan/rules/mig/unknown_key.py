"""A key of a MIG table that mig-parted does not know.

Unlike the device plugin, mig-parted reads strictly: it refuses the whole file for one unknown key, and the MIG manager marks
every node that asks for one of its entries as failed.

Source: NVIDIA/mig-parted, api/spec/v1/spec.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import keys
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.strays import finding, strays, version_of

DOC = RuleDoc(
    id="mig/unknown-key",
    severity=Severity.ERROR,
    summary="A key that mig-parted does not know",
    why="It refuses the whole file, and no node that uses it is cut.",
    fix="Write the keys `device-filter`, `devices`, `mig-enabled` and `mig-devices` only.",
    bad="version: v1\nmig-configs:\n  all-1g.10gb: [{device: all, devices: all, mig-enabled: true, mig-devices: {1g.10gb: 7}}]",
    good="version: v1\nmig-configs:\n  all-1g.10gb: [{devices: all, mig-enabled: true, mig-devices: {1g.10gb: 7}}]",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each key that stops mig-parted."""
    known = keys.load("mig-parted")
    version = version_of(inventory, known)
    for config in inventory.configs_of(Format.MIG_PARTED):
        for stray in strays(config.root, known, version):
            yield finding(DOC, stray, known, version)
