"""The port of an engine's requests where that of its metrics is meant.

Triton answers HTTP at 8000 and gRPC at 8001, and shows its metrics at a third port, 8002, unless it is told otherwise. vLLM,
SGLang and TGI show them at the port of their requests.

Source: NVIDIA Triton, metrics; the catalogue's engines.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.served import engines

DOC = RuleDoc(
    id="serving/port-without-metrics",
    severity=Severity.WARNING,
    summary="The port of an engine's requests where that of its metrics is meant",
    why="Prometheus asks for `/metrics` where the engine answers requests only: the target is down and nothing is watched.",
    fix="Leave `port` out, or name the one that the engine is started with for its metrics.",
    bad="taskPools:\n  embed: {serving: {engine: triton, port: 8000}}",
    good="taskPools:\n  embed: {serving: {engine: triton}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each such port."""
    for pool, serving, engine in engines(fleet):
        if serving.port in engine.answers_at:
            yield DOC.found(
                f"{engine.title} of `{pool.name}` answers requests at {serving.port}, and shows metrics at {engine.port}",
                at=fleet.places.value((*serving.path, "port")),
            )
