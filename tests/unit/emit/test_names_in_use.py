"""Names in use take the place of the scheme's wherever a cluster or a person meets them."""

from __future__ import annotations

import functools
import re
from typing import Any

from gpuplan import conventions
from gpuplan.diagnostics import has_errors
from gpuplan.manifests.set import ManifestSet
from gpuplan.pipeline import render
from gpuplan.plan.live import NOBODY_LOOKED
from tests.build import fleet
from tests.unit.plan.two import comparison, edited

PLAIN = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {train: {cards: [h100-sxm-80gb]}}
nodePools:
  a: {cluster: eu, tier: train, nodes: 2, cardsPerNode: 8, selectedBy: {labels: {zone: eu-1a}}}
taskPools:
  chat: {kind: onlineInference, service: guaranteed, tiers: [train], stateful: {}, serving: {engine: vllm}}
  desk: {kind: experiment, service: shared, tiers: [train], pool: {train: 8}}
teams:
  nlp: {namespaces: [nlp], quotas: {chat: {train: {guaranteed: 8}}, desk: {}}}
"""
NAMES = """
names:
  clusterQueues: {nlp-chat: cq-in-use, nlp-desk: desks-in-use}
  cohorts: {chat: cohort-in-use, desk: pool-in-use}
  rootCohort: root-in-use
  flavors: {train-h100-sxm-80gb: flavor-in-use}
  topologies: {train: topology-in-use}
  localQueues: {chat: queue-in-use, desk: desk-in-use}
  workloadPriorityClasses: {guaranteed: priority-in-use}
  priorityClasses: {gpuplan-guaranteed: pods-in-use}
"""
GONE = (
    "nlp-chat",
    "nlp-desk",
    "train-h100-sxm-80gb",
    "gpuplan-guaranteed",
)
"""Names of the scheme that are the name of nothing else."""


@functools.lru_cache(maxsize=4)
def rendered(text: str) -> ManifestSet:
    manifests, found = render(fleet(text))
    assert not has_errors(found), found
    return manifests


def named(kind: str) -> set[str]:
    return {one.key.name for one in rendered(PLAIN + NAMES) if one.key.kind == kind and one.cluster}


def made(kind: str, name: str) -> Any:
    return next(one.object for one in rendered(PLAIN + NAMES) if (one.key.kind, one.key.name) == (kind, name))


def test_every_object_of_kueue_has_the_name_in_use() -> None:
    assert named("ClusterQueue") == {"cq-in-use", "desks-in-use"}
    assert named("Cohort") == {"root-in-use", "cohort-in-use", "pool-in-use"}
    assert named("ResourceFlavor") == {"flavor-in-use"}
    assert named("Topology") == {"topology-in-use"}
    assert named("LocalQueue") == {"queue-in-use", "desk-in-use"}
    assert "priority-in-use" in named("WorkloadPriorityClass")
    assert "pods-in-use" in named("PriorityClass")


def test_the_references_between_them_follow() -> None:
    queue = made("ClusterQueue", "cq-in-use")["spec"]
    assert queue["cohortName"] == "cohort-in-use"
    assert queue["resourceGroups"][0]["flavors"][0]["name"] == "flavor-in-use"
    assert made("Cohort", "cohort-in-use")["spec"]["parentName"] == "root-in-use"
    assert made("LocalQueue", "queue-in-use")["spec"]["clusterQueue"] == "cq-in-use"
    assert made("ResourceFlavor", "flavor-in-use")["spec"]["topologyName"] == "topology-in-use"


def test_nothing_in_the_output_still_has_a_name_of_the_scheme() -> None:
    everything = "\n".join(str(one.object) for one in rendered(PLAIN + NAMES))
    everything += "\n".join(text.text for text in rendered(PLAIN + NAMES).texts)
    for name in GONE:
        assert not re.search(rf"(?<![\w-]){name}(?![\w-])", everything), name


def test_work_is_known_by_the_queue_that_it_names() -> None:
    for kind, name in (
        ("PodDisruptionBudget", conventions.disruption_budget_name("chat")),
        ("PodMonitor", conventions.serving_monitor_name("chat")),
    ):
        assert made(kind, name)["spec"]["selector"]["matchLabels"] == {conventions.LABEL_QUEUE_NAME: "queue-in-use"}
    for policy in (
        conventions.POLICY_PRIORITY_BAND,
        conventions.POLICY_PRODUCED_RESOURCES,
        conventions.POLICY_STATEFUL_SERVING,
    ):
        said = str(made("ValidatingAdmissionPolicy", policy)["spec"]["variables"])
        assert '"queue-in-use"' in said
        assert '"chat"' not in said


def test_a_plan_knows_the_task_pools_by_their_own_names() -> None:
    old = PLAIN + NAMES
    rows = comparison(old, edited(old, ("guaranteed: 8", "guaranteed: 4")), NOBODY_LOOKED).quotas
    assert {(row.task_pool, row.team, row.queue) for row in rows} == {
        ("chat", "nlp", "cq-in-use"),
        ("desk", "nlp", "desks-in-use"),
        ("desk", "", ""),
    }


def test_without_names_nothing_says_a_second_time_which_task_pool_it_is_of() -> None:
    assert all(conventions.LABEL_TASK_POOL not in str(one.object) for one in rendered(PLAIN))
