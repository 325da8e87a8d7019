"""The RuntimeClass, and what OpenShift asks for before agents may run."""

from __future__ import annotations

import pytest

from gpuplan.emit import runtime
from tests.unit.emit.fleets import one, place


@pytest.mark.parametrize(
    ("pools", "cluster", "kinds"),
    [
        ("a: {}", "", ["RuntimeClass"]),
        ("a: {}", "nvidiaRuntime: {default: true}", []),
        ("a: {}", "distribution: rke2", ["RuntimeClass"]),
        ("a: {}", "distribution: gke", ["RuntimeClass"]),
        ("a: {}", "distribution: openshift", ["RoleBinding"]),
        ("a: {}", "stack: external", []),
        ("a: {tier: amd}", "", []),
        ("a: {stack: operator}", "", []),
        ("a: {}, b: {stack: operator}", "", []),  # two would write one object, again and again
        ("a: {}, b: {stack: operator}", "distribution: aks", ["RuntimeClass"]),  # the operator's has another name there
    ],
)
def test_each_cluster_gets_what_its_agents_need(pools: str, cluster: str, kinds: list[str]) -> None:
    assert [made["kind"] for made in place(pools, cluster).objects(runtime.emit)] == kinds


def test_the_class_is_the_one_that_the_container_toolkit_configures() -> None:
    made = one(place("a: {}").objects(runtime.emit), "RuntimeClass")
    assert (made["metadata"]["name"], made["handler"]) == ("nvidia", "nvidia")


def test_openshift_lets_those_agents_use_the_node_that_the_cluster_has() -> None:
    def allowed(pools: str) -> set[str]:
        (binding,) = place(pools, "distribution: openshift").objects(runtime.emit)
        return {subject["name"] for subject in binding["subjects"]}

    always = {"nvidia-device-plugin", "gpu-feature-discovery", "nvidia-dcgm-exporter"}
    assert allowed("a: {}") == always
    assert allowed("a: {sharing: {mps: {replicas: 4}}}") == {*always, "nvidia-mps-control-daemon"}
