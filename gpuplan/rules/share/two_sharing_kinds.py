"""Time slicing and MPS in one profile.

The device plugin takes MPS and passes over time slicing without a word.

Source: NVIDIA k8s-device-plugin, `api/config/v1/sharing.go`. Report: NVIDIA/k8s-device-plugin #1132.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.cards.exposure import SharingKind, profiles
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="share/two-sharing-kinds",
    severity=Severity.ERROR,
    summary="Time slicing and MPS in one profile",
    why="The device plugin takes MPS and passes over time slicing without a word.",
    fix="Keep one of the two. Nodes that differ take different profiles, by `nvidia.com/device-plugin.config`.",
    bad="sharing:\n  mps: {resources: [{name: gpu, replicas: 4}]}\n  timeSlicing: {resources: [{name: gpu, replicas: 2}]}",
    good="sharing:\n  mps: {resources: [{name: gpu, replicas: 4}]}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each profile with both, at the one that is passed over."""
    for profile in profiles(inventory):
        both = {section.kind: section.view for section in profile.sections}
        if len(both) > 1:
            mps, slicing = both[SharingKind.MPS], both[SharingKind.TIME_SLICING]
            summary = f"{profile} has time slicing beside MPS, which wins: these shares are never made"
            yield DOC.found(summary, at=slicing.key_span, also=(Related("MPS is asked for here", mps.key_span),))
