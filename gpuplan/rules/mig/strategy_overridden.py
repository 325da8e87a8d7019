"""A profile of the device plugin with another MIG strategy than the operator sets.

The operator gives its strategy to the plugin in the environment, which wins over the file. What the profile says has no effect.

Source: NVIDIA k8s-device-plugin (command line, environment, file, in this order); NVIDIA/gpu-operator, `transformDevicePlugin`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.cards.exposure import profiles
from gpuplan.inventory.cards.operator import PLUGIN, mig_strategy, operators
from gpuplan.inventory.cards.profiles_in_use import is_of_operator
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="mig/strategy-overridden",
    severity=Severity.WARNING,
    summary="A profile's MIG strategy is not the one that the operator sets",
    why="The operator's strategy wins: the resources have the names that it gives them, whatever the profile says.",
    fix="Write the strategy once, as `mig.strategy` of the operator, and leave it out of the profile.",
    bad="spec:\n  mig: {strategy: single}  # and in a profile: flags: {migStrategy: mixed}",
    good="spec:\n  mig: {strategy: mixed}",
)

MIG_ON = ("single", "mixed")
"""Strategies that say something of cut cards. `none`, as NVIDIA's examples have it, does no harm to whole ones."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each profile of the operator's plugin that says another strategy."""
    stated = mig_strategy(inventory)
    names = {operator.config(PLUGIN).name for operator in operators(inventory)}
    for profile in profiles(inventory) if stated is not None else ():
        said = profile.strategy.text()
        if stated is not None and said in MIG_ON and said != stated.text() and is_of_operator(profile, names):
            summary = f"{profile} has strategy {said}; the operator sets {stated.text()}, which wins"
            yield DOC.found(
                summary, at=profile.strategy.key_span, also=(Related("the operator's strategy", stated.span),)
            )
