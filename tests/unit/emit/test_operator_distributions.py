"""What the GPU Operator is told of the distribution that it runs on."""

from __future__ import annotations

import pytest

from gpuplan.emit import gpu_operator, tenancy
from tests.unit.emit.fleets import one, place
from tests.unit.emit.operators import ON, policy

DRIVERS = "/run/nvidia/driver"
TOOLKIT = "/usr/local/nvidia"
GOOGLES = "/home/kubernetes/bin/nvidia"
PLACES = [
    ("kubeadm", "", {"toolkit": TOOLKIT, "driver": DRIVERS, "class": "nvidia"}),
    ("k3s", "", {"toolkit": TOOLKIT, "driver": DRIVERS, "class": "nvidia"}),
    ("rke2", "", {"toolkit": TOOLKIT, "driver": DRIVERS, "class": "nvidia"}),
    ("aks", "", {"driver": DRIVERS, "class": "nvidia-container-runtime"}),
    ("aks", ", driver: {preinstalled: false}", {"toolkit": TOOLKIT, "driver": DRIVERS, "class": "nvidia"}),
    ("eks", "", {"driver": DRIVERS, "class": "nvidia"}),
    ("gke", "", {"toolkit": GOOGLES, "driver": GOOGLES, "class": "nvidia"}),
    ("gke", ", driver: {preinstalled: false}", {"toolkit": GOOGLES, "driver": DRIVERS, "class": "nvidia"}),
    ("talos", "", {"driver": DRIVERS, "class": "nvidia"}),
]


@pytest.mark.parametrize(("name", "more", "expected"), PLACES)
def test_toolkit_and_driver_are_where_the_distribution_has_them(name: str, more: str, expected: dict[str, str]) -> None:
    spec = policy(place(f"a: {{tier: big{more}}}", f"{ON}, distribution: {name}"))
    folders = {"toolkit": spec["toolkit"]["installDir"]} if spec["toolkit"]["enabled"] else {}
    told = {"driver": spec["hostPaths"]["driverInstallDir"], "class": spec["operator"]["runtimeClass"]}
    assert {**folders, **told} == expected


@pytest.mark.parametrize(("name", "told"), [("kubeadm", False), ("k3s", True), ("rke2", True), ("gke", False)])
def test_the_toolkit_is_told_of_a_socket_that_lies_elsewhere(name: str, told: bool) -> None:
    toolkit = policy(place("a: {tier: big}", f"{ON}, distribution: {name}"))["toolkit"]
    socket = {"name": "CONTAINERD_SOCKET", "value": "/run/k3s/containerd/containerd.sock"}
    assert toolkit.get("env") == ([socket] if told else None)


@pytest.mark.parametrize(
    ("cluster", "namespace"),
    [
        ("gpuOperator: managed", "gpu-operator"),
        ("gpuOperator: {namespace: nvidia}", "nvidia"),
        ("distribution: openshift, gpuOperator: external", "nvidia-gpu-operator"),
        ("distribution: openshift, gpuOperator: {namespace: nvidia}", "nvidia"),
    ],
)
def test_the_operator_is_in_the_namespace_that_the_spec_or_else_the_distribution_says(
    cluster: str, namespace: str
) -> None:
    assert place("a: {tier: big}", f"stack: operator, {cluster}").cluster.gpu_operator.namespace == namespace


def test_on_openshift_drivers_are_built_by_its_toolkit() -> None:
    assert policy(place("a: {}", f"{ON}, distribution: openshift, containerRuntime: cri-o"))["operator"] == {
        "defaultRuntime": "crio",
        "runtimeClass": "nvidia",
        "use_ocp_driver_toolkit": True,
    }


@pytest.mark.parametrize(("distribution", "quotas"), [("kubeadm", 0), ("gke", 2)])
def test_the_operators_namespace_is_privileged_and_on_gke_lets_critical_pods_in(distribution: str, quotas: int) -> None:
    made = place("a: {tier: big}", f"stack: operator, distribution: {distribution}, gpuOperator: {{namespace: nvidia}}")
    objects = made.objects(tenancy.emit)
    namespace = one(objects, "Namespace", "nvidia")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
    assert len([obj for obj in objects if obj["kind"] == "ResourceQuota"]) == quotas
    assert all(
        obj["metadata"]["namespace"] == "nvidia"
        for obj in made.objects(gpu_operator.emit)
        if obj["kind"] == "ConfigMap"
    )
