"""From what was seen to a report: every check looks, and one that cannot see what it reads says so."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.verify.checks import CHECKS
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import Report, Verdict


def judge(scene: Scene) -> Report:
    """Return the verdicts of all checks."""
    observed = scene.observed
    return Report(
        cluster=scene.cluster.name,
        kubernetes=observed.kubernetes,
        verdicts=tuple(_verdicts(scene)),
        partial=tuple(f"{kind}: {why}" for kind, why in sorted(observed.refused.items())),
    )


def _verdicts(scene: Scene) -> Iterator[Verdict]:
    for doc, check in CHECKS:
        blind = scene.blind(doc)
        if blind:
            yield blind
        else:
            yield from check(scene)
