"""Reclaiming without an image.

The reclaimer runs in each cluster as a container. Nobody publishes one image that is right for every fleet, so that a fleet
names its own (docs/reclaim.md shows how it is built). Without it the rendered Deployment would name an empty image, which
the API server refuses.

Source: gpuplan, docs/reclaim.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.reclaim import ReclaimMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="governance/reclaim-image",
    severity=Severity.ERROR,
    summary="Reclaiming without an image",
    why="The reclaimer runs as a container, and the API server refuses a Deployment without an image.",
    fix="Build an image with gpuplan in it and name it as `governance.reclaim.image`, or write `mode: 'off'`.",
    bad="governance:\n  reclaim: {mode: dryRun}",
    good="governance:\n  reclaim: {mode: dryRun, image: registry.acme.io/gpuplan:0.1.0}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding where a reclaimer is asked for and no image is named."""
    said = fleet.governance.reclaim
    if said.mode is not ReclaimMode.OFF and not said.image:
        yield DOC.found(
            f"`mode: {said.mode.value}` needs an image with gpuplan, and none is named",
            at=point(fleet, (*said.path, "mode")),
        )
