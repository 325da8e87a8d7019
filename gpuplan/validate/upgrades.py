"""Transitions that a component does not survive in one step: its version now, against the one in `rendered/`.

The objects that say versions are the Argo CD Applications of what is installed as a chart, the ClusterPolicy that is rendered
for an operator of others, and the operator's drivers. Only here are old and new seen together. Where others install Kueue, no
object says what runs, and nothing is judged.

Sources: GPU Operator life-cycle policy (an upgrade stays in a release line or goes to the next); Kueue #8020.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gpuplan import conventions, versions
from gpuplan.catalog.operator import line_name
from gpuplan.diagnostics import Diagnostic, KeyPath, Severity, Span
from gpuplan.manifests.set import Manifest, ManifestSet
from gpuplan.model.fleet import Fleet
from gpuplan.validate.findings import DOWNGRADE, UPGRADE_SKIPS, UPGRADE_TOO_FAR
from gpuplan.versions import Version

Object = Mapping[str, Any]

CHARTS: Mapping[str, str] = {"gpu-operator": "gpuOperator", "kueue": "kueue"}
"""A chart's name → the component of a release that it installs."""
TITLES: Mapping[str, str] = {"gpuOperator": "the GPU Operator", "kueue": "Kueue"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A component of a cluster, or the driver of a pool, that goes from one version to another."""

    component: str
    what: str
    """The component in words."""
    old: Version
    new: Version
    at: Span
    by_others: bool = False
    """Whether others install it, who may have gone step by step without telling the spec."""


def refused(fleet: Fleet, manifests: ManifestSet, old: Callable[[str], Object | None]) -> Iterator[Diagnostic]:
    """Yield a finding for each component that moves too far, or backwards.

    `old` gives the object that the tree holds in a file now, or None where there is none or it stays as it is.
    """
    for path, made in manifests.placed.items():
        read = READERS.get(made.key.kind)
        if read is None:
            continue
        before = old(path)
        move = read(fleet, made, before) if before is not None and before.get("kind") == made.key.kind else None
        if move is not None and move.old != move.new:
            yield from judged(fleet, move)


def _application(fleet: Fleet, made: Manifest, before: Object) -> Move | None:
    """Read the versions of a chart; the first origin of its application is its cluster."""
    was, will = (_part(one, "spec").get("source", {}) for one in (before, made.object))
    component = CHARTS.get(will.get("chart", ""))
    old, new = (versions.parse(str(one.get("targetRevision", ""))) for one in (was, will))
    if component is None or was.get("chart") != will["chart"] or old is None or new is None:
        return None
    at = said(fleet, made.origin.path, ("components", component, "version"), ("release",))
    return Move(
        component=component, what=f"{TITLES[component]} of cluster `{made.origin.path[-1]}`", old=old, new=new, at=at
    )


def _part(made: Object, key: str) -> Mapping[str, Any]:
    part: Mapping[str, Any] = made.get(key, {})
    return part


def _policy(fleet: Fleet, made: Manifest, before: Object) -> Move | None:
    """Read the version of the operator that a ClusterPolicy was rendered for; its first origin is its cluster."""
    notes = (_part(one, "metadata").get("annotations", {}) for one in (before, made.object))
    old, new = (versions.parse(one.get(conventions.ANNOTATION_GPU_OPERATOR, "")) for one in notes)
    if old is None or new is None:
        return None
    component = "gpuOperator"
    what = f"{TITLES[component]} of cluster `{made.cluster}`"
    at = said(fleet, ("clusters", str(made.cluster)), ("components", component, "version"), ("release",))
    return Move(component=component, what=what, old=old, new=new, at=at, by_others=True)


def _driver(fleet: Fleet, made: Manifest, before: Object) -> Move | None:
    """Read the versions of a pool's driver; the first origin of the object is its pool."""
    old, new = (versions.parse(str(_part(one, "spec").get("version", ""))) for one in (before, made.object))
    if old is None or new is None:
        return None
    at = said(fleet, made.origin.path, ("driver", "branch"))
    return Move(component="driver", what=f"the driver of pool `{made.origin.path[-1]}`", old=old, new=new, at=at)


READERS: Mapping[str, Callable[[Fleet, Manifest, Object], Move | None]] = {
    "Application": _application,
    "ClusterPolicy": _policy,
    "NVIDIADriver": _driver,
}
"""How to read a version off an object of a kind."""


def said(fleet: Fleet, entry: KeyPath, *ways: KeyPath) -> Span:
    """Return the first of the places below an entry that the spec holds, or the entry's key."""
    whole = fleet.places.value(entry)
    for way in ways:
        value = fleet.places.value((*entry, *way))
        if value not in (whole, fleet.places.value((*entry, *way[:-1]))):
            return value
    return fleet.places.key(entry)


def judged(fleet: Fleet, move: Move) -> Iterator[Diagnostic]:
    """Yield what speaks against a move: that it goes back, leaves a release line out, or passes a version with work to do."""
    if move.new < move.old:
        if move.component != "driver" or move.new.major < move.old.major:
            yield DOWNGRADE.found(f"This takes {move.what} back from {move.old} to {move.new}", at=move.at)
        return
    if move.component == "gpuOperator":
        yield from _operator(fleet, move)
    yield from _stops(fleet, move)


def _operator(fleet: Fleet, move: Move) -> Iterator[Diagnostic]:
    """Yield a finding where the operator would leave a line out; a line that nobody knows is not judged."""
    road = fleet.catalog.operator.road(move.old, move.new)
    if road is not None and len(road) > 2:
        way = " → ".join((str(move.old), *road[1:-1], str(move.new)))
        yield UPGRADE_TOO_FAR.found(
            f"This takes {move.what} from {move.old} to {move.new} in one step; the road is {way}",
            at=move.at,
            fix=f"Write a version of line {road[1]} under `components.gpuOperator.version`, render, let it sync and wait until "
            f"all its pods are ready; then go on to {', then '.join((*road[2:-1], line_name(move.new)))} in the same way.",
            severity=Severity.WARNING if move.by_others else None,
        )


def _stops(fleet: Fleet, move: Move) -> Iterator[Diagnostic]:
    for stop in fleet.catalog.upgrades.values():
        if stop.component == move.component and stop.lies_between(move.old, move.new):
            yield UPGRADE_SKIPS.found(
                f"This takes {move.what} from {move.old} to {move.new}, past {stop.at}: {stop.summary}",
                at=move.at,
                detail=f"{UPGRADE_SKIPS.why} See {stop.source}.",
                fix=f"Write a version of {stop.at} under `components.{stop.component}.version`, render, let it sync, and do what "
                "its release notes ask for; then go on.",
            )
