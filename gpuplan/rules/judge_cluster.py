"""What the catalogue knows of a cluster's versions going together."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import versions
from gpuplan.catalog import Component
from gpuplan.catalog.compat import Incompatibility
from gpuplan.catalog.operator import line_name
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.rules.judgement import Judgement, Verdict
from gpuplan.rules.served import by_operator

FIRST_KUEUE = versions.required("0.15")
"""The first Kueue that serves kueue.x-k8s.io/v1beta2, the only version that gpuplan writes."""
OF_OPERATOR = ("containerToolkit", "driverManager", "gpuOperator")
"""Components that run only where the GPU Operator does."""


def of_cluster(fleet: Fleet, cluster: Cluster) -> Iterator[Judgement]:
    """Yield what is known of a cluster's versions."""
    yield release(cluster)
    yield kueue(fleet, cluster)
    yield distribution(fleet, cluster)
    yield system(fleet, cluster)
    yield runtime(fleet, cluster)
    if by_operator(cluster):
        yield operator_life(fleet, cluster)
        yield operator_kubernetes(fleet, cluster)
    for component, fault in broken_components(fleet, cluster):
        yield Judgement(
            aspect=f"fault of {component.name}",
            verdict=Verdict.BAD,
            here=str(component.version),
            known=fault.summary,
            source=fault.source,
            checked=fault.checked,
        )


def installed_by_us(cluster: Cluster) -> bool:
    """Tell whether anything of the GPU stack on the cluster's nodes is ours or the operator's to install."""
    stacks = {pool.stack for pool in cluster.pools} or {cluster.stack}
    return stacks != {"external"}


def release(cluster: Cluster) -> Judgement:
    """Judge the Kubernetes version by the range that the release was put together for."""
    tested = cluster.release.kubernetes
    return Judgement(
        aspect=f"release {cluster.release.name}",
        verdict=Verdict.OK if cluster.kubernetes in tested else Verdict.WARN,
        here=f"Kubernetes {cluster.kubernetes}",
        known=f"put together for {tested}",
        source=cluster.release.source,
        checked=cluster.release.checked,
    )


def kueue(fleet: Fleet, cluster: Cluster) -> Judgement:
    """Judge Kueue's version by the API that it serves, and by the Kubernetes that its own project tests it on."""
    version = cluster.kueue.version
    here = f"{version} on Kubernetes {cluster.kubernetes}"
    if version.minor < FIRST_KUEUE.minor:
        return Judgement(aspect="Kueue", verdict=Verdict.BAD, here=here, known=f"serves v1beta2 from {FIRST_KUEUE} on")
    support = fleet.catalog.compat.kueue.get(".".join(map(str, version.minor)))
    if support is None:
        return Judgement(aspect="Kueue", verdict=Verdict.UNKNOWN, here=here, known="")
    return Judgement(
        aspect="Kueue",
        verdict=Verdict.OK if cluster.kubernetes in support.tested else Verdict.WARN,
        here=here,
        known=f"tested on Kubernetes {support.tested}",
        source=support.source,
        checked=support.checked,
    )


def distribution(fleet: Fleet, cluster: Cluster) -> Judgement:
    """Judge the Kubernetes version by those that NVIDIA tests on the distribution."""
    tested = fleet.catalog.compat.distributions.get(cluster.distribution)
    here = f"{cluster.distribution} with Kubernetes {cluster.kubernetes}"
    if tested is None or not installed_by_us(cluster):
        return Judgement(aspect="distribution", verdict=Verdict.UNKNOWN, here=here, known="")
    own = f" ({'-'.join(tested.own_versions)} in its own numbers)" if tested.own_versions else ""
    return Judgement(
        aspect="distribution",
        verdict=Verdict.OK if cluster.kubernetes in tested.kubernetes else Verdict.WARN,
        here=here,
        known=f"tested with Kubernetes {tested.kubernetes}{own}",
        source=tested.source,
        checked=tested.checked,
    )


def system(fleet: Fleet, cluster: Cluster) -> Judgement:
    """Judge the Kubernetes version by those that NVIDIA tests on the operating system."""
    tested = fleet.catalog.compat.operating_systems.get(cluster.os)
    here = f"{cluster.os} with Kubernetes {cluster.kubernetes}"
    if tested is None or not installed_by_us(cluster):
        return Judgement(aspect="operating system", verdict=Verdict.UNKNOWN, here=here, known="")
    return Judgement(
        aspect="operating system",
        verdict=Verdict.OK if cluster.kubernetes in tested.kubernetes else Verdict.WARN,
        here=here,
        known=f"tested with Kubernetes {tested.kubernetes}",
        source=tested.source,
        checked=tested.checked,
    )


def runtime(fleet: Fleet, cluster: Cluster) -> Judgement:
    """Judge the container runtime by those that NVIDIA tests on the operating system."""
    tested = fleet.catalog.compat.operating_systems.get(cluster.os)
    here = f"{cluster.container_runtime} on {cluster.os}"
    if tested is None or not installed_by_us(cluster):
        return Judgement(aspect="container runtime", verdict=Verdict.UNKNOWN, here=here, known="")
    return Judgement(
        aspect="container runtime",
        verdict=Verdict.OK if cluster.container_runtime in tested.runtimes else Verdict.WARN,
        here=here,
        known=f"tested with {' and '.join(tested.runtimes)}",
        source=tested.source,
        checked=tested.checked,
    )


def operator_life(fleet: Fleet, cluster: Cluster) -> Judgement:
    """Judge the GPU Operator's release line by its life: a deprecated one still gets fixes."""
    version = cluster.gpu_operator.version
    life = fleet.catalog.compat.operator.get(line_name(version))
    if life is None:
        return Judgement(aspect="GPU Operator", verdict=Verdict.UNKNOWN, here=str(version), known="")
    return Judgement(
        aspect="GPU Operator",
        verdict=Verdict.WARN if life.life == "ended" else Verdict.OK,
        here=str(version),
        known=f"line {life.line} is {life.life}",
        source=life.source,
        checked=life.checked,
    )


def operator_kubernetes(fleet: Fleet, cluster: Cluster) -> Judgement:
    """Judge the Kubernetes version by those that the GPU Operator's line supports."""
    version = cluster.gpu_operator.version
    life = fleet.catalog.compat.operator.get(line_name(version))
    here = f"{version} on Kubernetes {cluster.kubernetes}"
    if life is None or life.kubernetes is None:
        return Judgement(aspect="GPU Operator", verdict=Verdict.UNKNOWN, here=here, known="")
    return Judgement(
        aspect="GPU Operator",
        verdict=Verdict.OK if cluster.kubernetes in life.kubernetes else Verdict.WARN,
        here=here,
        known=f"supports {life.kubernetes}",
        source=life.source,
        checked=life.checked,
    )


def broken_components(fleet: Fleet, cluster: Cluster) -> Iterator[tuple[Component, Incompatibility]]:
    """Yield each component that runs in the cluster at a version which is known to break there."""
    for fault in fleet.catalog.compat.incompatibilities.values():
        component = cluster.components.get(fault.component)
        there = fault.component not in OF_OPERATOR or bool(by_operator(cluster))
        too_old = fault.below_kubernetes is None or cluster.kubernetes < fault.below_kubernetes
        if component is not None and there and component.version in fault.versions and too_old:
            yield component, fault
