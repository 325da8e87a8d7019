"""Adopted objects are rendered as they are written, and the cluster around them keeps the meaning that they had."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from gpuplan import conventions
from gpuplan.diagnostics import has_errors
from gpuplan.emit.kueue import manager_configuration
from gpuplan.manifests.set import ManifestSet
from gpuplan.pipeline import render
from tests.build import fleet, resolved

HARDWARE = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {train: {cards: [h100-sxm-80gb]}}
nodePools:
  a:
    cluster: eu
    tier: train
    nodes: 2
    cardsPerNode: 8
    selectedBy: {labels: {zone: eu-1a}}
"""
POOLS = """
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train]}
teams:
  nlp: {namespaces: [nlp], quotas: {pretrain: {train: {guaranteed: 8}}}}
"""
ADOPTED = """
adopted:
  eu:
    resourceFlavors:
      any: {}
      h100:
        nodeLabels: {zone: eu-1a}
        nodeTaints: [{key: a.io/b, effect: NoSchedule}]
        tolerations: [{operator: Exists}]
        topologyName: racks
    topologies: {racks: {levels: [{nodeLabel: kubernetes.io/hostname}]}}
    cohorts: {org: {parentName: everyone, fairSharing: {weight: 0}}}
    clusterQueues:
      vision:
        cohortName: org
        namespaceSelector: {}
        resourceGroups:
        - coveredResources: [cpu, memory]
          flavors:
          - name: any
            resources: [{name: cpu, nominalQuota: 12000m, borrowingLimit: 0}, {name: memory, nominalQuota: 98304Mi}]
        - coveredResources: [nvidia.com/gpu]
          flavors:
          - {name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 4, lendingLimit: 0}]}
      nobody: {fairSharing: {}}
    localQueues: {old/default-queue: {clusterQueue: vision}}
    workloadPriorityClasses: {low: {value: 0, description: Low.}}
    priorityClasses: {normal: {value: 0, globalDefault: true, preemptionPolicy: Never}, plain: {value: 5, globalDefault: false}}
    frameworks: [job, pod]
"""


@functools.lru_cache(maxsize=8)
def rendered(text: str) -> ManifestSet:
    manifests, found = render(fleet(text))
    assert not has_errors(found), found
    return manifests


def made(kind: str, name: str, text: str = HARDWARE + ADOPTED) -> Any:
    """Return an object of a fleet."""
    return next(one.object for one in rendered(text) if (one.key.kind, one.key.name) == (kind, name))


def names(kind: str, text: str) -> set[str]:
    return {one.key.name for one in rendered(text) if one.key.kind == kind and one.cluster}


def test_amounts_are_canonical_and_absent_limits_stay_absent() -> None:
    cards, cpu = (made("ClusterQueue", "vision")["spec"]["resourceGroups"][index]["flavors"][0] for index in (1, 0))
    assert cpu["resources"] == [
        {"name": "cpu", "nominalQuota": "12", "borrowingLimit": "0"},
        {"name": "memory", "nominalQuota": "96Gi"},
    ]
    assert cards["resources"] == [{"name": "nvidia.com/gpu", "nominalQuota": "4", "lendingLimit": "0"}]


def test_nobody_and_everybody_are_told_apart() -> None:
    assert made("ClusterQueue", "vision")["spec"]["namespaceSelector"] == {}
    assert "namespaceSelector" not in made("ClusterQueue", "nobody")["spec"]


def test_the_defaults_of_kueue_are_written_out() -> None:
    assert made("ClusterQueue", "nobody")["spec"] == {
        "queueingStrategy": "BestEffortFIFO",
        "preemption": {
            "reclaimWithinCohort": "Never",
            "borrowWithinCohort": {"policy": "Never"},
            "withinClusterQueue": "Never",
        },
        "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
        "fairSharing": {"weight": "1"},
    }


def test_a_priority_of_0_stays_and_false_is_left_out_as_the_server_does() -> None:
    assert made("WorkloadPriorityClass", "low")["value"] == 0
    normal, plain = made("PriorityClass", "normal"), made("PriorityClass", "plain")
    assert (normal["value"], normal["globalDefault"], normal["preemptionPolicy"]) == (0, True, "Never")
    assert "globalDefault" not in plain
    assert plain["preemptionPolicy"] == "PreemptLowerPriority"


def test_they_bear_our_labels_and_the_waves_of_their_kinds() -> None:
    text = (HARDWARE + ADOPTED).replace("      vision:\n", "      vision:\n        team: nlp\n")
    queue = made("ClusterQueue", "vision", text + "teams: {nlp: {namespaces: [nlp]}}\n")
    assert queue["metadata"]["labels"] == {
        conventions.LABEL_MANAGED_BY: conventions.MANAGED_BY,
        conventions.LABEL_TEAM: "nlp",
    }
    waves = {
        kind: made(kind, name)["metadata"]["annotations"][conventions.ANNOTATION_SYNC_WAVE]
        for kind, name in (("ResourceFlavor", "h100"), ("ClusterQueue", "vision"), ("LocalQueue", "default-queue"))
    }
    assert waves == {"ResourceFlavor": "0", "ClusterQueue": "2", "LocalQueue": "4"}


def test_nothing_of_ours_stands_beside_them_where_nobody_could_use_it() -> None:
    flavor = HARDWARE + "adopted: {eu: {resourceFlavors: {any: {}}}}"
    assert (names("Cohort", flavor), names("ResourceFlavor", flavor)) == (set(), {"any"})
    assert names("Cohort", HARDWARE + ADOPTED) == {"org"}
    assert names("ResourceFlavor", HARDWARE + ADOPTED) == {"any", "h100"}
    assert names("Cohort", HARDWARE) == {"acme"}


def test_teams_with_adopted_queues_alone_are_on_the_bill_and_get_nothing_else() -> None:
    text = (HARDWARE + ADOPTED).replace("      vision:\n", "      vision:\n        team: nlp\n")
    text += "teams: {nlp: {namespaces: [nlp]}}\n"
    assert "nlp" in str(made("PrometheusRule", "gpuplan-teams", text))
    assert names("Namespace", text) == {"gpu-system"}


def test_task_pools_stand_beside_them_and_get_what_is_left() -> None:
    text = HARDWARE + POOLS + ADOPTED
    assert names("Cohort", text) == {"acme", "pretrain", "org"}
    assert names("ResourceFlavor", text) == {"train-h100-sxm-80gb", "any", "h100"}
    quota = made("Cohort", "acme", text)["spec"]["resourceGroups"][0]["flavors"][0]["resources"]
    assert quota == [{"name": "nvidia.com/gpu", "nominalQuota": "4"}]  # 16, less a floor of 8 and the 4 that stay


def test_a_flavor_of_ours_that_they_name_is_rendered() -> None:
    text = HARDWARE + ADOPTED.replace("{name: h100,", "{name: train-h100-sxm-80gb,")
    assert names("ResourceFlavor", text) == {"train-h100-sxm-80gb", "any", "h100"}


def test_kueue_keeps_its_defaults_for_them_alone_and_their_namespaces() -> None:
    (cluster,) = fleet(HARDWARE + ADOPTED).clusters
    configuration = manager_configuration(cluster)
    assert not {"fairSharing", "resources"} & configuration.keys()
    assert configuration["integrations"] == {"frameworks": ["batch/job", "pod"]}
    assert "old" in str(configuration["managedJobsNamespaceSelector"])


def test_beside_task_pools_what_they_cover_is_still_counted() -> None:
    (cluster,) = fleet(HARDWARE + POOLS + ADOPTED).clusters
    resources = str(manager_configuration(cluster)["resources"])
    assert "'input': 'ephemeral-storage'" in resources
    assert "'input': 'cpu'" not in resources


def test_guard_rails_let_work_into_adopted_queues() -> None:
    text = HARDWARE + POOLS + ADOPTED
    band = str(made("ValidatingAdmissionPolicy", conventions.POLICY_PRIORITY_BAND, text))
    queued = str(made("ValidatingAdmissionPolicy", conventions.POLICY_QUEUE_REQUIRED, text))
    assert 'in ["default-queue"]' in band
    assert 'request.namespace in ["nlp", "old"]' in queued


@pytest.mark.parametrize(
    ("was", "becomes", "rule"),
    [
        ("eu:\n    resourceFlavors", "us:\n    resourceFlavors", "ref/unknown-name"),
        ("cohortName: org", "cohortNam: org", "spec/unknown-key"),
        ("12000m", "twelve", "spec/invalid-value"),
        ("old/default-queue", "default-queue", "spec/invalid-name"),
        ("namespaceSelector: {}", "namespaceSelector: all", "spec/wrong-type"),
        ("nominalQuota: 4", "nominalQuota: -4", "spec/invalid-value"),
        ("preemptionPolicy: Never", "preemptionPolicy: Nevr", "spec/invalid-value"),
        ("cohortName: org", "team: nlp", "ref/unknown-name"),
    ],
)
def test_mistakes_are_found_at_their_place(was: str, becomes: str, rule: str) -> None:
    text = HARDWARE + ADOPTED
    assert text.count(was) == 1
    _, found = resolved(text.replace(was, becomes))
    assert [finding.rule for finding in found] == [rule], found
    line = found[0].at.line
    assert becomes.split(":", maxsplit=1)[0].strip() in "\n".join(
        text.replace(was, becomes).splitlines()[line - 1 : line + 1]
    )
