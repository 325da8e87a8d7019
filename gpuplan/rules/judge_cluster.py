"""What the catalogue knows of a cluster's versions going together."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import versions
from gpuplan.catalog import Component
from gpuplan.catalog.compat import Incompatibility
from gpuplan.catalog.operator import line_name
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.rules.judgement import Judgement, Verdict, by_fact, not_known, tried

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
    if cluster.has_operator:
        yield operator_life(fleet, cluster)
        yield operator_kubernetes(fleet, cluster)
    for component, fault in broken_components(fleet, cluster):
        here = str(component.version)
        yield by_fact(fault, f"fault of {component.name}", Verdict.BAD, here=here, known=fault.summary)


def installed_by_us(cluster: Cluster) -> bool:
    """Tell whether anything of the GPU stack on the cluster's nodes is ours or the operator's to install."""
    stacks = {pool.stack for pool in cluster.pools} or {cluster.stack}
    return stacks != {"external"}


def release(cluster: Cluster) -> Judgement:
    """Judge the Kubernetes version by the range that the release was put together for."""
    known = cluster.release
    return by_fact(
        known,
        f"release {known.name}",
        tried(fits=cluster.kubernetes in known.kubernetes),
        here=f"Kubernetes {cluster.kubernetes}",
        known=f"put together for {known.kubernetes}",
    )


def kueue(fleet: Fleet, cluster: Cluster) -> Judgement:
    """Judge Kueue's version by the API that it serves, and by the Kubernetes that its own project tests it on."""
    aspect, version = "Kueue", cluster.kueue.version
    here = f"{version} on Kubernetes {cluster.kubernetes}"
    if version.minor < FIRST_KUEUE.minor:
        return Judgement(aspect=aspect, verdict=Verdict.BAD, here=here, known=f"serves v1beta2 from {FIRST_KUEUE} on")
    support = fleet.catalog.compat.kueue.get(".".join(map(str, version.minor)))
    if support is None:
        return not_known(aspect, here)
    fits = cluster.kubernetes in support.tested
    return by_fact(support, aspect, tried(fits=fits), here=here, known=f"tested on Kubernetes {support.tested}")


def distribution(fleet: Fleet, cluster: Cluster) -> Judgement:
    """Judge the Kubernetes version by those that NVIDIA tests on the distribution."""
    aspect, here = "distribution", f"{cluster.distribution} with Kubernetes {cluster.kubernetes}"
    tested = fleet.catalog.compat.distributions.get(cluster.distribution)
    if tested is None or not installed_by_us(cluster):
        return not_known(aspect, here)
    own = f" ({'-'.join(tested.own_versions)} in its own numbers)" if tested.own_versions else ""
    fits = cluster.kubernetes in tested.kubernetes
    return by_fact(
        tested, aspect, tried(fits=fits), here=here, known=f"tested with Kubernetes {tested.kubernetes}{own}"
    )


def system(fleet: Fleet, cluster: Cluster) -> Judgement:
    """Judge the Kubernetes version by those that NVIDIA tests on the operating system."""
    aspect, here = "operating system", f"{cluster.os} with Kubernetes {cluster.kubernetes}"
    tested = fleet.catalog.compat.operating_systems.get(cluster.os)
    if tested is None or not installed_by_us(cluster):
        return not_known(aspect, here)
    fits = cluster.kubernetes in tested.kubernetes
    return by_fact(tested, aspect, tried(fits=fits), here=here, known=f"tested with Kubernetes {tested.kubernetes}")


def runtime(fleet: Fleet, cluster: Cluster) -> Judgement:
    """Judge the container runtime by those that NVIDIA tests on the operating system."""
    aspect, here = "container runtime", f"{cluster.container_runtime} on {cluster.os}"
    tested = fleet.catalog.compat.operating_systems.get(cluster.os)
    if tested is None or not installed_by_us(cluster):
        return not_known(aspect, here)
    fits = cluster.container_runtime in tested.runtimes
    return by_fact(tested, aspect, tried(fits=fits), here=here, known=f"tested with {' and '.join(tested.runtimes)}")


def operator_life(fleet: Fleet, cluster: Cluster) -> Judgement:
    """Judge the GPU Operator's release line by its life: a deprecated one still gets fixes."""
    aspect, version = "GPU Operator", cluster.gpu_operator.version
    line = fleet.catalog.compat.operator.get(line_name(version))
    if line is None:
        return not_known(aspect, str(version))
    return by_fact(
        line, aspect, tried(fits=line.life != "ended"), here=str(version), known=f"line {line.line} is {line.life}"
    )


def operator_kubernetes(fleet: Fleet, cluster: Cluster) -> Judgement:
    """Judge the Kubernetes version by those that the GPU Operator's line supports."""
    aspect, version = "GPU Operator", cluster.gpu_operator.version
    here = f"{version} on Kubernetes {cluster.kubernetes}"
    line = fleet.catalog.compat.operator.get(line_name(version))
    if line is None or line.kubernetes is None:
        return not_known(aspect, here)
    fits = cluster.kubernetes in line.kubernetes
    return by_fact(line, aspect, tried(fits=fits), here=here, known=f"supports {line.kubernetes}")


def broken_components(fleet: Fleet, cluster: Cluster) -> Iterator[tuple[Component, Incompatibility]]:
    """Yield each component that runs in the cluster at a version which is known to break there."""
    for fault in fleet.catalog.compat.incompatibilities.values():
        component = cluster.components.get(fault.component)
        there = fault.component not in OF_OPERATOR or cluster.has_operator
        too_old = fault.below_kubernetes is None or cluster.kubernetes < fault.below_kubernetes
        if component is not None and there and component.version in fault.versions and too_old:
            yield component, fault
