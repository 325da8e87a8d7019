"""A taint that only asks other work to stay away.

The scheduler puts a pod on a node with `PreferNoSchedule` when it has no better place, and Kueue does not look at the
effect at all. Work without cards will run on these nodes on a full day, and take the CPUs that jobs with cards need.

Source: Kubernetes taint effects; Kueue flavor assignment.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import pools

DOC = RuleDoc(
    id="taint/prefer-no-schedule-ignored",
    severity=Severity.INFO,
    summary="A taint that does not keep other work away",
    why="`PreferNoSchedule` is a wish: the scheduler uses the node when it has no other, and Kueue ignores the effect.",
    fix="Write `NoSchedule` where work without cards must stay off the nodes.",
    bad="nodePools:\n  a: {taints: [{key: nvidia.com/gpu, effect: PreferNoSchedule}]}",
    good="nodePools:\n  a: {taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each soft taint, at its effect."""
    for _, pool in pools(fleet):
        for index, taint in enumerate(pool.taints):
            if taint.effect == "PreferNoSchedule":
                summary = f"Taint `{taint.key}` of pool `{pool.name}` does not keep other work off its nodes"
                yield DOC.found(summary, at=fleet.places.value((*pool.path, "taints", index, "effect")))
