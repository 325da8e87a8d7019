"""A MIG profile that the pool's driver branch does not have yet.

Some profiles came with a later driver: on an A30 the slices with media engines need R470 (`1g.6gb+me`) and R525
(`2g.12gb+me`). An older driver refuses to create them.

Source: NVIDIA MIG User Guide, A30 profiles.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.branches import reaches
from gpuplan.rules.cuts import cuts
from gpuplan.rules.walk import graded, point

DOC = RuleDoc(
    id="mig/driver-too-old-for-profile",
    severity=Severity.ERROR,
    summary="A MIG profile that came with a later driver",
    why="The driver of the pool does not know the profile and refuses to create an instance of it.",
    fix="Choose a newer driver branch, or another profile.",
    bad="nodePools:\n  lab: {card: a30, driver: {branch: '510'}, sharing: {mig: {profiles: {2g.12gb+me: 1}}}}",
    good="nodePools:\n  lab: {card: a30, driver: {branch: '580'}, sharing: {mig: {profiles: {2g.12gb+me: 1}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each profile that needs a newer driver than the pool has."""
    for cut in cuts(fleet):
        branch = (*cut.pool.path, "driver", "branch")
        for profile in cut.mix:
            known = cut.mig_class.find(profile)
            if known is not None and known.min_driver and not reaches(fleet, cut.pool.driver.branch, known.min_driver):
                yield DOC.found(
                    f"Pool `{cut.pool.name}` runs driver {cut.pool.driver.branch}, and {profile} needs {known.min_driver}",
                    at=fleet.places.key((*cut.path, profile)),
                    also=(Related("the driver", point(fleet, branch)),),
                    severity=graded(known=cut.known),
                )
