"""The change to `fleet/` by which a step of an upgrade is made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuplan.catalog import Component
from gpuplan.diagnostics import Span
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.moving import upgrade_target
from gpuplan.moving.upgrade import Step, Upgrade

Nested = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What is written, as a piece of the spec, and what is taken out of it (`clusters.eu.components.kueue`)."""

    at: Span
    """The cluster or the pool in the spec."""
    write: Nested
    remove: tuple[str, ...] = ()


def edit(fleet: Fleet, upgrade: Upgrade, step: Step) -> Edit:
    """Return the change of a step."""
    cluster, move = upgrade.cluster, step.move
    if move.pool:
        at = fleet.places.key(("nodePools", move.pool))
        return Edit(at=at, write={"nodePools": {move.pool: {"driver": {"branch": move.branch}}}})
    content: Nested = {}
    if move.kubernetes is not None:
        content["kubernetes"] = str(move.kubernetes)
    if move.release is not None and move.release.name != cluster.release.name:
        content["release"] = move.release.name
    overrides = {name: one for name, one in move.components.items() if not _is_usual(upgrade, name)}
    overrides |= _beside_the_set(upgrade, step)
    if overrides:
        content["components"] = {name: _override(cluster, name, one) for name, one in sorted(overrides.items())}
    write: Nested = {"clusters": {cluster.name: content}} if content else {}
    gone = (f"clusters.{cluster.name}.components.{name}" for name in sorted(move.components) if name not in overrides)
    remove = tuple(_obsolete(upgrade, step) if move.release is not None else gone)
    return Edit(at=fleet.places.key(cluster.path), write=write, remove=remove)


def _beside_the_set(upgrade: Upgrade, step: Step) -> dict[str, Component]:
    """Return the components that have a version of their own beside another set, and that nothing in the spec says yet."""
    cluster, release = upgrade.cluster, step.move.release
    earlier = {name for one in upgrade.steps if one.number < step.number for name in one.move.components}
    return {
        name: one
        for name, one in step.passage.after[1].components.items()
        if release is not None
        and name in release.components
        and one.version != release.components[name].version
        and name not in earlier
        and not (upgrade_target.is_overridden(cluster, name) and cluster.components[name].version == one.version)
    }


def _is_usual(upgrade: Upgrade, name: str) -> bool:
    """Tell whether a component goes to the version of the set that the cluster is on already, so that no override is needed."""
    release = upgrade.target.release
    return (
        release is not None and release.name == upgrade.cluster.release.name and name not in upgrade.target.components
    )


def _override(cluster: Cluster, name: str, wanted: Component) -> Nested:
    """Return an override; with its image where the release's, with another tag, is not it."""
    made: Nested = {"version": str(wanted.version)}
    usual = cluster.release.components.get(name, wanted)
    if wanted.image and upgrade_target.at(usual, wanted.version).image != wanted.image:
        made["image"] = wanted.image
    return made


def _obsolete(upgrade: Upgrade, step: Step) -> Iterable[str]:
    """Yield what says no more than the set does: overrides that stand there or came on the way, and branches of pools."""
    cluster, release = upgrade.cluster, step.move.release
    written = {name for name in cluster.components if upgrade_target.is_overridden(cluster, name)}
    earlier = [one for one in upgrade.steps if one.number < step.number]
    written.update(name for one in earlier for name in one.move.components)
    after = step.passage.after[1]
    for name in sorted(written):
        usual = release.components.get(name) if release else None
        if usual is not None and usual.version == after.components[name].version:
            yield f"clusters.{cluster.name}.components.{name}"
    yield from (f"nodePools.{one.move.pool}.driver.branch" for one in earlier if one.move.pool)
