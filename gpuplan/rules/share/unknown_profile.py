"""A profile of the device plugin that nobody has written.

The label of a node, or the default, names a key that the ConfigMap does not have: the config manager ends with "specified config
does not exist" and the plugin's pod never runs.

Source: NVIDIA k8s-device-plugin, config-manager. Reports: NVIDIA/k8s-device-plugin #990, #321.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.exposure import profiles
from gpuplan.inventory.cards.labelled import labelled, plugin_config
from gpuplan.inventory.cards.operator import operators
from gpuplan.inventory.cards.profiles_in_use import choices, known_profiles
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed
from gpuplan.suggest import meant

DOC = RuleDoc(
    id="share/unknown-profile",
    severity=Severity.ERROR,
    summary="A node takes a plugin profile that does not exist",
    why="The plugin's pod on such a node crashes in a loop (specified config does not exist), and the node offers no GPU.",
    fix="Write one of the profiles that are there, or add it to the ConfigMap.",
    bad="metadata:\n  labels: {nvidia.com/device-plugin.config: shared}  # the ConfigMap has shared-4",
    good="metadata:\n  labels: {nvidia.com/device-plugin.config: shared-4}",
)

IGNORED = "Without `devicePlugin.config` nobody reads the label, and the cards stay as they are."
NAME_THEM = "Name the profiles' ConfigMap in `devicePlugin.config.name`, or remove the label."


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each label and each default that names no known profile; silent where the profiles are elsewhere."""
    for choice in choices(inventory):
        name = choice.default.text()
        if name and choice.keys is not None and name not in choice.keys:
            yield DOC.found(
                f"The default profile `{name}` does not exist", at=choice.default.span, fix=_fix(name, choice.keys)
            )
    policies = [operator for operator in operators(inventory) if operator.is_policy]
    if policies and not any(True for _ in choices(inventory)):
        yield from _ignored(inventory)
        return
    known = known_profiles(inventory)
    for one in labelled(inventory) if known is not None else ():
        view = plugin_config(one)
        name = view.text()
        if name and known is not None and name not in known:
            who = one.subject
            yield DOC.found(
                f"{who} takes plugin profile `{name}`, which does not exist", at=view.span, fix=_fix(name, known)
            )


def _ignored(inventory: Inventory) -> Iterator[Diagnostic]:
    """Judge labels where the operator's policy names no profiles at all: nobody reads them."""
    for one in labelled(inventory):
        view = plugin_config(one)
        if view.text() and not any(profile.name == view.text() for profile in profiles(inventory)):
            summary = f"{one.subject} takes plugin profile `{view.text()}`, and the operator's policy names no profiles"
            yield DOC.found(summary, at=view.span, detail=IGNORED, fix=NAME_THEM, severity=Severity.WARNING)


def _fix(name: str, known: tuple[str, ...]) -> str:
    return f"{meant(name, known, '')} Known are {listed(known)}.".strip()
