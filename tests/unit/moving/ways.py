"""The way of a pool worked out on a spec that is there as text, and what a spec renders, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gpuplan import rules
from gpuplan.diagnostics import Diagnostics
from gpuplan.emit.emitters import emit
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool, Stack
from gpuplan.moving.stack import Road, road
from gpuplan.pipeline import render_changed
from gpuplan.rules import suppress
from tests.build import TODAY, resolved

FILE = Path("fleet/fleet.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What checking a text gives."""

    fleet: Fleet | None
    findings: Diagnostics


def check(texts: Mapping[Path, str]) -> Looked:
    """Check the only file of a spec as `gpuplan check` does."""
    fleet, found = resolved(texts[FILE])
    if fleet is None:
        return Looked(fleet=None, findings=found)
    judged = suppress.apply((*found, *rules.check(fleet)), fleet.suppressions, fleet.places, TODAY)
    return Looked(fleet=fleet, findings=judged)


def loaded(text: str) -> Fleet:
    """Resolve a spec."""
    fleet, found = resolved(text)
    assert fleet is not None, [one.summary for one in found]
    return fleet


def pool_of(fleet: Fleet, name: str) -> NodePool:
    """Return a pool by its name."""
    return next(pool for cluster in fleet.clusters for pool in cluster.pools if pool.name == name)


def way(text: str, pool: str, target: Stack) -> Road | Diagnostics:
    """Work out the way of a pool of a spec."""
    fleet = loaded(text)
    return road(fleet, pool_of(fleet, pool), target, {FILE: text}, check, render_changed)


def rendered(text: str) -> ManifestSet:
    """Compile a spec as a whole."""
    return emit(loaded(text), lambda *_: None)
