"""Release sets and the support matrix."""

from __future__ import annotations

import re

import pytest

from gpuplan import catalog
from gpuplan.catalog import Component, KubernetesRange, Release
from gpuplan.catalog.releases import newest
from gpuplan.versions import required

KNOWN = catalog.load()
COMPONENTS = {
    "containerToolkit",
    "dcgm",
    "dcgmExporter",
    "devicePlugin",
    "driverManager",
    "gpuOperator",
    "kueue",
    "migManager",
    "nfd",
}
every_release = pytest.mark.parametrize("release", KNOWN.releases.values(), ids=lambda release: release.name)
every_component = pytest.mark.parametrize(
    "component",
    [pytest.param(c, id=f"{r.name}-{c.name}") for r in KNOWN.releases.values() for c in r.components.values()],
)


def test_there_are_two_sets_and_the_newest_is_that_of_august() -> None:
    assert list(KNOWN.releases) == ["2026.05", "2026.08"]
    assert newest(KNOWN.releases).name == "2026.08"


@every_release
def test_a_release_has_every_component_and_a_default_driver_of_a_known_branch(release: Release) -> None:
    assert release.components.keys() >= COMPONENTS
    assert str(release.driver.major) in KNOWN.drivers.branches
    assert re.fullmatch(r"20\d\d\.\d\d", release.name)


@every_release
def test_a_release_claims_no_kubernetes_beyond_its_operator_and_its_kueue(release: Release) -> None:
    operator, kueue = (release.components[name].version.minor for name in ("gpuOperator", "kueue"))
    supported = KNOWN.compat.operator[".".join(map(str, operator))].kubernetes
    tested = KNOWN.compat.kueue[".".join(map(str, kueue))].tested
    assert supported is not None
    for bound in (release.kubernetes.minimum, release.kubernetes.maximum):
        assert bound in supported
        assert bound in tested


@every_component
def test_an_image_carries_the_version_of_its_component(component: Component) -> None:
    assert component.image == f"{component.repository}:{component.tag}"
    assert component.tag.removeprefix("v").startswith(str(component.version).removeprefix("v"))
    assert "/" in component.repository
    assert component.chart == "" or component.chart.startswith(("https://", "oci://"))


def test_components_that_no_source_ties_to_the_release_are_not_confirmed() -> None:
    guessed = {n: {c.name for c in r.components.values() if not c.confirmed} for n, r in KNOWN.releases.items()}
    assert guessed == {"2026.05": {"dcgm", "kueue", "nfd"}, "2026.08": set()}
    assert KNOWN.releases["2026.05"].unchecked == {"kubernetes", "driver"}
    assert KNOWN.releases["2026.08"].unchecked == frozenset()


@pytest.mark.parametrize(
    ("version", "inside"),
    [
        ("1.33", False),
        ("1.33.9", False),
        ("1.34", True),
        ("1.36", True),
        ("v1.36.7", True),
        ("1.37.0", False),
        ("2.34", False),
    ],
)
def test_a_range_holds_every_patch_of_its_minors(version: str, *, inside: bool) -> None:
    supported = KubernetesRange(required("1.34"), required("1.36"))
    assert (required(version) in supported) is inside
    assert str(supported) == "1.34-1.36"


def test_the_matrix_knows_the_newest_kueue_and_operator() -> None:
    assert str(KNOWN.compat.kueue["0.19"].tested) == "1.34-1.36"
    assert {line: row.life for line, row in KNOWN.compat.operator.items()} == {
        "24.9": "ended",
        "25.3": "ended",
        "25.10": "ended",
        "26.3": "deprecated",
        "26.7": "supported",
    }


def test_kueue_0_19_0_needs_the_resource_api_of_kubernetes_1_34() -> None:
    row = KNOWN.compat.incompatibilities["kueue-needs-resource-v1"]
    assert row.component == "kueue"
    assert required("0.19.0") in row.versions
    assert required("0.19.1") not in row.versions
    assert row.below_kubernetes == required("1.34")


@pytest.mark.parametrize(
    ("system", "runtimes", "kernels"),
    [
        ("ubuntu22.04", ("containerd", "cri-o"), {"580": ("5.15", "6.8"), "595": ("5.15", "6.8")}),
        ("ubuntu24.04", ("containerd", "cri-o"), {"580": ("6.8",), "595": ("6.8",)}),
        ("ubuntu26.04", ("containerd",), {"595": ("7.0",)}),
        ("rhel9", ("containerd", "cri-o"), {}),
        ("rhcos", ("cri-o",), {}),
    ],
)
def test_an_operating_system_has_its_runtimes_and_precompiled_kernels(
    system: str, runtimes: tuple[str, ...], kernels: dict[str, tuple[str, ...]]
) -> None:
    row = KNOWN.compat.operating_systems[system]
    assert row.runtimes == runtimes
    assert row.precompiled_kernels == kernels


def test_precompiled_kernels_are_of_branches_that_have_precompiled_images() -> None:
    for row in KNOWN.compat.operating_systems.values():
        assert all(KNOWN.drivers.branches[branch].precompiled for branch in row.precompiled_kernels)


def test_openshift_is_matched_by_its_own_versions_and_its_kubernetes_is_a_guess() -> None:
    openshift = KNOWN.compat.distributions["openshift"]
    assert openshift.own_versions == ("4.18", "4.22")
    assert "kubernetes" in openshift.unchecked
    assert str(KNOWN.compat.distributions["microk8s"].kubernetes) == "1.33-1.35"
