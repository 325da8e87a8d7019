"""What speaks against a state on the way: the judgements of `gpuplan compat`, and the rules of `gpuplan check`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gpuplan import rules
from gpuplan.catalog import Component
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.rules import judge_cluster, judge_driver
from gpuplan.rules.judgement import Judgement, Verdict, by_fact, not_known, tried
from gpuplan.versions import parse


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything that is known against a cluster as it stands."""

    judged: tuple[tuple[str, Judgement], ...]
    """All judgements, with the pool where they are of one."""
    cells: tuple[tuple[str, Judgement], ...]
    """Those that fail."""
    errors: tuple[Diagnostic, ...]

    def worse(self, start: State) -> State:
        """Return what the start did not have yet."""
        had = {(where, _kind(cell), cell.verdict) for where, cell in start.cells}
        found = {(error.rule, error.at) for error in start.errors}
        return State(
            judged=self.judged,
            cells=tuple((where, cell) for where, cell in self.cells if (where, _kind(cell), cell.verdict) not in had),
            errors=tuple(error for error in self.errors if (error.rule, error.at) not in found),
        )

    @property
    def fails(self) -> bool:
        """Whether it does not work, rather than being untried."""
        return bool(self.errors) or any(cell.verdict is Verdict.BAD for _, cell in self.cells)

    @property
    def is_clean(self) -> bool:
        """Whether nothing is known against it."""
        return not self.cells and not self.errors


def _kind(cell: Judgement) -> str:
    """Return what a judgement is about; that of a release set names the set."""
    return "release" if cell.aspect.startswith("release ") else cell.aspect


def state(fleet: Fleet, cluster: Cluster) -> State:
    """Judge a cluster by itself. What rules say of the rest of the fleet is no matter of its upgrade."""
    alone = replace(fleet, clusters=(cluster,))
    cells = [("", cell) for cell in (*judge_cluster.of_cluster(fleet, cluster), *_agents(cluster))]
    for pool in cluster.pools:
        cells += [(pool.name, cell) for cell in judge_driver.of_pool(fleet, cluster, pool)]
    return State(judged=tuple(cells), cells=_failing(cells), errors=tuple(_errors(alone)))


def _failing(cells: Iterable[tuple[str, Judgement]]) -> tuple[tuple[str, Judgement], ...]:
    return tuple((where, cell) for where, cell in cells if cell.fails)


def _errors(fleet: Fleet) -> Iterable[Diagnostic]:
    return (finding for finding in rules.check(fleet) if finding.severity is Severity.ERROR)


def _agents(cluster: Cluster) -> Iterable[Judgement]:
    """Judge the agents by each other: what is one image, what was built on what, and what a spec does not say."""
    parts = {
        name: cluster.components.get(name) for name in ("containerToolkit", "dcgm", "dcgmExporter", "devicePlugin")
    }
    plugin, toolkit = parts["devicePlugin"], parts["containerToolkit"]
    if plugin is not None:
        here = f"both {plugin.version}"
        yield by_fact(plugin, "plugin and feature discovery", Verdict.OK, here=here, known="one image")
    if toolkit is not None and cluster.container_runtime == "containerd":
        yield not_known("toolkit and containerd", f"toolkit {toolkit.version}; the spec names no version of containerd")
    if parts["dcgm"] is not None and parts["dcgmExporter"] is not None:
        yield from _exporter(parts["dcgmExporter"], parts["dcgm"])


def _exporter(exporter: Component, engine: Component) -> Iterable[Judgement]:
    """Judge the exporter by the DCGM that it is built on, which is the first half of its version, against a hostengine's."""
    built_on = parse(str(exporter.version).partition("-")[0]) if "-" in str(exporter.version) else None
    if built_on is not None:
        yield by_fact(
            exporter,
            "exporter and DCGM",
            tried(fits=built_on.minor == engine.version.minor),
            here=f"exporter {exporter.version} with hostengine {engine.version}",
            known=f"built on DCGM {built_on}",
        )
