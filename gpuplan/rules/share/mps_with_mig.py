"""MPS where cards are cut by MIG.

The device plugin refuses MPS beside strategy `mixed` and for MIG resources, and its MPS daemon passes over cards in MIG mode.

Source: NVIDIA k8s-device-plugin, `cmd/nvidia-device-plugin/main.go` and `internal/rm`. Reports: NVIDIA/k8s-device-plugin #1132,
NVIDIA/gpu-operator #717.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.mig import RESOURCE_PREFIX
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.exposure import Profile, Section, SharingKind, profiles
from gpuplan.inventory.cards.labelled import mig_config, plugin_config
from gpuplan.inventory.cards.mig_cuts import layouts_in_use
from gpuplan.inventory.cards.operator import mig_strategy
from gpuplan.inventory.cards.profiles_in_use import users
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="share/mps-with-mig",
    severity=Severity.ERROR,
    summary="MPS on cards that are cut by MIG",
    why="The device plugin refuses MPS with strategy mixed and on MIG devices, and crashes in a loop: the nodes offer no GPU.",
    fix="Share MIG instances by time slicing, or leave the cards whole and write `migStrategy: none`.",
    bad="version: v1\nflags: {migStrategy: mixed}\nsharing:\n  mps: {resources: [{name: nvidia.com/gpu, replicas: 4}]}",
    good="version: v1\nflags: {migStrategy: none}\nsharing:\n  mps: {resources: [{name: nvidia.com/gpu, replicas: 4}]}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each profile with MPS at the strategy or resource that excludes it, and for nodes that have both."""
    stated = mig_strategy(inventory)
    for profile in profiles(inventory):
        section = profile.sharing
        if section is not None and section.kind is SharingKind.MPS:
            yield from _strategy(profile, section, stated)
            for shared in section.resources:
                if shared.name.startswith(RESOURCE_PREFIX):
                    summary = f"{profile} shares `{shared.name}` by MPS, which is not supported for MIG devices"
                    yield DOC.found(summary, at=shared.view["name"].key_span)
            yield from _nodes(inventory, profile)


def _strategy(profile: Profile, section: Section, stated: View | None) -> Iterator[Diagnostic]:
    """Judge the strategy that counts: the operator sets it for the plugin, over what the profile says."""
    summary = f"{profile} uses MPS: --mig-strategy=mixed is not supported with it"
    if stated is None and profile.strategy.text() == "mixed":
        yield DOC.found(summary, at=profile.strategy.key_span)
    elif stated is not None and stated.text() == "mixed":
        yield DOC.found(f"{summary}, and that is set", at=section.view.key_span)


def _nodes(inventory: Inventory, profile: Profile) -> Iterator[Diagnostic]:
    layouts = layouts_in_use(inventory)
    for one in users(inventory, profile):
        layout = layouts.get(mig_config(one).text())
        if layout is not None and layout.enabled:
            summary = f"{one.subject} is to cut its cards by `{layout.name}` and to share them by MPS"
            yield DOC.found(summary, at=plugin_config(one).span)
