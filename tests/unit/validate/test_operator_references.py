"""What the GPU Operator makes itself is no dangling reference; what nobody makes still is."""

from __future__ import annotations

import pytest

from gpuplan.emit.emitters import emit
from gpuplan.manifests.set import ManifestSet
from gpuplan.pipeline import silent
from gpuplan.validate.references import dangling
from tests.unit.emit.fleets import place

MIXED = "a: {}, b: {tier: big, stack: operator}"


def rendered(cluster: str) -> ManifestSet:
    return emit(place(MIXED, cluster).fleet, silent)


@pytest.mark.parametrize(
    "cluster", ["", "gpuOperator: external", "distribution: aks", "gpuOperator: {namespace: nvidia}"]
)
def test_our_agents_beside_an_operator_find_all_that_they_name(cluster: str) -> None:
    assert list(dangling(rendered(cluster))) == []


def test_without_the_operator_its_runtime_class_is_missed() -> None:
    made = rendered("gpuOperator: external")
    without = ManifestSet.of([one for one in made if one.key.kind != "ClusterPolicy"], [])
    assert {finding.summary.rpartition(" names ")[2] for finding in dangling(without)} == {
        "RuntimeClass nvidia, which is not rendered"
    }
