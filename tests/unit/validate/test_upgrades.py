"""Versions that move too far in one step, told from what `rendered/` holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gpuplan.diagnostics import Diagnostic, Origin, Severity
from gpuplan.manifests.set import HUB_AREA, Manifest, ManifestSet
from gpuplan.model.fleet import Fleet
from gpuplan.pipeline import transitions
from tests.build import fleet

FLEET = """\
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters:
  eu:
    kubernetes: "1.36"
    release: "2026.08"
    components: {gpuOperator: {version: v26.7.0}}
cardTiers: {lab: {cards: [l4]}}
nodePools:
  a: {cluster: eu, tier: lab, nodes: 2, cardsPerNode: 8, selectedBy: {nfd: {}}, driver: {branch: "580"}}
"""
Object = dict[str, Any]


def application(chart: str, version: str) -> Object:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": f"{chart}-eu", "namespace": "argocd"},
        "spec": {"source": {"chart": chart, "targetRevision": version}},
    }


def driver(version: str) -> Object:
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "NVIDIADriver",
        "metadata": {"name": "a"},
        "spec": {"version": version},
    }


def policy(version: str) -> Object:
    return {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "cluster-policy", "annotations": {"gpuplan.dev/gpu-operator-version": version}},
    }


def placed(made: Fleet, body: Mapping[str, Any]) -> Manifest:
    if body["kind"] == "Application":
        path: tuple[str, ...] = ("clusters", "eu")
        return Manifest(object=body, cluster=None, area=HUB_AREA, origin=Origin(path, made.places.key(path)))
    path = ("clusters", "eu") if body["kind"] == "ClusterPolicy" else ("nodePools", "a")
    return Manifest(object=body, cluster="eu", area="28-gpu-operator", origin=Origin(path, made.places.key(path)))


def moved(before: Object, after: Object) -> list[Diagnostic]:
    made = fleet(FLEET)
    return list(transitions(made, ManifestSet.of([placed(made, after)]), lambda _path: before))


def operator(old: str, new: str) -> list[Diagnostic]:
    return moved(application("gpu-operator", old), application("gpu-operator", new))


def test_an_operator_that_leaves_lines_out_is_refused_with_the_road() -> None:
    (finding,) = operator("v24.9.2", "v26.7.0")
    assert finding.rule == "render/upgrade-too-far"
    assert finding.severity is Severity.ERROR
    assert "v24.9.2 → 25.3 → 25.10 → 26.3 → v26.7.0" in finding.summary
    assert "line 25.3" in finding.fix
    assert (finding.at.line, finding.at.column) == (7, 41)


def test_one_line_left_out_is_enough() -> None:
    (finding,) = operator("v25.10.1", "v26.7.0")
    assert finding.rule == "render/upgrade-too-far"
    assert "v25.10.1 → 26.3 → v26.7.0" in finding.summary


def test_others_who_install_the_operator_are_warned_for_they_may_have_gone_step_by_step() -> None:
    (finding,) = moved(policy("v24.9.2"), policy("v26.7.0"))
    assert finding.rule == "render/upgrade-too-far"
    assert finding.severity is Severity.WARNING
    assert (finding.at.line, finding.at.column) == (7, 41)
    assert moved(policy("v26.3.2"), policy("v26.7.0")) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("v26.3.2", "v26.7.0", id="the next line"),
        pytest.param("v26.7.0", "v26.7.2", id="the same line"),
        pytest.param("v26.7.0", "26.7.0", id="the same version in other letters"),
        pytest.param("v23.9.1", "v26.7.0", id="a line that nobody knows"),
        pytest.param("v26.7.0", "main", id="no version"),
    ],
)
def test_an_operator_that_goes_on_step_by_step_is_not_stopped(old: str, new: str) -> None:
    assert operator(old, new) == []


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (
            application("gpu-operator", "v26.7.0"),
            application("gpu-operator", "v26.3.2"),
            "the GPU Operator of cluster `eu`",
        ),
        (
            application("kueue", "0.19.2"),
            application("kueue", "0.18.1"),
            "Kueue of cluster `eu` back from 0.19.2 to 0.18.1",
        ),
        (driver("595.91.07"), driver("580.173.02"), "the driver of pool `a` back from 595.91.07 to 580.173.02"),
        (driver("595"), driver("580.173.02"), "the driver of pool `a`"),
    ],
)
def test_the_way_back_is_warned_of(before: Object, after: Object, words: str) -> None:
    (finding,) = moved(before, after)
    assert finding.rule == "render/downgrade"
    assert finding.severity is Severity.WARNING
    assert words in finding.summary


def test_a_driver_points_at_its_pools_branch() -> None:
    (finding,) = moved(driver("595.91.07"), driver("580.173.02"))
    assert (finding.at.line, finding.at.column) == (10, 98)


@pytest.mark.parametrize(("old", "new"), [("580", "580.173.02"), ("580.173.02", "580.126.09"), ("580", "595")])
def test_a_driver_within_its_branch_or_newer_is_no_matter(old: str, new: str) -> None:
    assert moved(driver(old), driver(new)) == []


@pytest.mark.parametrize(
    ("old", "new", "fires"),
    [("0.15.2", "0.17.1", True), ("0.15.2", "0.16.1", False), ("0.16.0", "0.19.2", False), ("0.17.1", "0.19.2", False)],
)
def test_kueue_does_not_pass_the_version_that_migrates_what_is_stored(old: str, new: str, *, fires: bool) -> None:
    found = moved(application("kueue", old), application("kueue", new))
    assert [finding.rule for finding in found] == (["render/upgrade-skips-stop"] if fires else [])
    if fires:
        assert "v1beta2" in found[0].summary


def test_a_file_that_held_another_chart_or_nothing_tells_no_version() -> None:
    assert moved(application("other", "v1.0.0"), application("gpu-operator", "v26.7.0")) == []
    made = fleet(FLEET)
    manifests = ManifestSet.of([placed(made, application("gpu-operator", "v26.7.0"))])
    assert transitions(made, manifests, lambda _path: None) == ()
