"""Kueue's objects and configuration from small specs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.emit import kueue
from gpuplan.model.fleet import Cluster
from gpuplan.quantity import Quantity
from tests.build import fleet
from tests.controlplane.acceptance import apply_manifests, stored_differences
from tests.controlplane.controlplane import ControlPlane
from tests.unit.emit.fleets import Object, assert_golden

HARDWARE = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
cardTiers:
  train: {cards: [h100-sxm-80gb], topology: {levels: [topology.gpuplan.dev/rack, kubernetes.io/hostname]}}
  serve: {cards: [l40s]}
  lab: {cards: [a100-sxm-40gb]}
nodePools:
  h100:
    {cluster: main, tier: train, nodes: 4, cardsPerNode: 8, selectedBy: {labels: {pool: h100}}, topologyLabels: provided}
  l40s: {cluster: main, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: l40s}}}
  a100:
    cluster: main
    tier: lab
    nodes: 2
    cardsPerNode: 8
    selectedBy: {labels: {pool: a100}}
    taints: [{key: lab, value: slices, effect: NoExecute}, {key: nvidia.com/gpu, effect: NoSchedule}]
    sharing: {mig: {groups: [{cards: [0, 1, 2, 3, 4, 5], profiles: {1g.5gb: 7}}]}}
"""
CAPACITY = {
    ("train-h100-sxm-80gb", "nvidia.com/gpu"): 32,
    ("serve-l40s", "nvidia.com/gpu"): 8,
    ("lab-a100-sxm-40gb-mig-6of-7x1g.5gb-2of-whole", "nvidia.com/gpu"): 4,
    ("lab-a100-sxm-40gb-mig-6of-7x1g.5gb-2of-whole", "nvidia.com/mig-1g.5gb"): 84,
}


def spec(queues: str, cluster: str = "") -> str:
    """Return a whole spec: the hardware above, more keys of its cluster, and task pools with teams."""
    return f'{HARDWARE}clusters: {{main: {{kubernetes: "1.36"{cluster}}}}}\n{queues}'


def objects(text: str) -> tuple[Object, ...]:
    built = fleet(text)
    return tuple(made.object for made in kueue.emit(built, built.clusters[0]))


def specs(text: str, kind: str) -> dict[str, Any]:
    """Return the specs of a kind, by name."""
    return {made["metadata"]["name"]: made["spec"] for made in objects(text) if made["kind"] == kind}


def one_pool(service: str, tiers: str = "[serve]", more: str = "") -> str:
    """Return a spec with one team in one task pool."""
    return spec(
        f"taskPools: {{work: {{kind: experiment, service: {service}, tiers: {tiers}{more}}}}}\n"
        "teams: {vision: {namespaces: [vision, batch], quotas: {work: {}}}}"
    )


def test_floors_and_shared_pools_become_a_tree_with_the_rest_at_its_root() -> None:
    assert_golden(
        "kueue-tree",
        objects(
            spec("""
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train], queueing: strict}
  notebooks: {kind: experiment, service: shared, tiers: [lab], pool: {lab/1g.5gb: 60, lab/card: 2}}
teams:
  vision:
    namespaces: [vision]
    quotas:
      pretrain: {train: {guaranteed: 16, borrow: 8, lend: 12}}
      notebooks: {weight: 2, lab/1g.5gb: {cap: 28}}
""")
        ),
    )


@pytest.mark.parametrize(
    ("service", "in_cohort", "in_queue", "weight"),
    [
        ("guaranteed", "Any", "LowerPriority", "1"),
        ("queued", "LowerPriority", "LowerPriority", "1"),
        ("shared", "Any", "Never", "1"),
        ("reclaimable", "Never", "Never", "0"),
    ],
)
def test_a_service_class_says_whom_its_queues_evict_and_who_goes_first(
    service: str, in_cohort: str, in_queue: str, weight: str
) -> None:
    text = one_pool(service)
    queue, cohort = specs(text, "ClusterQueue")["vision-work"], specs(text, "Cohort")["work"]
    assert queue["preemption"] == {
        "reclaimWithinCohort": in_cohort,
        "borrowWithinCohort": {"policy": "Never"},
        "withinClusterQueue": in_queue,
    }
    assert queue["fairSharing"] == cohort["fairSharing"] == {"weight": weight}


@pytest.mark.parametrize(
    ("tiers", "fallback", "borrow", "preempt"),
    [
        ("[serve]", "", "MayStopSearch", "TryNextFlavor"),
        ("[serve, train]", ", fallback: nextTier", "TryNextFlavor", "TryNextFlavor"),
        ("[serve, train]", ", fallback: lastResort", "MayStopSearch", "MayStopSearch"),
    ],
)
def test_fallback_says_when_to_look_at_the_next_tier(tiers: str, fallback: str, borrow: str, preempt: str) -> None:
    queue = specs(one_pool("queued", tiers, fallback), "ClusterQueue")["vision-work"]
    assert queue["flavorFungibility"] == {"whenCanBorrow": borrow, "whenCanPreempt": preempt}


def test_flavors_come_in_the_order_of_the_tiers() -> None:
    queue = specs(one_pool("queued", "[train, serve]", ", fallback: nextTier"), "ClusterQueue")["vision-work"]
    names = [flavor["name"] for flavor in queue["resourceGroups"][0]["flavors"]]
    assert names == ["train-h100-sxm-80gb", "serve-l40s"]


def test_a_group_lists_what_a_flavor_lacks_with_quota_and_borrowing_0() -> None:
    queue = specs(one_pool("queued", "[lab, serve]", ", fallback: nextTier"), "ClusterQueue")["vision-work"]
    (group,) = queue["resourceGroups"]
    lacking = group["flavors"][1]["resources"][1]
    assert group["coveredResources"] == ["nvidia.com/gpu", "nvidia.com/mig-1g.5gb"]
    assert lacking == {
        "name": "nvidia.com/mig-1g.5gb",
        "nominalQuota": "0",
        "borrowingLimit": "0",
        "lendingLimit": "0",
    }


def test_each_namespace_of_a_team_has_the_queue_and_no_other_namespace_may_use_it() -> None:
    made = objects(one_pool("queued"))
    local = [one for one in made if one["kind"] == "LocalQueue"]
    assert [(one["metadata"]["namespace"], one["metadata"]["name"]) for one in local] == [
        ("vision", "work"),
        ("batch", "work"),
    ]
    assert [one["spec"] for one in local] == [{"clusterQueue": "vision-work"}] * 2
    assert specs(one_pool("queued"), "ClusterQueue")["vision-work"]["namespaceSelector"] == {
        "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["batch", "vision"]}]
    }


def test_the_stop_policy_stays_with_people() -> None:
    assert "stopPolicy" not in str(objects(one_pool("queued")))


def test_a_tier_without_topology_has_flavors_without_one() -> None:
    plain = one_pool("queued").replace("serve: {cards: [l40s]}", "serve: {cards: [l40s], topology: off}")
    assert set(specs(plain, "Topology")) == {"train", "lab"}
    assert "topologyName" not in specs(plain, "ResourceFlavor")["serve-l40s"]


def test_each_revision_of_a_tier_has_flavors_and_a_topology_of_its_own() -> None:
    newer = "  l40s-b: {cluster: main, tier: serve, nodes: 1, cardsPerNode: 4, selectedBy: {labels: {pool: b}}, revision: 2}"
    text = one_pool("queued", more=", fallback: nextTier").replace("  a100:\n", f"{newer}\n  a100:\n", 1)
    flavors = specs(text, "ResourceFlavor")
    assert set(specs(text, "Topology")) == {"train", "serve", "serve-2", "lab"}
    assert (flavors["serve-l40s"]["topologyName"], flavors["serve-l40s-2"]["topologyName"]) == ("serve", "serve-2")


def nominal(text: str) -> Counter[tuple[str, str]]:
    """Add up the nominal quotas of all objects by flavor and resource."""
    found: Counter[tuple[str, str]] = Counter()
    for kind in ("Cohort", "ClusterQueue"):
        for made in specs(text, kind).values():
            for group in made.get("resourceGroups", ()):
                for flavor in group["flavors"]:
                    assert [quota["name"] for quota in flavor["resources"]] == group["coveredResources"]
                    for quota in flavor["resources"]:
                        amount = Quantity.parse(quota["nominalQuota"])
                        assert amount is not None
                        found[flavor["name"], quota["name"]] += amount.value
    return found


@given(
    floors=st.lists(st.integers(0, 8), min_size=1, max_size=4),
    shared=st.integers(0, 84),
    whole=st.integers(0, 4),
    fallback=st.sampled_from(("nextTier", "lastResort")),
)
@settings(max_examples=40, deadline=None)
def test_the_quotas_of_all_objects_add_up_to_the_hardware(
    floors: list[int], shared: int, whole: int, fallback: str
) -> None:
    teams = "".join(
        f"  t{number}: {{namespaces: [n{number}], quotas: {{pretrain: {{train: {{guaranteed: {floor}}}}}, all: {{}}}}}}\n"
        for number, floor in enumerate(floors)
    )
    text = spec(f"""
taskPools:
  pretrain: {{kind: training, service: guaranteed, tiers: [train]}}
  slices: {{kind: experiment, service: shared, tiers: [lab], pool: {{lab/1g.5gb: {shared}, lab/card: {whole}}}}}
  all: {{kind: experiment, service: reclaimable, tiers: [serve, lab, train], fallback: {fallback}}}
teams:
{teams}""")
    assert {item: amount for item, amount in nominal(text).items() if amount or item in CAPACITY} == CAPACITY


# The manager's configuration.


def cluster_of(text: str) -> Cluster:
    return fleet(text).clusters[0]


def test_the_manager_takes_jobs_of_team_namespaces_and_of_the_kinds_that_pools_run() -> None:
    text = spec(
        "taskPools:\n"
        "  a: {kind: training, service: queued, tiers: [serve], frameworks: [mpijob, job]}\n"
        "  b: {kind: onlineInference, service: queued, tiers: [serve], frameworks: [leaderworkerset, job]}\n"
        "teams: {vision: {namespaces: [vision, batch], quotas: {a: {}, b: {}}}}"
    )
    made = kueue.manager_configuration(cluster_of(text))
    assert made["integrations"] == {
        "frameworks": ["batch/job", "pod", "leaderworkerset.x-k8s.io/leaderworkerset", "kubeflow.org/mpijob"]
    }
    assert made["managedJobsNamespaceSelector"] == {
        "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["batch", "vision"]}]
    }


def test_a_manager_without_teams_takes_nobodys_jobs() -> None:
    made = kueue.manager_configuration(cluster_of(spec("")))
    assert made["integrations"] == {"frameworks": ["batch/job"]}
    assert made["managedJobsNamespaceSelector"] == {
        "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "DoesNotExist"}]
    }


CARDS_ALONE_COUNT = {
    "quotaCheckStrategy": "IgnoreUndeclared",
    "transformations": [
        {"input": resource, "strategy": "Replace"}
        for resource in ("cpu", "ephemeral-storage", "hugepages-1Gi", "hugepages-2Mi", "memory")
    ],
}


@pytest.mark.parametrize(
    ("version", "timeout", "pods_ready", "gates", "resources"),
    [
        ("v0.19.2", 600, "600s", None, CARDS_ALONE_COUNT),
        ("v0.19.2", 0, None, {"DisableWaitForPodsReady": True}, CARDS_ALONE_COUNT),
        (
            "v0.17.1",
            0,
            None,
            None,
            {"excludeResourcePrefixes": ["cpu", "ephemeral-storage", "hugepages-", "memory"]},
        ),
    ],
)
def test_a_manager_gets_only_keys_and_gates_that_its_version_knows(
    version: str, timeout: int, pods_ready: str | None, gates: object, resources: object
) -> None:
    keys = f", kueue: {{podsReadyTimeoutSeconds: {timeout}}}, components: {{kueue: {{version: {version}}}}}"
    made: Any = kueue.manager_configuration(cluster_of(spec("", keys)))
    assert made.get("waitForPodsReady", {}).get("timeout") == pods_ready
    assert made.get("featureGates") == gates
    assert made["resources"] == resources


def test_who_installs_kueue_himself_gets_the_configuration_as_a_file_outside_argo_cds_reach() -> None:
    built = fleet(spec("", ", kueue: {install: external}"))
    (text,) = kueue.texts(built, built.clusters[0])
    config_map = yaml.safe_load(text.text)
    assert text.path == "provisioner/main/kueue/kueue-manager-config.yaml"
    assert config_map["metadata"] == {"name": "kueue-manager-config", "namespace": "kueue-system"}
    written = yaml.safe_load(config_map["data"]["controller_manager_config.yaml"])
    assert written == kueue.manager_configuration(built.clusters[0])


def test_a_managed_kueue_leaves_no_file() -> None:
    built = fleet(spec(""))
    assert list(kueue.texts(built, built.clusters[0])) == []


EVERY_SERVICE = """
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train], queueing: strict}
  nightly: {kind: batchInference, service: queued, tiers: [serve, lab], fallback: nextTier, frameworks: [mpijob, jobset]}
  notebooks: {kind: experiment, service: shared, tiers: [lab], pool: {lab/1g.5gb: 60}}
  scratch: {kind: experiment, service: reclaimable, tiers: [lab, train], fallback: lastResort}
teams:
  vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 16}}, notebooks: {}, scratch: {}}}
  nlp: {namespaces: [nlp], quotas: {nightly: {serve: {guaranteed: 4, borrow: 4}}, notebooks: {weight: 3}}}
"""


@pytest.mark.parametrize("timeout", [0, 300])
def test_a_real_kueue_starts_with_the_configuration_and_keeps_every_object_unchanged(
    control_plane: ControlPlane, timeout: int
) -> None:
    built = fleet(spec(EVERY_SERVICE, f", kueue: {{podsReadyTimeoutSeconds: {timeout}}}"))
    control_plane.reset()
    try:
        control_plane.start_kueue({**kueue.manager_configuration(built.clusters[0])})
        made = [{**one.object} for one in kueue.emit(built, built.clusters[0]) if not one.key.namespace]
        assert apply_manifests(control_plane.client, made) == []
        assert stored_differences(control_plane.client, made) == []
        control_plane.wait_for(lambda: inactive(control_plane) == [], what="all queues to be active")
    finally:
        control_plane.start_kueue()
        control_plane.reset()


def inactive(plane: ControlPlane) -> list[str]:
    """Return the ClusterQueues that are not active."""
    queues = plane.client.list("kueue.x-k8s.io/v1beta2", "ClusterQueue")
    return [
        queue["metadata"]["name"]
        for queue in queues
        if ("Active", "True")
        not in {(one["type"], one["status"]) for one in queue.get("status", {}).get("conditions", ())}
    ]
