"""A component version that nobody has confirmed to go with the rest of its release.

Versions that a fleet overrides under `components` were not tested with the others, and in older releases some
versions were chosen to fit where no source names them. This is a note, not a fault: it says where to look first when a
cluster misbehaves after an upgrade.

Source: the catalogue's releases.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, point, written

DOC = RuleDoc(
    id="release/component-unconfirmed",
    severity=Severity.INFO,
    summary="A component version that is not confirmed to go with its release",
    why="Nobody has said that this version works with the others of the release: look here first when something breaks.",
    fix="Choose a release whose components are confirmed.",
    bad="clusters:\n  eu: {kubernetes: '1.36', release: '2026.08', components: {nfd: {version: v0.18.3}}}",
    good="clusters:\n  eu: {kubernetes: '1.36', release: '2026.08'}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each overridden component, and one for all that a release itself does not confirm."""
    for cluster in fleet.clusters:
        unsure = [name for name, component in cluster.components.items() if not component.confirmed]
        overridden = [name for name in unsure if written(fleet, (*cluster.path, "components", name))]
        for name in overridden:
            version = cluster.components[name].version
            if version == cluster.release.components[name].version:
                continue
            summary = f"`{name}` {version} is not the version of release {cluster.release.name}"
            at = point(fleet, (*cluster.path, "components", name, "version"))
            yield DOC.found(summary, at=at, fix="Remove the override where the release's own version will do.")
        yield from _of_release(fleet, cluster, [name for name in unsure if name not in overridden])


def _of_release(fleet: Fleet, cluster: Cluster, unsure: list[str]) -> Iterator[Diagnostic]:
    if unsure:
        summary = f"Release {cluster.release.name} has versions that no source confirms: {listed(unsure)}"
        yield DOC.found(summary, at=point(fleet, (*cluster.path, "release")))
