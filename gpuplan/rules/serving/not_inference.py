"""An engine for work that answers no requests.

`serving` says which pods are scraped and what they promise. Work that runs to its end has no port to ask and no user who waits:
its pods would be targets that are always down.

Source: gpuplan's task kinds.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.queues import TaskKind
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.served import engines

DOC = RuleDoc(
    id="serving/not-inference",
    severity=Severity.ERROR,
    summary="An engine for work that answers no requests",
    why="Every pod of the queue is scraped at the engine's port, where no job listens: all of them look down for ever.",
    fix="Remove `serving`, or make the kind `onlineInference`.",
    bad="taskPools:\n  pretrain: {kind: training, serving: {engine: vllm}}",
    good="taskPools:\n  chat: {kind: onlineInference, serving: {engine: vllm}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each task pool of another kind than online inference that names an engine."""
    for pool, serving, _ in engines(fleet):
        if pool.kind is not TaskKind.ONLINE_INFERENCE:
            yield DOC.found(
                f"`{pool.name}` is {pool.kind.value} and names an engine", at=fleet.places.key(serving.path)
            )
