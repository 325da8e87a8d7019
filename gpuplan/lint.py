"""Lint: paths -> inventories -> findings. No spec is needed; what files do not say can be assumed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gpuplan.diagnostics import Diagnostic, Diagnostics, ordered
from gpuplan.inventory.alternatives import in_all
from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.grouping import inventories_apart
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.inventory.reading.patched import unpatched
from gpuplan.inventory.reading.read import Read, read_paths
from gpuplan.rules import manifests
from gpuplan.rules.base import ManifestRule
from gpuplan.source.sharing_out import side_by_side, usable_cores
from gpuplan.source.yamltext import collector_paused

WORTH_A_PROCESS = 5000
"""Objects: with fewer, a second process costs more than it saves."""
_OF_QUEUES = ("kueue/", "plan/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Linted:
    """What lint found, and in what."""

    read: Read
    findings: Diagnostics


def lint(paths: Iterable[Path], assumed: Assumed, as_format: Format | None = None) -> Linted:
    """Read files and folders, and judge what they hold cluster by cluster."""
    with collector_paused():  # what is read has no cycles, and is looked through again and again otherwise
        read = read_paths(paths, as_format)
        found = [*read.findings]
        for choices in inventories_apart(read.objects, read.configs, assumed):
            apart = in_all([(choice, judged(inventory)) for choice, inventory in choices])
            found += unpatched(apart, read.objects, read.patches)
    return Linted(read=read, findings=ordered(found))


def judged(inventory: Inventory) -> Diagnostics:
    """Run every rule, on many objects in two processes: those about queues, which look at the work alike, and the others."""
    if len(inventory.objects) < WORTH_A_PROCESS or usable_cores() == 1:
        return manifests.judge(inventory)
    of_queues = [rule for rule in manifests.RULES if rule.doc.id.startswith(_OF_QUEUES)]
    others = [rule for rule in manifests.RULES if rule not in of_queues]
    halves = side_by_side(partial(_by, others, inventory), partial(_by, of_queues, inventory))
    return ordered(finding for half in halves for finding in half)


def _by(rules: Sequence[ManifestRule], inventory: Inventory) -> list[Diagnostic]:
    return [finding for rule in rules for finding in rule.judge(inventory)]
