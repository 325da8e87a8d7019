"""What Argo CD gets: projects with exact lists, and applications."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from gpuplan.emit import argocd, guardrails, kueue, priority, tenancy
from gpuplan.emit.argocd.clusters import NODE_SIDE, NODE_SIDE_OF_CLUSTERS, OF_PODS, ON_NODES
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Fleet
from tests.build import fleet
from tests.controlplane.acceptance import apply_manifests, stored_differences
from tests.controlplane.client import reference
from tests.controlplane.controlplane import ControlPlane

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters:
  eu: {kubernetes: "1.36", destination: {server: "https://eu.example:6443"}}
  us: {kubernetes: "1.35", %s}
cardTiers: {serve: {cards: [l40s]}, lab: {cards: [l4]}}
nodePools:
  l40s: {cluster: eu, tier: serve, nodes: 1, cardsPerNode: 4, selectedBy: {nfd: {}}}
  l4: {cluster: us, tier: lab, nodes: 1, cardsPerNode: 4, selectedBy: {nfd: {}}}
taskPools:
  nightly: {kind: batchInference, service: queued, tiers: [serve]}
  desk: {kind: experiment, service: queued, tiers: [lab]}
teams:
  vision: {namespaces: [vision], groups: [vision-team], quotas: {nightly: {}}}
  nlp: {namespaces: [nlp], quotas: {desk: {}}}
delivery: {argocd: {repoURL: https://git.example/gpu.git, targetRevision: prod, path: ./out/, namespace: gitops, project: gpus}}
"""
BOTH_MANAGED = SPEC % "kueue: {}"
ONE_EXTERNAL = SPEC % "kueue: {install: external}"


def of_clusters(built: Fleet) -> list[Manifest]:
    emitters = (tenancy.emit, priority.emit, kueue.emit, guardrails.emit)
    return [made for cluster in built.clusters for emit in emitters for made in emit(built, cluster)]


def objects(text: str) -> dict[str, Any]:
    """Return all objects by `kind/name`."""
    built = fleet(text)
    made = list(argocd.emit(built, of_clusters(built)))
    assert all(one.cluster is None and one.area == "argocd" for one in made)
    return {f"{one.key.kind}/{one.key.name}": one.object for one in made}


def test_every_cluster_has_one_application_and_each_managed_kueue_another() -> None:
    assert set(objects(BOTH_MANAGED)) == {
        "AppProject/gpus",
        "AppProject/gpus-kueue",
        "Application/gpuplan-eu",
        "Application/gpuplan-us",
        "Application/kueue-eu",
        "Application/kueue-us",
    }
    assert set(objects(BOTH_MANAGED)) - set(objects(ONE_EXTERNAL)) == {"Application/kueue-us"}


def test_an_application_syncs_the_folder_of_its_cluster_and_nothing_dies_with_it() -> None:
    made = objects(BOTH_MANAGED)["Application/gpuplan-eu"]
    assert made["metadata"]["namespace"] == "gitops"
    assert "finalizers" not in made["metadata"]
    assert made["spec"]["project"] == "gpus"
    assert made["spec"]["source"] == {
        "repoURL": "https://git.example/gpu.git",
        "targetRevision": "prod",
        "path": "out/clusters/eu",
        "directory": {"recurse": True, "include": "*.yaml"},
    }


def test_every_application_is_compared_as_the_server_would_apply_it() -> None:
    made = [one for key, one in objects(BOTH_MANAGED).items() if key.startswith("Application/")]
    options = {one["metadata"]["annotations"]["argocd.argoproj.io/compare-options"] for one in made}
    assert options == {"ServerSideDiff=true"}


@pytest.mark.parametrize(("cluster", "target"), [("eu", {"server": "https://eu.example:6443"}), ("us", {"name": "us"})])
def test_a_cluster_is_addressed_by_server_or_else_by_name(cluster: str, target: dict[str, str]) -> None:
    made = objects(BOTH_MANAGED)
    assert made[f"Application/gpuplan-{cluster}"]["spec"]["destination"] == {**target, "namespace": "gpu-system"}
    assert made[f"Application/kueue-{cluster}"]["spec"]["destination"] == {**target, "namespace": "kueue-system"}


def test_the_project_permits_each_object_of_the_clusters_and_nothing_else() -> None:
    spec = objects(BOTH_MANAGED)["AppProject/gpus"]["spec"]
    assert spec["sourceRepos"] == ["https://git.example/gpu.git"]
    assert spec["destinations"] == [
        {"server": "https://eu.example:6443", "namespace": "gpu-system"},
        {"server": "https://eu.example:6443", "namespace": "vision"},
        {"name": "us", "namespace": "gpu-system"},
        {"name": "us", "namespace": "nlp"},
    ]
    assert {(one["group"], one["kind"]) for one in spec["namespaceResourceWhitelist"]} - NODE_SIDE - OF_PODS == {
        ("kueue.x-k8s.io", "LocalQueue"),
    }
    assert {(one["group"], one["kind"], one.get("name", "")) for one in spec["clusterResourceWhitelist"]} == {
        *NODE_SIDE_OF_CLUSTERS,
        *ON_NODES,
        ("", "Namespace", "gpu-system"),
        ("", "Namespace", "nlp"),
        ("", "Namespace", "vision"),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "gpuplan-*"),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", "gpuplan-*"),
        ("kueue.x-k8s.io", "ClusterQueue", ""),
        ("kueue.x-k8s.io", "Cohort", ""),
        ("kueue.x-k8s.io", "ResourceFlavor", ""),
        ("kueue.x-k8s.io", "Topology", ""),
        ("kueue.x-k8s.io", "WorkloadPriorityClass", ""),
        ("scheduling.k8s.io", "PriorityClass", "gpuplan-*"),
    }
    for permitted in (spec["namespaceResourceWhitelist"], spec["clusterResourceWhitelist"]):
        assert permitted == sorted(permitted, key=lambda one: (one["group"], one["kind"], one.get("name", "")))


def permitted(stack: str) -> set[tuple[str, str]]:
    """Return the kinds that a fleet on one stack lets Argo CD change, whether or not they are in a namespace."""
    text = ONE_EXTERNAL.replace('eu: {kubernetes: "1.36"', f'eu: {{kubernetes: "1.36", stack: {stack}')
    spec = objects(text)["AppProject/gpus"]["spec"]
    lists = (spec["namespaceResourceWhitelist"], spec["clusterResourceWhitelist"])
    return {(one["group"], one["kind"]) for each in lists for one in each}


@pytest.mark.parametrize("stack", ["manual", "operator", "external"])
def test_what_a_pool_leaves_behind_when_it_moves_to_another_stack_may_be_taken_away(stack: str) -> None:
    """Argo CD does not see what a project does not permit: a DaemonSet of a stack that nobody is on any more would run on."""
    assert permitted(stack) >= {
        ("", "ConfigMap"),
        ("apps", "DaemonSet"),
        ("monitoring.coreos.com", "ServiceMonitor"),
        ("nvidia.com", "ClusterPolicy"),
        ("nvidia.com", "NVIDIADriver"),
    }


def test_a_rule_or_budget_that_the_spec_no_longer_asks_for_may_be_taken_away() -> None:
    """Left behind, they would go on labelling and tainting nodes, and holding up drains."""
    assert permitted("manual") >= {
        ("nfd.k8s-sigs.io", "NodeFeatureRule"),
        ("policy", "PodDisruptionBudget"),
        ("readiness.node.x-k8s.io", "NodeReadinessRule"),
    }


def test_the_agents_of_amds_operator_may_be_taken_away_when_others_run_them() -> None:
    text = ONE_EXTERNAL.replace("cards: [l40s]", "cards: [mi300x]").replace(
        "l40s: {cluster", "l40s: {stack: external, cluster"
    )
    spec = objects(text)["AppProject/gpus"]["spec"]
    assert {"group": "amd.com", "kind": "DeviceConfig"} in spec["namespaceResourceWhitelist"]
    assert {"server": "https://eu.example:6443", "namespace": "kube-amd-gpu"} in spec["destinations"]


def test_kueue_is_a_pinned_chart_with_our_configuration_and_without_a_hand_in_kube_system() -> None:
    built = fleet(BOTH_MANAGED)
    source = objects(BOTH_MANAGED)["Application/kueue-us"]["spec"]["source"]
    values = source["helm"]["valuesObject"]
    assert (source["repoURL"], source["chart"], source["targetRevision"]) == (
        "registry.k8s.io/kueue/charts",
        "kueue",
        "0.19.2",
    )
    assert values["enableVisibilityAuthReaderRoleBinding"] is False
    assert values["controllerManager"]["manager"]["image"] == {
        "repository": "registry.k8s.io/kueue/kueue",
        "tag": "v0.19.2",
        "pullPolicy": "IfNotPresent",
    }
    configuration = yaml.safe_load(values["managerConfig"]["controllerManagerConfigYaml"])
    assert configuration == kueue.manager_configuration(built.clusters[1])


@pytest.mark.parametrize(
    ("release", "namespaces"), [("2026.08", ["kueue-system"]), ("2026.05", ["kube-system", "kueue-system"])]
)
def test_only_older_charts_of_kueue_may_write_into_kube_system(release: str, namespaces: list[str]) -> None:
    spec = objects(SPEC % f'release: "{release}"')["AppProject/gpus-kueue"]["spec"]
    assert [one["namespace"] for one in spec["destinations"] if one.get("name") == "us"] == namespaces


def test_argo_cds_own_schemas_keep_all_of_it_unchanged(empty_control_plane: ControlPlane) -> None:
    client = empty_control_plane.client
    client.apply(reference("v1", "Namespace", "gitops"))
    made = [{**one} for one in objects(BOTH_MANAGED).values()]
    assert apply_manifests(client, made) == []
    assert stored_differences(client, made) == []
