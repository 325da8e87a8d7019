"""A promise on latency that no bucket of the engine can tell.

A histogram counts the requests up to each of its bounds. A promise between two bounds selects a bucket that does not exist:
the part of late requests is then nothing at all, and the alert never fires, however slow the model is. vLLM has 1 and 2.5 s
and no 2 s.

Source: the catalogue's engines (vLLM, SGLang and TGI, their own sources); Prometheus, histograms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplan import versions
from gpuplan.catalog import Bounds, Engine
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.monitoring import Serving
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.served import bounds, engines
from gpuplan.rules.walk import graded, listed

DOC = RuleDoc(
    id="serving/not-a-bound",
    severity=Severity.ERROR,
    summary="A promise on latency that no bucket of the engine can tell",
    why="Prometheus finds no bucket that ends there, so nothing is ever late and the alert never fires.",
    fix="Promise a bound of the engine's histogram.",
    bad="taskPools:\n  chat: {serving: {engine: vllm, slo: {latencyMilliseconds: 2000}}}",
    good="taskPools:\n  chat: {serving: {engine: vllm, slo: {latencyMilliseconds: 2500}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each promise that is no bound: of those that the spec names, else of the engine's usual ones."""
    for pool, serving, engine in engines(fleet):
        usual = bounds(fleet, serving)
        if serving.slo is None or usual is None:
            continue
        known = serving.bounds_milliseconds or tuple(usual.milliseconds)
        promised = serving.slo.latency_milliseconds
        if promised in known:
            continue
        near = nearest_two(promised, known)
        yield DOC.found(
            f"`{pool.name}` promises {promised} ms, and {engine.title} counts requests up to {listed(near)} ms",
            at=fleet.places.value((*serving.path, "slo", "latencyMilliseconds")),
            fix=f"Promise {listed(near, 'or')} ms{_or_set_bounds(serving, engine)}.",
            severity=graded(known=bool(serving.bounds_milliseconds) or _read(serving, engine, usual)),
        )


def _read(serving: Serving, engine: Engine, usual: Bounds) -> bool:
    """Tell whether somebody has read the bounds of this version."""
    version = versions.parse(serving.version)
    described = version is None or not (engine.is_older(version) or engine.is_newer(version))
    return described and "seconds" not in usual.unchecked


def nearest_two(wanted: int, known: Iterable[int]) -> list[int]:
    """Return the bounds on both sides of a number, or the two nearest where it is beyond all, ascending."""
    below = sorted(bound for bound in known if bound < wanted)
    above = sorted(bound for bound in known if bound > wanted)
    return [*below[-1:], *above[:1]] if below and above else (below[-2:] or above[:2])


def _or_set_bounds(serving: Serving, engine: Engine) -> str:
    if not engine.bounds_switch or serving.bounds_milliseconds:
        return ""
    return f", or start {engine.title} with bounds of your own (`{engine.bounds_switch}`) and name them in `boundsMilliseconds`"
