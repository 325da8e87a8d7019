"""The arrow, in one place:

    fleet/*.yaml -source-> Document -spec-> FleetSpec + Origins -resolve-> Fleet -rules-> findings
                                                                            \\-emit-> ManifestSet -validate-> findings

Each phase has one input and one output and knows nothing of later ones. Folder, catalogue and day are arguments.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from gpuplan import catalog, rules
from gpuplan.diagnostics import Diagnostics, has_errors, ordered
from gpuplan.emit.emitters import compiled
from gpuplan.emit.monitoring import publish
from gpuplan.emit.monitoring.alerts import RuleGroups
from gpuplan.manifests.set import ManifestSet, TextFile
from gpuplan.model.fleet import Fleet
from gpuplan.resolve import resolve
from gpuplan.rules import suppress
from gpuplan.source.folder import read_fleet
from gpuplan.spec.load import load
from gpuplan.validate import immutable, leaving, relabel, upgrades, validate

Progress = Callable[[str, int, int], None]
"""Told the name of each cluster as it is compiled, its number from 1, and how many there are."""

Texts = Callable[[Fleet, RuleGroups], Iterator[TextFile]]
"""Makes the files for people that lie beside the manifests: their words are `report`'s, which this module does not know."""


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


def check(folder: Path, today: datetime.date) -> Checked:
    """Read, load, resolve and judge the fleet in a folder."""
    documents, unreadable = read_fleet(folder)
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


def no_texts(_fleet: Fleet, _rules: RuleGroups) -> Iterator[TextFile]:
    """Make no file for people."""
    return iter(())


def render(fleet: Fleet, progress: Progress = silent, texts: Texts = no_texts) -> tuple[ManifestSet, Diagnostics]:
    """Compile a fleet without errors, and validate what came out.

    A finding here means that gpuplan made something that a cluster would refuse: a fault of ours, shown with the place in
    the spec that led to it.
    """
    groups = publish.of_fleet(fleet)
    manifests = compiled(fleet, groups, progress).with_texts(texts(fleet, groups))
    return manifests, validate(manifests)


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
