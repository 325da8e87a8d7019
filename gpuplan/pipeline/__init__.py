"""The arrow, in one place:

    fleet/*.yaml -source-> Document -spec-> FleetSpec + Origins -resolve-> Fleet -rules-> findings
                                                                            \\-emit-> ManifestSet -validate-> findings

Each phase has one input and one output and knows nothing of later ones. Folder, catalogue and day are arguments.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gpuplan import catalog, rules
from gpuplan.diagnostics import Diagnostics, has_errors, ordered
from gpuplan.emit.texts import NO_TEXTS, Texts
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.fleet import Fleet
from gpuplan.pipeline.changed import render_changed
from gpuplan.pipeline.clusters import Compiled, Progress, compiled, joined, shared
from gpuplan.pipeline.second_look import second_look
from gpuplan.resolve import resolve
from gpuplan.rules import suppress
from gpuplan.source.folder import read_fleet
from gpuplan.spec.load import load
from gpuplan.validate import immutable, leaving, relabel, upgrades, validate

__all__ = [
    "NO_TEXTS",
    "Checked",
    "Progress",
    "Texts",
    "check",
    "render",
    "render_changed",
    "silent",
    "transitions",
]


def silent(name: str, number: int, total: int) -> None:
    """Report progress to nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What checking gives: the resolved fleet unless too much is wrong, and every finding."""

    fleet: Fleet | None
    findings: Diagnostics

    @property
    def ok(self) -> bool:
        """Whether it may be rendered."""
        return self.fleet is not None and not has_errors(self.findings)


def check(folder: Path, today: datetime.date, called: Path | None = None) -> Checked:
    """Read, load, resolve and judge the fleet in a folder; findings call it `called` where it lies elsewhere."""
    documents, unreadable = read_fleet(folder, called)
    if not documents:
        return Checked(fleet=None, findings=unreadable)
    loaded, misshapen = load(documents)
    if loaded is None:
        return Checked(fleet=None, findings=ordered((*unreadable, *misshapen)))
    fleet, unbound = resolve(loaded, catalog.load(), today)
    found = ordered((*unreadable, *misshapen, *unbound))
    if fleet is None:
        return Checked(fleet=None, findings=found)
    judged = suppress.apply((*found, *rules.check(fleet)), fleet.suppressions, fleet.places, today)
    return Checked(fleet=fleet, findings=judged)


def render(fleet: Fleet, progress: Progress = silent, texts: Texts = NO_TEXTS) -> tuple[ManifestSet, Diagnostics]:
    """Compile a fleet without errors, and validate what came out.

    A finding here means that gpuplan made something that a cluster would refuse: a fault of ours, shown with the place in
    the spec that led to it.
    """
    parts: list[Compiled] = []
    for number, cluster in enumerate(fleet.clusters, start=1):
        progress(cluster.name, number, len(fleet.clusters))
        parts.append(compiled(fleet, cluster, texts))
    hub = shared(fleet, {one.cluster: one.footprint for one in parts}, texts)
    manifests = joined(parts, hub)
    looked = (
        one for cluster, part in zip(fleet.clusters, parts, strict=True) for one in second_look(cluster, part.manifests)
    )
    return manifests, ordered((*validate(manifests), *looked))


def transitions(fleet: Fleet, manifests: ManifestSet, old: Callable[[str], Mapping[str, object] | None]) -> Diagnostics:
    """Return a finding for each object whose immutable field differs from what `old` gives for its file, whose version
    goes too far, or that leaves something running behind, and for each pool whose nodes need other labels than they have.
    """
    return ordered(
        (
            *immutable.refused(manifests, old),
            *upgrades.refused(fleet, manifests, old),
            *leaving.left_behind(fleet, manifests, old),
            *relabel.needed(fleet, old),
        )
    )
