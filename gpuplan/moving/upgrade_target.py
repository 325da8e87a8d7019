"""Where an upgrade goes: the versions that are wanted, against those that a cluster has."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gpuplan.catalog import Component, Release, Vendor
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import Exposure, NodePool, SelectedBy
from gpuplan.model.sharing import SharingMode
from gpuplan.rules.branches import is_known
from gpuplan.rules.walk import written
from gpuplan.versions import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is asked for: a release set, single components, a version of Kubernetes; None and nothing where it stays."""

    release: Release | None = None
    components: Mapping[str, Version]
    kubernetes: Version | None = None


def of_cluster(cluster: Cluster, target: Target) -> Target:
    """Return a target for one cluster: a patch release of the Kubernetes that is asked for is there already."""
    asked = target.kubernetes
    return replace(target, kubernetes=None) if asked and cluster.kubernetes.within(asked) else target


class Size(enum.Enum):
    """How far apart two versions are."""

    UNCHANGED = "unchanged"
    PATCH = "patch"
    MINOR = "minor"
    MAJOR = "major"
    BACK = "back"
    NEW = "new"
    """The set before has no such component."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A component of a cluster, or the driver of a pool, from one version to another.

    `used` is False where nothing in the cluster runs it; `pinned` where the spec's own override stays, since it is newer
    than the set's.
    """

    component: str
    old: Version | None
    new: Version
    used: bool = True
    pinned: bool = False
    pool: str = ""

    @property
    def size(self) -> Size:
        """How far apart its versions are."""
        return Size.NEW if self.old is None else size(self.old, self.new)

    @property
    def goes_back(self) -> bool:
        """Whether it is a way back of something that runs."""
        return self.used and self.size is Size.BACK


def size(old: Version, new: Version) -> Size:
    """Compare two versions by their numbers."""
    if old == new:
        return Size.UNCHANGED
    if new < old:
        return Size.BACK
    if new.major != old.major:
        return Size.MAJOR
    return Size.MINOR if new.minor != old.minor else Size.PATCH


def wanted(cluster: Cluster, target: Target) -> dict[str, Component]:
    """Return the components that a cluster has in the end.

    An override that is older than the set's version goes to it: who wants the set wants that. A newer one stays.
    """
    made = dict(cluster.components)
    for name, component in (target.release.components if target.release else {}).items():
        ours = cluster.components.get(name)
        if ours is None or ours.version <= component.version or not is_overridden(cluster, name):
            made[name] = component
    for name, version in target.components.items():
        made[name] = at(made[name], version)
    return made


def at(component: Component, version: Version) -> Component:
    """Return a component at another version, its image's tag spelt alike."""
    text = str(version)
    if str(component.version).startswith("v") and not text.startswith("v"):
        text = f"v{text}"
    image = component.image.replace(str(component.version), text)
    return replace(component, version=version, image=image, confirmed=False, source="asked for")


def is_overridden(cluster: Cluster, name: str) -> bool:
    """Tell whether the spec names another version of a component than the cluster's release set."""
    usual = cluster.release.components.get(name)
    return name in cluster.components and (usual is None or cluster.components[name].version != usual.version)


def components(cluster: Cluster, target: Target) -> Iterator[Change]:
    """Yield each component, also those that stay."""
    in_the_end = wanted(cluster, target)
    usual = target.release.components if target.release else {}
    for name in sorted(in_the_end):
        old = cluster.components.get(name)
        pinned = name in usual and usual[name].version != in_the_end[name].version and name not in target.components
        yield Change(
            component=name,
            old=old.version if old else None,
            new=in_the_end[name].version,
            used=is_used(cluster, name),
            pinned=pinned,
        )


def is_used(cluster: Cluster, name: str) -> bool:
    """Tell whether anything in the cluster runs a component, whoever installs it."""
    manual = cluster.pools_on("manual", Vendor.NVIDIA)
    cut = any(pool.sharing.mode is SharingMode.MIG for pool in (*manual, *cluster.operator_pools))
    uses = {
        "draDriver": any(pool.exposure is Exposure.DRA for pool in cluster.pools),
        "driverManager": bool(cluster.operator_driver_pools),
        "gpuOperator": cluster.has_operator,
        "kueue": True,
        "migManager": cut,
        "nfd": cluster.has_operator or any(pool.selection.by is SelectedBy.NFD for pool in cluster.pools),
    }
    return uses.get(name, bool(manual) or cluster.has_operator)


def follows_a_driver(fleet: Fleet, pool: NodePool) -> bool:
    """Tell whether the spec says which of NVIDIA's drivers a pool runs, itself or by its release."""
    return pool.card.vendor is Vendor.NVIDIA and is_known(fleet, pool)


def new_branch(fleet: Fleet, cluster: Cluster, pool: NodePool, target: Target) -> str:
    """Return the driver branch of a pool in the end: the set's, where the spec names none and somebody goes by it."""
    follows = (
        target.release is not None
        and follows_a_driver(fleet, pool)
        and pool.driver.branch == str(cluster.release.driver.major)
        and not written(fleet, (*pool.path, "driver", "branch"))
    )
    return str(target.release.driver.major) if target.release and follows else pool.driver.branch
