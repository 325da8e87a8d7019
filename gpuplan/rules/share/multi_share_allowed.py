"""Requests for several shares are allowed in so many words.

Two shares may be two turns on one card: a pod that asks for two gets no more than one that asks for one.

Source: NVIDIA k8s-device-plugin, README on shared access to GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.exposure import profiles
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="share/multi-share-allowed",
    severity=Severity.INFO,
    summary="Requests for several shares are allowed",
    why="Several shares may all lie on one card, and give no more time on it than one.",
    fix="Write `failRequestsGreaterThanOne: true`, unless pods ask for several on purpose.",
    bad="sharing:\n  timeSlicing:\n    failRequestsGreaterThanOne: false\n    resources: [{name: nvidia.com/gpu, replicas: 4}]",
    good="sharing:\n  timeSlicing:\n    failRequestsGreaterThanOne: true\n    resources: [{name: nvidia.com/gpu, replicas: 4}]",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each profile that says so; one that leaves it out is as most are."""
    for profile in profiles(inventory):
        section = profile.sharing
        switch = section.view["failRequestsGreaterThanOne"] if section else None
        if switch is not None and switch.value is False:
            yield DOC.found(f"{profile} lets a pod ask for more than one share", at=switch.key_span)
