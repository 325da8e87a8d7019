"""A version of an engine whose metrics the catalogue does not know.

Engines rename their metrics: vLLM hides one a minor release after it was replaced, and drops it the next. The version selects
the names that rules and dashboards read. A newer one is taken for the newest that is known, an older one for the oldest.

Source: vLLM, deprecation of metrics; vllm-project/vllm#29330; the catalogue's engines.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import versions
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.served import engines

DOC = RuleDoc(
    id="serving/unknown-version",
    severity=Severity.WARNING,
    summary="A version of an engine whose metrics are not known",
    why="A metric that was renamed leaves alerts that never fire and dashboards that stay empty.",
    fix="Compare the names in the rendered rules with what the engine exports.",
    bad="taskPools:\n  chat: {serving: {engine: vllm, version: 0.6.0}}",
    good="taskPools:\n  chat: {serving: {engine: vllm, version: 0.33.0}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each version before the oldest, and a note for each after the newest minor release."""
    for pool, serving, engine in engines(fleet):
        version = versions.parse(serving.version)
        at = fleet.places.value((*serving.path, "version"))
        if version is None:
            continue
        said = f"Version {serving.version} of {engine.title} in `{pool.name}`"
        if engine.is_older(version):
            yield DOC.found(
                f"{said} is older than {engine.oldest}, the oldest that is known",
                at=at,
            )
        elif engine.is_newer(version):
            yield DOC.found(
                f"{said} is taken for {engine.newest}, the newest that is known",
                at=at,
                severity=Severity.INFO,
            )
