"""Fleets on the GPU Operator, on the real API server with the operator's CRDs: taken whole, and stored as written.

Those CRDs are of 25.3. What later lines have added is listed in `newer_fields`; a policy and drivers for 25.3 itself are put
to the server to the last field.
"""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan import catalog
from gpuplan.manifests.set import HUB_AREA
from tests.controlplane import newer_fields
from tests.controlplane.client import Object
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.trial import Written, accepted, compiled, trial

FLEET = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
delivery: {argocd: {repoURL: https://git.acme.io/platform/fleet.git}}
clusters: {eu: {kubernetes: "1.36", stack: operator, %s}}
cardTiers: {train: {cards: [h100-sxm-80gb]}, lab: {cards: [a100-sxm-40gb]}, desk: {cards: [t4]}, old: {cards: [l40s]}}
defaults: {nodePool: {cluster: eu, nodes: 3, cardsPerNode: 8, selectedBy: {nfd: {}}, driver: {branch: "580"}}}
nodePools:
  whole: {tier: train, taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}
  cut: {tier: lab, sharing: {mig: {profiles: {1g.5gb: 7}}}}
  sliced: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}
  ours: {tier: old, stack: manual, selectedBy: {labels: {pool: ours, nvidia.com/gpu.deploy.operands: "false"}}}
taskPools:
  chat: {kind: onlineInference, service: guaranteed, tiers: [train], largestJob: {pods: 1, cardsPerPod: 1}, stateful: {drainSeconds: 900}}
teams:
  vision: {namespaces: [vision], quotas: {chat: {train: {guaranteed: 8}}}}
"""
NEWEST = "gpuOperator: external"
OLDER = 'gpuOperator: external, components: {gpuOperator: {version: "25.3.4"}}'
PLACES = {
    "newest": NEWEST,
    "as old as the CRDs": OLDER,
    "the release before": 'gpuOperator: external, release: "2026.05", kubernetes: "1.35"',
    "installed by Argo CD": "gpuOperator: managed",
    "beside Rancher's containerd": "distribution: rke2, gpuOperator: external",
    "on OpenShift": "distribution: openshift, os: rhcos, containerRuntime: cri-o, kubernetes: '1.35', "
    "gpuOperator: {install: external, namespace: nvidia-gpu-operator}",
    "where the provider brings the driver": "distribution: aks, gpuOperator: external",
}


def written(place: str) -> list[Written]:
    text = FLEET % PLACES[place]
    if "kubernetes:" in PLACES[place]:
        text = text.replace('kubernetes: "1.36", stack', "stack")
    made = accepted(text)
    assert made is not None, "the fleet is fine"
    return compiled(made)


def of_kind(everything: list[Written], kind: str) -> list[Any]:
    return [one.obj for one in everything if one.obj["kind"] == kind]


@pytest.mark.parametrize("place", PLACES)
def test_the_server_takes_every_object_of_a_fleet_on_the_operator_unchanged(
    control_plane: ControlPlane, place: str
) -> None:
    everything = written(place)
    drivers = of_kind(everything, "NVIDIADriver")
    assert len(drivers) == (0 if "provider" in place else 3)
    assert len(of_kind(everything, "ClusterPolicy")) == (0 if "Argo CD" in place else 1)
    assert trial(control_plane, everything) == []
    control_plane.reset()


def newer_in(objects: list[Object]) -> set[str]:
    """Names of the listed fields that some object holds."""
    return {
        field.name
        for obj in objects
        for field in newer_fields.NEWER_FIELDS
        if field.kind == (obj["apiVersion"], obj["kind"]) and _holds(obj, field.path)
    }


def _holds(tree: Any, path: tuple[str, ...]) -> bool:
    return not path or (path[0] in tree and _holds(tree[path[0]], path[1:]))


def test_the_list_of_newer_fields_is_what_the_newest_line_gets_and_the_oldest_lacks() -> None:
    everything = [one.obj for one in written("newest")]
    assert newer_in(everything) == {field.name for field in newer_fields.NEWER_FIELDS}
    assert newer_in([one.obj for one in written("as old as the CRDs")]) == set()


def test_each_newer_field_is_in_the_catalogue_as_newer_than_the_crds() -> None:
    known = catalog.load().operator.fields
    assert {
        name: known[name].since > newer_fields.CRD_LINE for name in (f.name for f in newer_fields.NEWER_FIELDS)
    } == {field.name: True for field in newer_fields.NEWER_FIELDS}


def test_where_argo_cd_installs_the_operator_its_project_permits_the_policy_and_no_other_clusters_object() -> None:
    (project,) = [
        one.obj
        for one in written("installed by Argo CD")
        if one.obj["kind"] == "AppProject" and one.obj["metadata"]["name"].endswith("-gpu-operator")
    ]
    kinds = {(entry["kind"], entry["name"]) for entry in project["spec"]["clusterResourceWhitelist"]}
    assert ("ClusterPolicy", "cluster-policy") in kinds
    assert ("Namespace", "gpu-operator") in kinds
    assert all(name != "*" for _, name in kinds)
    assert project["metadata"]["namespace"] == HUB_AREA
