"""What Argo CD gets: projects with exact lists, and applications."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from gpuplan.emit import argocd, guardrails, kueue, priority, tenancy
from gpuplan.emit.argocd.permitted import IN_NAMESPACES, OF_CLUSTERS
from gpuplan.emit.emitters import emit
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Fleet
from gpuplan.pipeline import check
from gpuplan.validate import validate
from tests.build import TODAY, fleet, resolved
from tests.controlplane.acceptance import apply_manifests, stored_differences
from tests.controlplane.client import reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.make_schemas import written_kinds
from tests.generated import fleets

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
AS_SET = BOTH_MANAGED.replace("project: gpus", "project: gpus, mode: applicationSet")
IN_STEPS = AS_SET.replace("mode: ", "rollout: [[us], [eu]], mode: ")
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


def test_every_application_applies_what_differs_prunes_last_shares_nothing_and_tries_again() -> None:
    policies = [
        one["spec"]["syncPolicy"] for key, one in objects(BOTH_MANAGED).items() if key.startswith("Application/")
    ]
    assert len(policies) == 4
    for policy in policies:
        options = {"ServerSideApply", "PruneLast", "FailOnSharedResource", "ApplyOutOfSyncOnly"}
        assert {f"{option}=true" for option in options} <= set(policy["syncOptions"])
        assert policy["automated"] == {"prune": True, "selfHeal": True}
        assert policy["retry"]["limit"] >= 5


@pytest.mark.parametrize(("cluster", "target"), [("eu", {"server": "https://eu.example:6443"}), ("us", {"name": "us"})])
def test_a_cluster_is_addressed_by_server_or_else_by_name(cluster: str, target: dict[str, str]) -> None:
    made = objects(BOTH_MANAGED)
    assert made[f"Application/gpuplan-{cluster}"]["spec"]["destination"] == {**target, "namespace": "gpu-system"}
    assert made[f"Application/kueue-{cluster}"]["spec"]["destination"] == {**target, "namespace": "kueue-system"}


def test_the_project_permits_the_namespaces_of_the_fleet_and_what_gpuplan_renders_and_nothing_else() -> None:
    spec = objects(BOTH_MANAGED)["AppProject/gpus"]["spec"]
    assert spec["sourceRepos"] == ["https://git.example/gpu.git"]
    assert spec["destinations"] == [
        {"server": "https://eu.example:6443", "namespace": "gpu-system"},
        {"server": "https://eu.example:6443", "namespace": "kube-amd-gpu"},
        {"server": "https://eu.example:6443", "namespace": "vision"},
        {"name": "us", "namespace": "gpu-system"},
        {"name": "us", "namespace": "kube-amd-gpu"},
        {"name": "us", "namespace": "nlp"},
    ]
    assert [(one["group"], one["kind"]) for one in spec["namespaceResourceWhitelist"]] == list(IN_NAMESPACES)
    assert [(one["group"], one["kind"], one.get("name", "")) for one in spec["clusterResourceWhitelist"]] == [
        ("", "Namespace", "gpu-system"),
        ("", "Namespace", "nlp"),
        ("", "Namespace", "vision"),
        *OF_CLUSTERS,
    ]


def test_the_lists_are_sorted_and_hold_each_kind_that_a_cluster_can_get_once_and_no_wildcard_kind() -> None:
    assert list(IN_NAMESPACES) == sorted(set(IN_NAMESPACES))
    assert list(OF_CLUSTERS) == sorted(set(OF_CLUSTERS))
    listed = [*IN_NAMESPACES, *((group, kind) for group, kind, _ in OF_CLUSTERS), ("", "Namespace")]
    assert sorted(listed) == sorted(kinds_of_clusters())


def kinds_of_clusters() -> list[tuple[str, str]]:
    """Return (API group, kind) of all that gpuplan writes but Argo CD's own kinds."""
    groups = ((api_version.rpartition("/")[0], kind) for api_version, kind in written_kinds())
    return [(group, kind) for group, kind in groups if group != "argoproj.io"]


def allows(spec: Any, made: Manifest) -> bool:
    """Tell whether Argo CD lets a project hold an object: its kind, and the pattern of its name outside namespaces."""
    group = made.key.api_version.rpartition("/")[0]
    permitted = spec["namespaceResourceWhitelist" if made.key.namespace else "clusterResourceWhitelist"]
    return any(
        (one["group"], one["kind"]) == (group, made.key.kind) and fnmatchcase(made.key.name, one.get("name", "*"))
        for one in permitted
    )


def refused(built: Fleet) -> list[str]:
    """Return the objects of the clusters that the fleet's project does not let through."""
    compiled = emit(built, lambda *_: None)
    (spec,) = (
        made.object["spec"] for made in compiled.of_kind("AppProject") if made.key.name == built.delivery.project
    )
    assert isinstance(spec, dict)
    places = {(one.get("name", ""), one.get("server", ""), one["namespace"]) for one in spec["destinations"]}
    targets = {cluster.name: cluster.destination for cluster in built.clusters}
    found = []
    for made in compiled:
        if made.cluster is None:
            continue
        to = targets[made.cluster]
        placed = not made.key.namespace or (to.name, to.server, made.key.namespace) in places
        if not (placed and allows(spec, made)):
            found.append(str(made.key))
    return found


def test_the_project_of_the_example_permits_all_that_is_rendered_for_it() -> None:
    checked = check(Path("fleet"), TODAY)
    assert checked.fleet is not None
    assert refused(checked.fleet) == []


@settings(max_examples=15, deadline=None, suppress_health_check=[*HealthCheck])
@given(fleets())
def test_the_projects_of_generated_fleets_permit_all_that_is_rendered_for_them(text: str) -> None:
    made, _ = resolved(text)
    assert made is not None
    assert refused(made) == []


def test_what_a_fleet_without_nvidia_cards_and_dashboards_once_had_may_be_taken_away() -> None:
    """Argo CD does not see what a project does not permit: left behind, agents would run on and rules would go on labelling."""
    amd_only = ONE_EXTERNAL.replace("cards: [l40s]", "cards: [mi300x]").replace("cards: [l4]", "cards: [mi325x]")
    spec = objects(amd_only + "monitoring: {dashboards: {enabled: false}}")["AppProject/gpus"]["spec"]
    lists = (spec["namespaceResourceWhitelist"], spec["clusterResourceWhitelist"])
    assert {(one["group"], one["kind"]) for each in lists for one in each} == set(kinds_of_clusters())


def test_amds_agents_may_be_taken_away_when_the_last_of_its_cards_leaves() -> None:
    spec = objects(ONE_EXTERNAL)["AppProject/gpus"]["spec"]
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


def test_a_set_replaces_the_applications_of_the_clusters_and_no_others() -> None:
    alone, with_set = objects(BOTH_MANAGED), objects(AS_SET)
    assert set(alone) - set(with_set) == {"Application/gpuplan-eu", "Application/gpuplan-us"}
    assert set(with_set) - set(alone) == {"ApplicationSet/gpus"}


def test_a_set_can_take_nothing_away_and_lists_the_clusters_of_the_spec() -> None:
    made = objects(AS_SET)["ApplicationSet/gpus"]
    assert made["metadata"]["namespace"] == "gitops"
    assert "finalizers" not in made["metadata"]
    assert made["spec"]["syncPolicy"] == {"applicationsSync": "create-update", "preserveResourcesOnDeletion": True}
    assert made["spec"]["goTemplateOptions"] == ["missingkey=error"]
    assert made["spec"]["generators"] == [
        {
            "list": {
                "elements": [
                    {"cluster": "eu", "name": "", "server": "https://eu.example:6443"},
                    {"cluster": "us", "name": "us", "server": ""},
                ]
            }
        }
    ]
    assert made["spec"]["template"]["spec"]["project"] == "gpus"
    assert "strategy" not in made["spec"]


@pytest.mark.parametrize("cluster", ["eu", "us"])
def test_a_set_makes_the_very_applications_that_would_be_written_out(cluster: str) -> None:
    spec = objects(AS_SET)["ApplicationSet/gpus"]["spec"]
    (element,) = (one for one in spec["generators"][0]["list"]["elements"] if one["cluster"] == cluster)
    filled = json.loads(re.sub(r"\{\{\.(\w+)\}\}", lambda found: element[found[1]], json.dumps(spec["template"])))
    filled["spec"]["destination"] = {key: value for key, value in filled["spec"]["destination"].items() if value}
    labels = filled["metadata"]["labels"]
    written = objects(BOTH_MANAGED)[f"Application/gpuplan-{cluster}"]
    assert labels.pop("gpuplan.dev/cluster") == cluster
    assert filled["spec"] == written["spec"]
    assert {**filled["metadata"], "namespace": "gitops"} == written["metadata"]


def test_a_rollout_syncs_step_by_step_and_still_prunes() -> None:
    """The controller turns automated sync off by itself, and prunes only where the template's automated sync would."""
    spec = objects(IN_STEPS)["ApplicationSet/gpus"]["spec"]
    steps = [step["matchExpressions"] for step in spec["strategy"]["rollingSync"]["steps"]]
    assert spec["strategy"]["type"] == "RollingSync"
    assert steps == [[{"key": "gpuplan.dev/cluster", "operator": "In", "values": [name]}] for name in ("us", "eu")]
    assert spec["template"]["metadata"]["labels"]["gpuplan.dev/cluster"] == "{{.cluster}}"
    assert spec["template"]["spec"]["syncPolicy"]["automated"]["prune"] is True


@pytest.mark.parametrize("text", [BOTH_MANAGED, IN_STEPS], ids=["applications", "a set in steps"])
def test_argo_cds_own_schemas_keep_all_of_it_unchanged(text: str, empty_control_plane: ControlPlane) -> None:
    client = empty_control_plane.client
    client.apply(reference("v1", "Namespace", "gitops"))
    made = [{**one} for one in objects(text).values()]
    assert apply_manifests(client, made) == []
    assert stored_differences(client, made) == []


def test_the_published_schema_takes_a_set() -> None:
    built = fleet(IN_STEPS)
    assert [finding.summary for finding in validate(emit(built, lambda *_: None))] == []
