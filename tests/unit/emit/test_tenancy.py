"""Namespaces and the rights of teams."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan.emit import tenancy
from gpuplan.emit.emitters import emit
from tests.build import fleet
from tests.controlplane.acceptance import apply_manifests, stored_differences
from tests.controlplane.client import Client
from tests.controlplane.controlplane import ControlPlane
from tests.unit.emit.fleets import Object, one

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {main: {kubernetes: "1.36", distribution: %s}}
cardTiers: {serve: {cards: [l40s]}}
nodePools: {l40s: {cluster: main, tier: serve, nodes: 1, cardsPerNode: 4, selectedBy: {nfd: {}}}}
taskPools:
  nightly: {kind: batchInference, service: queued, tiers: [serve], frameworks: [%s]}
teams:
  vision: {namespaces: [vision, batch], groups: [vision-team, vision-leads], costCenter: cc-120, quotas: {nightly: {}}}
  nlp: {namespaces: [nlp], quotas: {nightly: {}}}
  idle: {namespaces: [idle], groups: [idlers]}
governance: {podSecurity: restricted}
"""
PLAIN = SPEC % ("kubeadm", "job")


def objects(text: str) -> tuple[Object, ...]:
    built = fleet(text)
    return tuple(made.object for made in tenancy.emit(built, built.clusters[0]))


def labels(text: str) -> dict[str, dict[str, str]]:
    """Return the labels of each namespace."""
    return {
        made["metadata"]["name"]: made["metadata"]["labels"] for made in objects(text) if made["kind"] == "Namespace"
    }


def may(text: str) -> dict[str, set[str]]:
    """Return the verbs of a team member for each resource, `group/plural`."""
    rules = one(objects(text), "ClusterRole")["rules"]
    return {f"{rule['apiGroups'][0]}/{plural}": set(rule["verbs"]) for rule in rules for plural in rule["resources"]}


def test_team_namespaces_say_their_team_cost_and_pod_security() -> None:
    assert labels(PLAIN)["vision"] == {
        "app.kubernetes.io/managed-by": "gpuplan",
        "gpuplan.dev/cost-center": "cc-120",
        "gpuplan.dev/team": "vision",
        "pod-security.kubernetes.io/audit": "restricted",
        "pod-security.kubernetes.io/enforce": "restricted",
        "pod-security.kubernetes.io/warn": "restricted",
    }
    assert "gpuplan.dev/cost-center" not in labels(PLAIN)["nlp"]


def test_only_namespaces_with_a_queue_here_are_made() -> None:
    assert set(labels(PLAIN)) == {"gpu-system", "vision", "batch", "nlp"}


def test_pod_security_is_baseline_with_a_view_to_restricted_unless_the_spec_says_so() -> None:
    made = labels(PLAIN.replace("governance: {podSecurity: restricted}", ""))["vision"]
    assert made["pod-security.kubernetes.io/enforce"] == "baseline"
    assert made["pod-security.kubernetes.io/warn"] == "restricted"


def test_the_node_agents_may_touch_devices_in_their_namespace() -> None:
    assert labels(PLAIN)["gpu-system"]["pod-security.kubernetes.io/enforce"] == "privileged"


@pytest.mark.parametrize(("distribution", "quotas"), [("gke", 1), ("kubeadm", 0), ("eks", 0)])
def test_gke_alone_needs_a_quota_before_it_admits_critical_pods_and_one_is_enough(
    distribution: str, quotas: int
) -> None:
    everything = emit(fleet(SPEC % (distribution, "job")), lambda *_: None)
    made: list[Object] = [one.object for one in everything if one.object["kind"] == "ResourceQuota"]
    assert len(made) == quotas
    for quota in made:
        (scope,) = quota["spec"]["scopeSelector"]["matchExpressions"]
        assert quota["metadata"]["namespace"] == "gpu-system"
        assert scope["values"] == ["system-node-critical", "system-cluster-critical"]


def test_each_group_of_a_team_is_bound_in_each_of_its_namespaces_and_nowhere_else() -> None:
    bindings = [made for made in objects(PLAIN) if made["kind"] == "RoleBinding"]
    assert [made["metadata"]["namespace"] for made in bindings] == ["vision", "batch"]
    assert [subject["name"] for subject in bindings[0]["subjects"]] == ["vision-team", "vision-leads"]


def test_without_groups_there_is_no_role() -> None:
    text = PLAIN.replace(", groups: [vision-team, vision-leads]", "")
    assert {made["kind"] for made in objects(text)} == {"Namespace"}


@pytest.mark.parametrize(
    ("frameworks", "run", "not_run"),
    [
        ("job", {"batch/jobs", "batch/cronjobs"}, {"apps/deployments", "jobset.x-k8s.io/jobsets"}),
        ("deployment", {"apps/deployments", "apps/deployments/scale"}, {"batch/jobs"}),
        ("jobset, mpijob", {"jobset.x-k8s.io/jobsets", "kubeflow.org/mpijobs"}, {"apps/statefulsets"}),
    ],
)
def test_a_team_may_run_the_kinds_that_its_cluster_queues(frameworks: str, run: set[str], not_run: set[str]) -> None:
    rights = may(SPEC % ("kubeadm", frameworks))
    assert all("create" in rights[resource] for resource in run)
    assert not not_run & rights.keys()


@pytest.mark.parametrize(("frameworks", "create"), [("job", False), ("pod", True)])
def test_bare_pods_are_made_only_where_they_are_queued(frameworks: str, create: bool) -> None:
    verbs = may(SPEC % ("kubeadm", frameworks))["/pods"]
    assert ("create" in verbs) is create
    assert {"get", "list", "watch", "delete"} <= verbs


def test_a_team_neither_reads_secrets_nor_enters_pods_nor_writes_queues() -> None:
    rights = may(PLAIN)
    assert not {"/secrets", "/pods/exec", "/pods/attach", "/serviceaccounts"} & rights.keys()
    assert rights["kueue.x-k8s.io/workloads"] == rights["kueue.x-k8s.io/localqueues"] == {"get", "list", "watch"}


def test_a_team_may_delete_workloads_where_idle_ones_are_suspended_so_that_kueue_makes_them_anew() -> None:
    suspending = PLAIN.replace("governance: {", "governance: {reclaim: {mode: suspend, image: a/gpuplan:1}, ")
    assert may(suspending)["kueue.x-k8s.io/workloads"] == {"get", "list", "watch", "delete"}


def test_a_real_server_keeps_all_of_it_unchanged_and_lets_a_member_work_at_home_only(
    empty_control_plane: ControlPlane,
) -> None:
    client = empty_control_plane.client
    made: list[dict[str, Any]] = [{**one} for one in objects(SPEC % ("gke", "job"))]
    assert apply_manifests(client, made) == []
    assert stored_differences(client, made) == []
    assert allowed(client, "create", "batch", "jobs", "vision")
    assert not allowed(client, "create", "batch", "jobs", "nlp")
    assert not allowed(client, "get", "", "secrets", "vision")
    assert not allowed(client, "create", "kueue.x-k8s.io", "workloads", "vision")


def allowed(client: Client, verb: str, group: str, resource: str, namespace: str) -> bool:
    """Ask the server whether somebody of the group `vision-team` may do that."""
    asked = {"verb": verb, "group": group, "resource": resource, "namespace": namespace}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": "alice", "groups": ["vision-team"], "resourceAttributes": asked},
    }
    answer = client.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
    return bool(answer["status"]["allowed"])
