"""Clusters: versions parsed, the release's components with the spec's overrides."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from gpuplan import versions
from gpuplan.catalog import Component, Release
from gpuplan.catalog.releases import newest
from gpuplan.diagnostics import KeyPath
from gpuplan.model.fleet import Destination, GpuOperatorSettings, KueueSettings
from gpuplan.resolve.scope import Scope
from gpuplan.spec.clusters import ClusterSpec, GpuOperatorSpec, KueueSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """A cluster's software side, before its hardware is known."""

    spec: ClusterSpec
    kubernetes: versions.Version
    release: Release
    components: Mapping[str, Component]
    kueue: KueueSettings
    gpu_operator: GpuOperatorSettings
    destination: Destination
    path: KeyPath


def platforms(scope: Scope) -> dict[str, Platform]:
    """Bind the release and components of every cluster. A cluster whose release is unknown is left out."""
    made = ((name, _platform(scope, name, spec)) for name, spec in scope.spec.clusters.items())
    return {name: platform for name, platform in made if platform is not None}


def _platform(scope: Scope, name: str, spec: ClusterSpec) -> Platform | None:
    path = ("clusters", name)
    if spec.release is None:
        release: Release | None = newest(scope.catalog.releases)
    else:
        release = scope.look_up("releases", scope.catalog.releases, spec.release, (*path, "release"))
    if release is None:
        return None
    components = _components(scope, spec, release, path)
    return Platform(
        spec=spec,
        kubernetes=versions.required(spec.kubernetes),
        release=release,
        components=components,
        kueue=_kueue(spec, components["kueue"]),
        gpu_operator=_gpu_operator(scope, spec, components["gpuOperator"]),
        destination=Destination(
            name=spec.destination.name or ("" if spec.destination.server else name),
            server=spec.destination.server or "",
        ),
        path=path,
    )


def _kueue(spec: ClusterSpec, component: Component) -> KueueSettings:
    said = KueueSpec(install=spec.kueue) if isinstance(spec.kueue, str) else spec.kueue
    return KueueSettings(
        managed=said.install == "managed",
        version=component.version,
        pods_ready_timeout_seconds=said.pods_ready_timeout_seconds,
    )


def _gpu_operator(scope: Scope, spec: ClusterSpec, component: Component) -> GpuOperatorSettings:
    said = GpuOperatorSpec(install=spec.gpu_operator) if isinstance(spec.gpu_operator, str) else spec.gpu_operator
    usual = scope.catalog.distributions[spec.distribution].operator_namespace
    return GpuOperatorSettings(
        managed=said.install == "managed",
        version=component.version,
        namespace=said.namespace or usual,
        kept_off=spec.operator_standby is not None,
        standby=spec.operator_standby == "installed",
    )


def _components(scope: Scope, spec: ClusterSpec, release: Release, path: KeyPath) -> dict[str, Component]:
    components = dict(release.components)
    for name, override in spec.components.items():
        known = scope.look_up("components", release.components, name, (*path, "components", name))
        if known is None:
            continue
        image = override.image or (f"{known.repository}:{_tag(known, override.version)}" if known.image else "")
        components[name] = dataclasses.replace(
            known,
            version=versions.required(override.version),
            image=image,
            confirmed=False,
            source="the fleet's own override",
        )
    return components


def _tag(known: Component, version: str) -> str:
    """Return the tag of another version of a component, spelt as its image's is: a leading `v`, a variant `-distroless`."""
    spelling = str(known.version)
    if spelling.startswith("v") and not version.startswith("v"):
        version = f"v{version}"
    before, found, variant = known.tag.partition(spelling)
    return f"{before}{version}{variant}" if found else version
