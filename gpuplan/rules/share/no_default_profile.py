"""Several profiles, and none for the nodes that name none.

A node without the label `nvidia.com/device-plugin.config` takes the default that is named, else the profile that is called
`default`, else the only one. With several and no default it takes none: its cards stay whole.

Source: NVIDIA k8s-device-plugin, config-manager. Reports: NVIDIA/gpu-operator #412, #281.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.labelled import plugin_config
from gpuplan.inventory.cards.profiles_in_use import FALLBACK, Choice, choices, with_nvidia
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed

DOC = RuleDoc(
    id="share/no-default-profile",
    severity=Severity.WARNING,
    summary="Several plugin profiles and no default",
    why="Nodes without the label nvidia.com/device-plugin.config then use no profile at all, and offer their cards unshared.",
    fix="Name the profile of unlabelled nodes as `default`, or call one of them `default`.",
    bad="spec:\n  devicePlugin:\n    config: {name: plugin-profiles}",
    good="spec:\n  devicePlugin:\n    config: {name: plugin-profiles, default: shared-4}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding where profiles are named, unless every node that is known has a label."""
    open_choices = [choice for choice in choices(inventory) if _is_open(choice)]
    if not open_choices:
        return
    nodes = [plugin_config(one).text() for one in with_nvidia(inventory)]
    if nodes and all(nodes):
        return
    for choice in open_choices:
        summary = f"No default among {listed(choice.keys or ())}: nodes without a label get none of them"
        yield DOC.found(summary, at=choice.at.key_span)


def _is_open(choice: Choice) -> bool:
    """Tell whether nodes without a label get no profile."""
    several = choice.keys is not None and len(choice.keys) > 1 and FALLBACK not in choice.keys
    return several and not choice.default.scalar()
