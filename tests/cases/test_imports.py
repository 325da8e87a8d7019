"""What an import makes of the cases: pools, teams and queues as the right answers say, and the same queues after a render."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan import catalog
from gpuplan.diagnostics import has_errors
from gpuplan.emit.counters import csv
from gpuplan.importer import Imported, imported
from gpuplan.importer.account import Fate
from gpuplan.importer.reading import from_files
from gpuplan.inventory.assuming import assumed
from gpuplan.inventory.metrics.counters import read
from gpuplan.inventory.metrics.exported import lists
from tests.build import TODAY
from tests.build import fleet as resolved_fleet
from tests.cases.table import BY_NAME, CASES

QUEUES = ("ClusterQueue", "LocalQueue", "ResourceFlavor", "Cohort", "WorkloadPriorityClass", "PriorityClass")


def taken(name: str, assume: str = "") -> Imported:
    """Import the input of a case."""
    case = BY_NAME[name]
    words = [word for word in (assume or case.assume).split(",") if word]
    source = from_files([case.path], assumed(words, catalog.load().cards), "prod")
    return imported(source.inventories, "acme", TODAY)


def spec(made: Imported) -> dict[str, Any]:
    return made.draft.plain()


def rendered(made: Imported, kind: str, name: str) -> dict[str, Any]:
    """Return a rendered object."""
    assert made.tried.manifests is not None, [f"{one.at} {one.summary}" for one in made.findings]
    found = [one.object for one in made.tried.manifests if (one.key.kind, one.key.name) == (kind, name)]
    assert len(found) == 1, f"{kind} {name}: {len(found)} of them"
    return dict(found[0])


def quotas(queue: dict[str, Any]) -> dict[tuple[str, str], str]:
    """Return nominal quotas by flavor and resource."""
    return {
        (flavor["name"], quota["name"]): quota["nominalQuota"]
        for group in queue["spec"]["resourceGroups"]
        for flavor in group["flavors"]
        for quota in flavor["resources"]
    }


REFUSED = ("C16", "C28", "C56")
"""Inputs with queues that the API server refuses: no spec can say them."""


@pytest.mark.parametrize("name", [case.name for case in CASES if case.is_manifests and case.name not in REFUSED])
def test_each_queue_means_the_same_after_a_render(name: str) -> None:
    made = taken(name)
    lines = [line for line in made.account if line.object.split(" ")[0] in QUEUES and line.at]
    assert {line.object: line.fate for line in lines} == {line.object: Fate.KEPT for line in lines}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_api_refuses_is_an_error_of_the_imported_spec_too(name: str) -> None:
    assert has_errors(taken(name).findings)


@pytest.mark.parametrize("case", [case for case in CASES if case.is_manifests], ids=lambda case: case.name)
def test_every_object_of_a_case_is_in_the_account(case: Any) -> None:
    made = taken(case.name)
    source = from_files([case.path], assumed([], catalog.load().cards), "prod")
    objects = {str(one) for inventory in source.inventories.values() for one in inventory.objects}
    assert objects <= {line.object for line in made.account}


def test_c01_three_tiers_by_the_values_of_tolerations_and_no_node_counted() -> None:
    made = taken("C01")
    draft = spec(made)
    assert {name: tier["cards"] for name, tier in draft["cardTiers"].items()} == {
        "tier-v100": ["v100-pcie-32gb"],
        "tier-a100": ["a100-sxm-40gb"],
        "tier-h100": ["h100-sxm-80gb"],
    }
    products = ("Tesla-V100-PCIE-32GB", "NVIDIA-A100-SXM4-40GB", "NVIDIA-H100-80GB-HBM3")
    for pool, product in zip(draft["nodePools"].values(), products, strict=True):
        assert pool["taints"] == [{"key": "nvidia.com/gpu.product", "value": product, "effect": "NoSchedule"}]
        assert "nodes" not in pool
    cards = [
        quotas(rendered(made, "ClusterQueue", f"q-{card}"))[f"tier-{card}", "nvidia.com/gpu"]
        for card in ("v100", "a100", "h100")
    ]
    assert cards == ["5", "1", "0"]


def test_c08_time_slicing_under_the_plain_name_with_runtime_class_and_feature_discovery() -> None:
    made = taken("C08", "card=a10")
    pool = spec(made)["nodePools"]["default"]
    assert pool["sharing"] == {"timeSlicing": {"replicas": 4, "renameByDefault": False}}
    assert made.tried.manifests is not None
    kinds = {(one.key.kind, one.key.name) for one in made.tried.manifests}
    assert ("RuntimeClass", "nvidia") in kinds
    assert any(kind == "DaemonSet" and "feature-discovery" in name for kind, name in kinds)
    texts = [str(one.object.get("data")) for one in made.tried.manifests if one.key.kind == "ConfigMap"]
    assert any("replicas: 4" in text and "renameByDefault: false" in text for text in texts)


def test_c17_the_selector_of_the_pool_is_the_flavors_own_label_alone() -> None:
    made = taken("C17")
    assert spec(made)["nodePools"]["a40"]["selectedBy"] == {"labels": {"accelerator": "a40"}}
    assert rendered(made, "ResourceFlavor", "a40")["spec"]["nodeLabels"] == {"accelerator": "a40"}
    assert [line.fate for line in made.account if line.object == "ResourceFlavor a40"] == [Fate.KEPT]


def test_c19_slices_and_shares_and_the_zero_quotas_of_other_vendors() -> None:
    made = taken("C19")
    pools = spec(made)["nodePools"]
    assert pools["a800"]["sharing"] == {"mig": {"strategy": "single", "profiles": {"2g.20gb": 3}}}
    assert pools["l40-shared"]["sharing"] == {"timeSlicing": {"replicas": 4, "renameByDefault": False}}
    amounts = quotas(rendered(made, "ClusterQueue", "everyone"))
    assert amounts["a800", "nvidia.com/gpu"] == "12"
    assert amounts["a800-shared", "nvidia.com/gpu"] == "72"
    assert amounts["l40-shared", "nvidia.com/gpu"] == "32"
    others = [amounts[flavor, name] for flavor, name in amounts if name.startswith(("huawei", "amd"))]
    assert others == ["0"] * 6
    assert "plain" not in pools, "a counter of the domain's own is no card"


def test_c19_quotas_are_told_in_cards() -> None:
    made = taken("C19")
    assert "12: 4 cards x 3." in made.text
    assert "32: 8 cards x 4." in made.text
    (shared,) = [line for line in made.account if line.object == "nodes of flavor a800-shared"]
    assert shared.why.endswith("72: 4 cards x 3 x 6.")


def test_c80_the_imported_list_of_counters_is_the_rendered_one() -> None:
    made = taken("C80")
    case = from_files([BY_NAME["C80"].path], assumed([], catalog.load().cards), "prod").inventories["prod"]
    (there,) = lists(case)
    names = {one.name for one in there.counters.records}
    counters = spec(made)["monitoring"]["exporter"]["counters"]
    assert set(counters) == names
    fleet = resolved_fleet(f"""
apiVersion: gpuplan.dev/v1alpha1
metadata: {{name: acme}}
clusters: {{eu: {{kubernetes: "1.36"}}}}
cardTiers: {{train: {{cards: [h100-sxm-80gb]}}}}
nodePools: {{a: {{cluster: eu, tier: train, nodes: 4, cardsPerNode: 8, selectedBy: {{labels: {{pool: a}}}}}}}}
monitoring: {{exporter: {{counters: [{", ".join(counters)}]}}}}
""")
    assert {one.name for one in read(csv(fleet, fleet.clusters[0])).records} == names


def test_c25_who_only_lends_keeps_no_selector_and_unlimited_borrowing_stays_unlimited() -> None:
    made = taken("C25")
    lender = rendered(made, "ClusterQueue", "lender")
    assert "namespaceSelector" not in lender["spec"]
    team = rendered(made, "ClusterQueue", "team-a")
    assert team["spec"]["cohortName"] == "org"
    flavors = {flavor["name"]: flavor["resources"] for flavor in team["spec"]["resourceGroups"][0]["flavors"]}
    assert flavors["steady"][0] == {"name": "cpu", "nominalQuota": "10", "borrowingLimit": "5"}
    assert flavors["spot"][0] == {"name": "cpu", "nominalQuota": "0"}


def test_c29_cards_that_are_not_there_are_not_counted() -> None:
    made = taken("C29")
    (pool,) = made.pools["prod"]
    assert (pool.nodes, pool.cards_per_node, pool.offered, pool.hollow) == (1, 8, {"nvidia.com/gpu": 8}, ("hollow",))
    assert spec(made)["nodePools"]["h100-sxm-80gb"]["nodes"] == 1
    assert "hollow" in made.text, "the node is named"


def test_c32_one_tier_and_companions_that_are_no_cards() -> None:
    made = taken("C32")
    assert list(spec(made)["cardTiers"]) == ["any"]
    (pool,) = made.pools["prod"]
    assert pool.resources == ("nvidia.com/gpu",)
    queue = rendered(made, "ClusterQueue", "vision")
    assert quotas(queue)["any", "cpu"] == "8"
    assert quotas(queue)["any", "nvidia.com/roce_gdr"] == "4"
    assert queue["spec"]["preemption"] == {
        "reclaimWithinCohort": "Any",
        "withinClusterQueue": "LowerOrNewerEqualPriority",
        "borrowWithinCohort": {"policy": "Never"},
    }


def test_c44_both_groups_stay_with_their_zero_quotas() -> None:
    queue = rendered(taken("C44"), "ClusterQueue", "vms")
    groups = [group["coveredResources"] for group in queue["spec"]["resourceGroups"]]
    assert groups[1] == ["ephemeral-storage", "devices.kubevirt.io/kvm"]
    assert quotas(queue)["cards", "nvidia.com/mig-7g.189gb"] == "0"
    assert quotas(queue)["vm", "devices.kubevirt.io/kvm"] in ("1k", "1000")


def test_c47_six_classes_keep_their_values_and_their_order() -> None:
    made = taken("C47")
    values = {
        name: rendered(made, "PriorityClass", name)["value"]
        for name in spec(made)["adopted"]["prod"]["priorityClasses"]
    }
    assert sorted(values, key=values.__getitem__, reverse=True) == [
        "cards-8",
        "cards-4",
        "cards-2",
        "cards-1",
        "ci",
        "bench",
    ]
    assert values["bench"] == 1


def test_c52_three_groups_of_cards_and_the_strategy() -> None:
    made = taken("C52")
    mig = spec(made)["nodePools"]["by-service"]["sharing"]["mig"]
    assert mig["strategy"] == "mixed"
    assert mig["groups"] == [
        {"cards": [0], "profiles": {"1g.10gb": 7}},
        {"cards": [1], "profiles": {"1g.20gb": 4}},
        {"cards": [2, 3, 4, 5, 6, 7], "profiles": {"7g.80gb": 1}},
    ]


def test_c58_cut_cards_count_as_slices_and_no_longer_whole() -> None:
    made = taken("C58")
    pool = spec(made)["nodePools"]["a100-pcie-40gb"]
    assert (pool["nodes"], pool["cardsPerNode"]) == (1, 2)
    assert pool["sharing"] == {"mig": {"strategy": "mixed", "profiles": {"3g.20gb": 2}}}
    assert made.tried.fleet is not None
    (flavor,) = made.tried.fleet.clusters[0].flavors
    assert dict(flavor.capacity) == {"nvidia.com/mig-3g.20gb": 4}


def test_c65_three_task_pools_in_the_order_of_their_priorities() -> None:
    made = taken("C65")
    kinds = {name: pool["kind"] for name, pool in spec(made)["taskPools"].items()}
    assert list(kinds) == ["ordinary", "training", "serving"]
    assert kinds["training"] == "training"
    assert kinds["serving"] == "onlineInference"
    assert rendered(made, "PriorityClass", "ordinary")["preemptionPolicy"] == "Never"


def test_c71_a_foreign_queue_is_named_and_lost_with_a_reason() -> None:
    (line,) = [line for line in taken("C71").account if line.object == "Queue research"]
    assert line.fate is Fate.LOST
    assert line.at.endswith(":3:1")


def test_c77_every_number_stays() -> None:
    queue = rendered(taken("C77"), "ClusterQueue", "platform")
    assert queue["spec"]["cohortName"] == "platform"
    (flavor,) = queue["spec"]["resourceGroups"][0]["flavors"]
    assert flavor["resources"] == [
        {"name": "cpu", "nominalQuota": "1680", "borrowingLimit": "420", "lendingLimit": "420"},
        {"name": "memory", "nominalQuota": "6562Gi", "borrowingLimit": "1640Gi", "lendingLimit": "1640Gi"},
        {
            "name": "ephemeral-storage",
            "nominalQuota": "52636Gi",
            "borrowingLimit": "13159Gi",
            "lendingLimit": "13159Gi",
        },
        {"name": "nvidia.com/gpu", "nominalQuota": "18", "borrowingLimit": "0", "lendingLimit": "0"},
    ]
    assert spec(taken("C77"))["teams"] == {"sessions": {"namespaces": ["sessions"]}}


def test_c64_old_words_in_their_new_spelling() -> None:
    queue = rendered(taken("C64"), "ClusterQueue", "big")
    assert queue["apiVersion"] == "kueue.x-k8s.io/v1beta2"
    assert queue["spec"]["cohortName"] == "lonely"
    assert queue["spec"]["flavorFungibility"] == {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"}


def test_c82_two_pools_with_their_nodes() -> None:
    pools = taken("C82", "nodes.cpu=10,nodes.gpu=4").pools["prod"]
    assert {pool.name: (pool.nodes, pool.has_cards) for pool in pools} == {"cpu": (10, False), "gpu": (4, True)}
