"""State to hand over, in work that does not serve.

`stateful` is for pods that serve from memory and need time to hand it over before they go: its drain time delays
every reclaim and every node that is replaced. Training and batch jobs keep their state in checkpoints and need none
of that.

Source: gpuplan's stateful task pools.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import TaskKind
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="stateful/not-serving",
    severity=Severity.WARNING,
    summary="`stateful` on work that does not serve",
    why="Its drain time delays every reclaim and every drain of a node, and work that checkpoints has nothing to hand over.",
    fix="Remove `stateful`, or make the kind `onlineInference`.",
    bad="taskPools:\n  pretrain: {kind: training, service: guaranteed, stateful: {drainSeconds: 900}}",
    good="taskPools:\n  pretrain: {kind: training, service: guaranteed}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each stateful task pool of another kind than online inference."""
    for pool in fleet.task_pools:
        if pool.stateful and pool.kind is not TaskKind.ONLINE_INFERENCE:
            yield DOC.found(
                f"`{pool.name}` is {pool.kind.value} and says `stateful`", at=fleet.places.key((*pool.path, "stateful"))
            )
