"""A sharing entry for a resource that the device plugin does not make.

Only strategy `mixed` makes `nvidia.com/mig-1g.10gb`. Under another one the plugin passes over an entry of that name without a
word, and the instances, which it offers as `nvidia.com/gpu`, stay unshared.

Source: NVIDIA k8s-device-plugin, `internal/rm`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.mig import RESOURCE_PREFIX
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.exposure import profiles
from gpuplan.inventory.cards.operator import mig_strategy
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="share/entry-without-effect",
    severity=Severity.WARNING,
    summary="A sharing entry for a resource that the plugin does not make",
    why="Names of MIG instances exist with strategy mixed alone; the plugin passes over the entry and shares nothing.",
    fix="Write `name: nvidia.com/gpu`, or set the strategy to mixed.",
    bad="flags: {migStrategy: single}\nsharing:\n  timeSlicing: {resources: [{name: nvidia.com/mig-1g.10gb, replicas: 2}]}",
    good="flags: {migStrategy: mixed}\nsharing:\n  timeSlicing: {resources: [{name: nvidia.com/mig-1g.10gb, replicas: 2}]}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each entry that names instances, where the strategy is known to give them no names."""
    stated = mig_strategy(inventory)
    for profile in profiles(inventory):
        strategy = stated.text() if stated is not None else profile.strategy.text()
        section = profile.sharing
        for shared in section.resources if section and strategy in ("none", "single") else ():
            if shared.name.startswith(RESOURCE_PREFIX):
                summary = f"{profile} shares `{shared.name}`, which strategy {strategy} does not make"
                yield DOC.found(summary, at=shared.view["name"].key_span)
