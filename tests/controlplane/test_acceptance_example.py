"""The example's committed output on real servers: each cluster under the Kueue configuration that it asks for."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.controlplane.acceptance import apply_manifests
from tests.controlplane.client import Object
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.trial import Written, on_disk, trial

RENDERED = Path(__file__).parents[2] / "rendered"
CLUSTERS = sorted(folder.name for folder in (RENDERED / "clusters").iterdir())
HUB = on_disk(RENDERED / "argocd")


def kueue_configuration(cluster: str) -> Object:
    """Return what Kueue's manager of a cluster is started with: a value of its chart."""
    (application,) = [one.obj for one in HUB if one.obj["metadata"]["name"] == f"kueue-{cluster}"]
    values = application["spec"]["source"]["helm"]["valuesObject"]
    configuration: Object = yaml.safe_load(values["managerConfig"]["controllerManagerConfigYaml"])
    return configuration


@pytest.fixture
def own_kueue(control_plane: ControlPlane, cluster: str) -> Iterator[ControlPlane]:
    """The shared server with Kueue as the cluster configures it."""
    control_plane.reset()
    try:
        control_plane.start_kueue(kueue_configuration(cluster))
        yield control_plane
    finally:
        control_plane.reset()
        control_plane.start_kueue()


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_the_cluster_takes_every_object_unchanged_and_kueue_opens_every_queue(
    own_kueue: ControlPlane, cluster: str
) -> None:
    written = on_disk(RENDERED / "clusters" / cluster)
    kinds = {one.obj["kind"] for one in written}
    assert kinds >= {"ClusterQueue", "LocalQueue", "Cohort", "Topology"}
    assert kinds & {"DaemonSet", "DeviceConfig", "NVIDIADriver"}
    assert trial(own_kueue, written) == []


def test_argo_cds_cluster_takes_every_project_and_application_unchanged(control_plane: ControlPlane) -> None:
    assert {one.obj["kind"] for one in HUB} == {"Application", "AppProject"}
    assert trial(control_plane, HUB) == []
    control_plane.reset()


POLICY = "ValidatingAdmissionPolicy"


def guard_rails(cluster: str) -> list[Any]:
    written: list[Written] = on_disk(RENDERED / "clusters" / cluster)
    return [copy.deepcopy(one.obj) for one in written if one.obj["kind"] == POLICY]


def warnings(plane: ControlPlane) -> dict[str, Any]:
    """Return what the server's type checker says of each policy that it has looked at."""
    found = plane.client.list("admissionregistration.k8s.io/v1", POLICY)
    said = {policy["metadata"]["name"]: policy.get("status", {}).get("typeChecking") for policy in found}
    return {name: checked.get("expressionWarnings", []) for name, checked in said.items() if checked is not None}


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_the_server_finds_no_type_error_in_the_guard_rails(busy_control_plane: ControlPlane, cluster: str) -> None:
    policies = guard_rails(cluster)
    broken = copy.deepcopy(policies[0])
    broken["metadata"]["name"] = "broken"
    broken["spec"]["validations"] = [{"expression": "object.spec.nothing == 1"}]
    assert len(policies) == {"lab-us": 3, "prod-eu": 5, "trial-ie": 3}[cluster], (
        "prod-eu has a topology wish and a stateful service"
    )
    assert apply_manifests(busy_control_plane.client, [*policies, broken]) == []
    checked = len(policies) + 1
    busy_control_plane.wait_for(lambda: len(warnings(busy_control_plane)) == checked, what="the policies to be checked")
    said = warnings(busy_control_plane)
    assert said.pop("broken"), "the checker is at work"
    assert said == {policy["metadata"]["name"]: [] for policy in policies}
