"""`gpuplan compat`: what the catalogue knows of the versions, cards and drivers of a fleet going together."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from gpuplan.catalog import Vendor
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import NodePool
from gpuplan.report.console import table, title
from gpuplan.rules import judge_cluster, judge_driver
from gpuplan.rules.branches import is_known
from gpuplan.rules.judgement import Judgement, Verdict

FORMAT_VERSION = "1.0"
HEADER = ("WHAT", "HERE", "KNOWN", "VERDICT")
Numbers = dict[tuple[str, datetime.date | None], int]
"""(source, day on which it was read) -> the number by which cells name it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """A card with a driver, as one or several pools of a cluster have it."""

    pools: tuple[str, ...]
    card: str
    architecture: str
    branch: str
    kernel_modules: str
    stated: bool
    """Whether the spec says which of NVIDIA's drivers runs, rather than leaving it to others or to another vendor."""
    driver: str
    """The driver in a few words."""
    cells: tuple[Judgement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterMatrix:
    """All judgements of one cluster."""

    cluster: Cluster
    cells: tuple[Judgement, ...]
    pairings: tuple[Pairing, ...]

    @property
    def all_cells(self) -> tuple[Judgement, ...]:
        """The cells of the cluster and of its pairings."""
        return (*self.cells, *(cell for pairing in self.pairings for cell in pairing.cells))


def matrices(fleet: Fleet, clusters: Iterable[Cluster]) -> tuple[ClusterMatrix, ...]:
    """Judge each cluster."""
    return tuple(
        ClusterMatrix(
            cluster=cluster,
            cells=tuple(judge_cluster.of_cluster(fleet, cluster)),
            pairings=tuple(_pairings(fleet, cluster)),
        )
        for cluster in clusters
    )


def _pairings(fleet: Fleet, cluster: Cluster) -> Iterator[Pairing]:
    """Yield each card with its driver once, in the order of the pools."""
    alike: dict[tuple[object, ...], list[NodePool]] = {}
    for pool in cluster.pools:
        driver = pool.driver
        image = driver.precompiled if pool in cluster.operator_driver_pools else None
        key: tuple[object, ...] = (
            *(pool.card.name, driver.branch, driver.kernel_modules, image),
            _driver(fleet, pool),
        )
        alike.setdefault(key, []).append(pool)
    for pools in alike.values():
        first = pools[0]
        yield Pairing(
            pools=tuple(pool.name for pool in pools),
            card=first.card.name,
            architecture=first.card.architecture,
            branch=first.driver.branch,
            kernel_modules=first.driver.kernel_modules,
            stated=_stated(fleet, first),
            driver=_driver(fleet, first),
            cells=tuple(judge_driver.of_pool(fleet, cluster, first)),
        )


def _stated(fleet: Fleet, pool: NodePool) -> bool:
    return pool.card.vendor is Vendor.NVIDIA and is_known(fleet, pool)


def _driver(fleet: Fleet, pool: NodePool) -> str:
    """Return a pool's driver in a few words: NVIDIA's branch, or the version that another vendor's operator installs."""
    if _stated(fleet, pool):
        return f"{pool.driver.branch} {pool.driver.kernel_modules}"
    theirs = pool.card.vendor is not Vendor.NVIDIA and pool.stack == "operator" and not pool.driver.preinstalled
    return (fleet.catalog.vendors.of(pool.card).driver if theirs else "") or "not said"


def days(made: Iterable[ClusterMatrix]) -> tuple[datetime.date, datetime.date] | None:
    """Return the days on which the oldest and the newest of the facts were read; None where there is no fact."""
    checked = sorted(cell.checked for matrix in made for cell in matrix.all_cells if cell.checked)
    return (checked[0], checked[-1]) if checked else None


def overview(made: Sequence[ClusterMatrix]) -> Iterator[RenderableType]:
    """Yield the matrix of each cluster, and the sources by number with the days on which they were read."""
    sources = _numbered(cell for matrix in made for cell in matrix.all_cells)
    for matrix in made:
        cluster = matrix.cluster
        parts = (cluster.distribution, cluster.os, cluster.container_runtime, cluster.stack)
        yield title(f"{cluster.name}  Kubernetes {cluster.kubernetes} · {' · '.join(parts)}")
        rows = [
            (cell.aspect, cell.here, cell.known, f"{cell.verdict.value}{_mark(cell, sources)}")
            for cell in (*matrix.cells, *_branches(matrix.pairings))
        ]
        yield table(HEADER, rows)
        if matrix.pairings:
            yield Text("")
            yield _drivers(matrix.pairings, sources)
        yield Text("")
    yield from (Text(f"[{number}] {checked} {source}") for (source, checked), number in sources.items())
    known = days(made)
    if known:
        yield Text(f"The facts were read between {known[0]} and {known[1]}; ask their sources for what came since.")


def _branches(pairings: Sequence[Pairing]) -> Iterator[Judgement]:
    """Yield the life of each driver branch once."""
    stated = (cell for pairing in pairings if pairing.stated for cell in pairing.cells)
    yield from dict.fromkeys(cell for cell in stated if cell.aspect == judge_driver.BRANCH)


def _drivers(pairings: Sequence[Pairing], sources: Numbers) -> RenderableType:
    """Return one line a pairing; what goes together says no more than that."""
    aspects = dict.fromkeys(cell.aspect for pairing in pairings for cell in pairing.cells)
    aspects.pop(judge_driver.BRANCH, None)
    rows = []
    for pairing in pairings:
        cells = {cell.aspect: cell for cell in pairing.cells}
        who = (", ".join(pairing.pools), pairing.card, pairing.architecture, pairing.driver)
        nothing = "-" if cells else Verdict.UNKNOWN.value
        rows.append((*who, *(_short(cells[one], sources) if one in cells else nothing for one in aspects)))
    return table(("POOLS", "CARD", "ARCHITECTURE", "DRIVER", *map(str.upper, aspects)), rows)


def _short(cell: Judgement, sources: Numbers) -> str:
    said = f" {cell.known}" if cell.fails else ""
    return f"{cell.verdict.value}{said}{_mark(cell, sources)}"


def _numbered(cells: Iterable[Judgement]) -> Numbers:
    numbers: Numbers = {}
    for cell in cells:
        if cell.source:
            numbers.setdefault((cell.source, cell.checked), len(numbers) + 1)
    return numbers


def _mark(cell: Judgement, sources: Numbers) -> str:
    return f" [{sources[cell.source, cell.checked]}]" if cell.source else ""


def data(fleet: Fleet, made: Sequence[ClusterMatrix]) -> dict[str, Any]:
    """Return the matrix for programs."""
    known = days(made)
    return {
        "format_version": FORMAT_VERSION,
        "fleet": fleet.name,
        "factsRead": {"oldest": known[0].isoformat(), "newest": known[1].isoformat()} if known else None,
        "clusters": [
            {
                "name": matrix.cluster.name,
                "kubernetes": str(matrix.cluster.kubernetes),
                "distribution": matrix.cluster.distribution,
                "os": matrix.cluster.os,
                "containerRuntime": matrix.cluster.container_runtime,
                "stack": matrix.cluster.stack,
                "release": matrix.cluster.release.name,
                "cells": [_cell(cell) for cell in matrix.cells],
                "drivers": [
                    {
                        "pools": list(pairing.pools),
                        "card": pairing.card,
                        "architecture": pairing.architecture,
                        "branch": pairing.branch if pairing.stated else None,
                        "kernelModules": pairing.kernel_modules if pairing.stated else None,
                        "driver": pairing.driver,
                        "cells": [_cell(cell) for cell in pairing.cells],
                    }
                    for pairing in matrix.pairings
                ],
            }
            for matrix in made
        ],
    }


def _cell(cell: Judgement) -> dict[str, Any]:
    return {
        "what": cell.aspect,
        "verdict": cell.verdict.value,
        "here": cell.here,
        "known": cell.known or None,
        "source": cell.source or None,
        "checked": cell.checked.isoformat() if cell.checked else None,
    }
