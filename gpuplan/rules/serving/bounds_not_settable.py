"""Bounds of a histogram for an engine that cannot be told any.

`boundsMilliseconds` says which bounds the engine is started with, so that promises can be compared with them. TGI computes its
bounds, and Triton has no histogram of requests by default: there the list describes nothing.

Source: the catalogue's engines (their own sources).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.served import engines

DOC = RuleDoc(
    id="serving/bounds-not-settable",
    severity=Severity.WARNING,
    summary="Bounds for an engine that cannot be told any",
    why="The engine has no option for the bounds of its histogram, so a promise on one of these is never measured.",
    fix="Remove `boundsMilliseconds` and promise one of the engine's own bounds.",
    bad="taskPools:\n  chat: {serving: {engine: tgi, boundsMilliseconds: [1000, 2000]}}",
    good="taskPools:\n  chat: {serving: {engine: vllm, boundsMilliseconds: [1000, 2000]}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each such list."""
    for pool, serving, engine in engines(fleet):
        if serving.bounds_milliseconds and not engine.bounds_switch:
            yield DOC.found(
                f"`{pool.name}` names bounds, and {engine.title} has no option to set them",
                at=fleet.places.value((*serving.path, "boundsMilliseconds")),
            )
