"""The cases that are facts for a fleet: what is rendered of them, or why they are refused."""

from __future__ import annotations

from typing import Any

import yaml

from gpuplan import pipeline
from gpuplan.compare import compare
from gpuplan.diagnostics import has_errors
from gpuplan.manifests.set import ManifestSet, ObjectKey
from gpuplan.quantity import Quantity
from gpuplan.rules import check
from tests.build import fleet, resolved

HEAD = """
apiVersion: gpuplan.dev/v1alpha1
kind: Fleet
metadata: {name: acme}
delivery: {argocd: {repoURL: https://git.acme.io/platform/fleet.git}}
"""


def made(text: str) -> ManifestSet:
    """Render a fleet that has no errors."""
    manifests, found = pipeline.render(fleet(HEAD + text))
    assert not has_errors(found)
    return manifests


def of_kind(manifests: ManifestSet, kind: str) -> list[tuple[ObjectKey, Any]]:
    """Return the objects of a kind with their keys."""
    return [(one.key, one.object) for one in manifests if one.key.kind == kind]


def objects(manifests: ManifestSet, kind: str) -> dict[str, Any]:
    return {key.name: body for key, body in of_kind(manifests, kind)}


def covered(queue: Any) -> dict[str, str]:
    """Return a queue's or cohort's nominal quotas by resource, one flavor assumed."""
    return {
        quota["name"]: quota["nominalQuota"]
        for group in queue["spec"]["resourceGroups"]
        for flavor in group["flavors"]
        for quota in flavor["resources"]
    }


C04 = """
clusters: {prod: {kubernetes: "1.36", kueue: external, stack: external}}
cardTiers: {train: {cards: [l40s], topology: "off"}}
nodePools:
  a: {cluster: prod, tier: train, nodes: 1, cardsPerNode: 4, selectedBy: {labels: {pool: a}},
      companions: {cpu: 12000m, memory: 98304Mi}}
taskPools: {work: {kind: training, service: guaranteed, tiers: [train]}}
teams: {speech: {namespaces: [speech], quotas: {work: {train: {guaranteed: 4}}}}}
"""


def test_c04_quantities_are_written_as_the_server_prints_them() -> None:
    queue = objects(made(C04), "ClusterQueue")["speech-work"]
    assert covered(queue) == {"cpu": "12", "memory": "96Gi", "nvidia.com/gpu": "4"}


def test_c04_other_spellings_of_an_amount_are_no_change() -> None:
    def queue(cpu: str, memory: str) -> dict[str, Any]:
        quotas = [{"name": "cpu", "nominalQuota": cpu}, {"name": "memory", "nominalQuota": memory}]
        groups = [{"coveredResources": ["cpu", "memory"], "flavors": [{"name": "a", "resources": quotas}]}]
        return {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "ClusterQueue",
            "metadata": {"name": "q"},
            "spec": {"resourceGroups": groups},
        }

    assert compare(queue("12000m", "98304Mi"), queue("12", "96Gi")) == ()


def pool_of(cpu: str, memory: str) -> dict[str, str]:
    """Return what the root owns of two nodes with so much each."""
    manifests = made(
        f"""
clusters: {{prod: {{kubernetes: "1.36", kueue: external, stack: external}}}}
cardTiers: {{all: {{cards: [h100-sxm-80gb], topology: "off"}}}}
nodePools:
  a: {{cluster: prod, tier: all, nodes: 2, cardsPerNode: 8, selectedBy: {{labels: {{agentpool: gpu}}}},
      companions: {{rdma/ib: 8, cpu: "{cpu}", memory: {memory}}}}}
taskPools: {{work: {{kind: training, service: guaranteed, tiers: [all]}}}}
teams: {{all: {{namespaces: [all], quotas: {{work: {{all: {{guaranteed: 16}}}}}}}}}}
"""
    )
    return covered(objects(manifests, "ClusterQueue")["all-work"])


def test_c14_quota_is_nodes_times_what_each_has() -> None:
    total = {"nvidia.com/gpu": "16", "rdma/ib": "16", "cpu": "180", "memory": "3Ti"}
    assert pool_of("90", "1.5Ti") == total
    assert pool_of("90", "1800Gi")["memory"] == "3600Gi"
    assert pool_of("0.5", "1800Gi")["cpu"] == "1"


def test_c35_a_cut_for_each_card_and_the_rest_whole() -> None:
    text = """
clusters: {prod: {kubernetes: "1.36", kueue: external}}
cardTiers: {all: {cards: [h100-sxm-80gb], topology: "off"}}
nodePools:
  a:
    cluster: prod
    tier: all
    nodes: 1
    cardsPerNode: 8
    selectedBy: {nfd: {}}
    sharing:
      mig:
        groups:
        - {cards: [0], profiles: {2g.20gb: 3, 1g.10gb: 1}}
        - {cards: [1], profiles: {4g.40gb: 1, 3g.40gb: 1}}
taskPools: {work: {kind: experiment, service: reclaimable, tiers: [all]}}
teams: {all: {namespaces: [all], quotas: {work: {}}}}
"""
    manifests = made(text)
    (table,) = [
        yaml.safe_load(body["data"]["config.yaml"])
        for _, body in of_kind(manifests, "ConfigMap")
        if "mig-configs" in str(body.get("data"))
    ]
    (groups,) = [groups for groups in table["mig-configs"].values() if len(groups) == 3]
    assert [group["devices"] for group in groups] == [[0], [1], [2, 3, 4, 5, 6, 7]]
    assert [group["mig-enabled"] for group in groups] == [True, True, False]
    queue = objects(manifests, "ClusterQueue")["all-work"]
    assert set(covered(queue)) == {
        "nvidia.com/gpu",
        "nvidia.com/mig-1g.10gb",
        "nvidia.com/mig-2g.20gb",
        "nvidia.com/mig-3g.40gb",
        "nvidia.com/mig-4g.40gb",
    }
    flavors = fleet(HEAD + text).clusters[0].flavors
    assert dict(flavors[0].capacity) == {
        "nvidia.com/gpu": 6,
        "nvidia.com/mig-1g.10gb": 1,
        "nvidia.com/mig-2g.20gb": 3,
        "nvidia.com/mig-3g.40gb": 1,
        "nvidia.com/mig-4g.40gb": 1,
    }


C50 = """
clusters: {prod: {kubernetes: "1.36", kueue: external, stack: operator}}
cardTiers: {any: {cards: [a10], topology: "off"}, whole: {cards: [a10], topology: "off"}}
nodePools:
  any: {cluster: prod, tier: any, nodes: 4, cardsPerNode: 1, selectedBy: {nfd: {nodeNames: ["shared-.*"]}}, sharing: {timeSlicing: {replicas: 15}}}
  whole: {cluster: prod, tier: whole, nodes: 2, cardsPerNode: 1, selectedBy: {nfd: {nodeNames: [x, y]}}}
"""


def test_c50_whole_cards_on_two_nodes_and_shares_on_the_others() -> None:
    manifests = made(C50)
    profiles = [
        dict(body["data"]) for _, body in of_kind(manifests, "ConfigMap") if "replicas: 15" in str(body.get("data"))
    ]
    (data,) = profiles
    shared = {key for key, text in data.items() if "replicas: 15" in text}
    plain = {key for key, text in data.items() if "sharing" not in text}
    assert (len(shared), len(plain)) == (1, 1)
    labels = [
        rule.get("labels", {}).get("nvidia.com/device-plugin.config")
        for _, body in of_kind(manifests, "NodeFeatureRule")
        for rule in body["spec"]["rules"]
    ]
    assert {label for label in labels if label} <= data.keys()
    capacity = {flavor.tier.name: dict(flavor.capacity) for flavor in fleet(HEAD + C50).clusters[0].flavors}
    assert capacity == {"any": {"nvidia.com/gpu.shared": 60}, "whole": {"nvidia.com/gpu": 2}}


def gke(distribution: str) -> str:
    return f"""
clusters: {{prod: {{kubernetes: "1.36", distribution: {distribution}, kueue: external, stack: operator, gpuOperator: {{namespace: gpu-operator}}}}}}
cardTiers: {{all: {{cards: [l40s], topology: "off"}}}}
nodePools:
  a: {{cluster: prod, tier: all, nodes: 1, cardsPerNode: 4, selectedBy: {{labels: {{pool: a}}}}}}
"""


def test_c70_gke_admits_critical_pods_only_beside_a_quota() -> None:
    quotas = of_kind(made(gke("gke")), "ResourceQuota")
    (body,) = [made["spec"] for key, made in quotas if key.namespace == "gpu-operator"]
    pods = Quantity.parse(body["hard"]["pods"])
    assert pods is not None
    assert pods.value > 0
    (scope,) = body["scopeSelector"]["matchExpressions"]
    assert (scope["scopeName"], scope["operator"]) == ("PriorityClass", "In")
    assert set(scope["values"]) == {"system-node-critical", "system-cluster-critical"}
    assert not [one for one in made(gke("kubeadm")) if one.key.kind == "ResourceQuota"]


def test_c83_one_share_is_refused_with_its_reason_and_never_rendered() -> None:
    text = (
        HEAD
        + """
clusters: {prod: {kubernetes: "1.36", kueue: external}}
cardTiers: {play: {cards: [t4]}, train: {cards: [t4]}}
nodePools:
  play: {cluster: prod, tier: play, nodes: 2, cardsPerNode: 1, selectedBy: {labels: {pool: play}}, sharing: {timeSlicing: {replicas: 10}}}
  train: {cluster: prod, tier: train, nodes: 2, cardsPerNode: 1, selectedBy: {labels: {pool: train}}, sharing: {timeSlicing: {replicas: 1}}}
"""
    )
    made_of, found = resolved(text)
    assert made_of is not None
    (refused,) = [one for one in (*found, *check(made_of)) if one.rule == "share/replicas-below-two"]
    assert ">= 2 (got 1)" in refused.summary
    whole, _ = resolved(text.replace("sharing: {timeSlicing: {replicas: 1}}", "sharing: exclusive"))
    assert whole is not None
    capacity = {flavor.tier.name: dict(flavor.capacity) for flavor in whole.clusters[0].flavors}
    assert capacity == {"play": {"nvidia.com/gpu.shared": 20}, "train": {"nvidia.com/gpu": 2}}


C92 = """
clusters: {prod: {kubernetes: "1.36"}}
cardTiers: {all: {cards: [l40s], topology: "off"}}
nodePools:
  a: {cluster: prod, tier: all, nodes: 1, cardsPerNode: 4, selectedBy: {labels: {pool: a}}}
taskPools: {serve: {kind: onlineInference, service: guaranteed, tiers: [all], stateful: {}}}
teams: {chat: {namespaces: [chat], quotas: {serve: {all: {guaranteed: 4}}}}}
"""


def test_c92_kueue_manages_the_namespaces_of_teams_alone() -> None:
    (values,) = [
        body["spec"]["source"]["helm"]["valuesObject"]
        for key, body in of_kind(made(C92), "Application")
        if key.name.startswith("kueue")
    ]
    configuration = yaml.safe_load(values["managerConfig"]["controllerManagerConfigYaml"])
    (term,) = configuration["managedJobsNamespaceSelector"]["matchExpressions"]
    assert (term["operator"], term["values"]) == ("In", ["chat"])
