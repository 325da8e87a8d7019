"""An engine that exports its metrics only if it is told to.

SGLang answers at its port either way, but `/metrics` is empty unless it was started with `--enable-metrics`. Its target is
then up, its latency unknown, and no promise on it is watched.

Source: SGLang, production metrics.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.served import engines

DOC = RuleDoc(
    id="serving/metrics-off",
    severity=Severity.INFO,
    summary="An engine that exports its metrics only if it is told to",
    why="Without the option there are no series of its models: neither their latency nor a broken promise is seen.",
    fix="Start the engine with its option for metrics.",
    bad="taskPools:\n  chat: {serving: {engine: sglang}}",
    good="taskPools:\n  chat: {serving: {engine: vllm}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a note for each task pool whose engine needs the option; its pods are not ours to look into."""
    for pool, serving, engine in engines(fleet):
        if engine.switch:
            yield DOC.found(
                f"{engine.title} of `{pool.name}` exports metrics only with `{engine.switch}`",
                at=fleet.places.value((*serving.path, "engine")),
                fix=f"See that its pods start {engine.title} with `{engine.switch}`.",
            )
