"""What AMD's operator and its agents make of our objects, judged by models of how they read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.catalog import load
from gpuplan.emit import amd, emitters, tenancy
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.pools import agent_labels, produced_resources
from gpuplan.validate.schemas import violations
from tests.unit.emit.fleets import Place, assert_golden, one, place
from tests.unit.emit.readers import Refused

OPERATOR = "stack: operator"
CPX, NAMED = "{partition: {compute: CPX}}", "{partition: {compute: CPX, memory: NPS4, resourceNaming: mixed}}"
TAINT = "taints: [{key: amd.com/gpu, effect: NoSchedule}]"


def pool(sharing: str = "exclusive", more: str = "") -> str:
    return f"a: {{tier: amd, sharing: {sharing}{', ' + more if more else ''}}}"


def device_config(here: Place, name: str = "a") -> Any:
    return one(here.objects(amd.emit), "DeviceConfig", name)["spec"]


def partitioned(text: str, profile: str, cards: int) -> list[str]:
    """Return the partition of each card of a node after AMD's device config manager has applied a profile.

    A model of its checks (ROCm/gpu-operator docs, profile checks); keys that it does not know it ignores.
    """
    profiles = json.loads(text)["gpu-config-profiles"]
    if profile not in profiles:
        raise Refused(f"no such profile: {profile}")
    parts = profiles[profile]["profiles"]
    skipped = profiles[profile].get("skippedGPUs", {}).get("ids", [])
    if any(part["computePartition"] not in ("SPX", "CPX") for part in parts):
        raise Refused("unknown compute partition")
    if any(part["memoryPartition"] not in ("NPS1", "NPS4") for part in parts):
        raise Refused("unknown memory partition")
    if any(part["memoryPartition"] == "NPS4" and part["computePartition"] != "CPX" for part in parts):
        raise Refused("NPS4 is for CPX only")
    if len({part["memoryPartition"] for part in parts}) > 1:
        raise Refused("memory partitions cannot be mixed on a node")
    if not all(0 <= index < cards for index in skipped):
        raise Refused("no such card")
    if sum(part["numGPUsAssigned"] for part in parts) + len(skipped) != cards:
        raise Refused("the cards of the profile are not those of the node")
    return [f"{p['computePartition']}_{p['memoryPartition']}" for p in parts for _ in range(p["numGPUsAssigned"])]


def offered(config: Mapping[str, Any], cards: list[str]) -> dict[str, int]:
    """Return what AMD's device plugin registers on a node whose cards are so partitioned."""
    strategy = config["devicePlugin"]["devicePluginArguments"]["resource_naming_strategy"]
    made: dict[str, int] = {}
    for card in cards:
        name = f"amd.com/{card.lower()}" if strategy == "mixed" else "amd.com/gpu"
        made[name] = made.get(name, 0) + (8 if card.startswith("CPX") else 1)
    if strategy == "single" and len(set(cards)) > 1:
        raise Refused("cards of a node differ")
    return made


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from(["SPX, memory: NPS1", "CPX, memory: NPS1", "CPX, memory: NPS4"]),
    st.sampled_from(["single", "mixed"]),
    st.integers(1, 16),
)
def test_a_node_offers_what_its_pool_promises(mode: str, naming: str, cards: int) -> None:
    sharing = f"{{partition: {{compute: {mode}, resourceNaming: {naming}}}}}"
    here = place(pool(sharing, f"cardsPerNode: {cards}"), OPERATOR)
    text = one(here.objects(amd.emit), "ConfigMap")["data"]["config.json"]
    cut = partitioned(text, agent_labels(here.pool)["dcm.amd.com/gpu-config-profile"], cards)
    promised = {made.resource: made.per_node for made in produced_resources(here.pool)}
    assert offered(device_config(here), cut) == promised


def test_pools_of_other_sizes_have_profiles_of_their_own() -> None:
    pools = "a: {tier: amd, sharing: %s}, b: {tier: amd, cardsPerNode: 4, selectedBy: {labels: {x: y}}, sharing: %s}"
    here = place(pools % (CPX, CPX), OPERATOR)
    text = one(here.objects(amd.emit), "ConfigMap")["data"]["config.json"]
    for each in here.cluster.pools:
        profile = agent_labels(each)["dcm.amd.com/gpu-config-profile"]
        assert len(partitioned(text, profile, each.cards_per_node)) == each.cards_per_node


@pytest.mark.parametrize(
    ("profile", "says"),
    [
        ({"computePartition": "SPX", "memoryPartition": "NPS4", "numGPUsAssigned": 8}, "CPX only"),
        ({"computePartition": "CPX", "memoryPartition": "NPS1", "numGPUsAssigned": 7}, "not those of the node"),
        ({"computePartition": "DPX", "memoryPartition": "NPS1", "numGPUsAssigned": 8}, "unknown compute"),
    ],
)
def test_the_model_refuses_what_the_manager_refuses(profile: dict[str, Any], says: str) -> None:
    text = json.dumps({"gpu-config-profiles": {"x": {"profiles": [profile]}}})
    with pytest.raises(Refused, match=says):
        partitioned(text, "x", 8)


def test_whole_cards_need_no_manager_and_no_profile() -> None:
    here = place(pool(), OPERATOR)
    assert {made["kind"] for made in here.objects(amd.emit)} == {"DeviceConfig"}
    assert device_config(here)["configManager"] == {"enable": False}
    assert agent_labels(here.pool) == {}


@pytest.mark.parametrize("cluster", ["stack: manual", "stack: external"])
def test_only_pools_on_the_operator_have_a_device_config(cluster: str) -> None:
    assert place(pool(CPX), cluster).objects(amd.emit) == ()
    assert place(pool(CPX, "stack: operator"), cluster).objects(amd.emit) != ()


def test_each_pool_selects_its_own_nodes() -> None:
    here = place("a: {tier: amd}, b: {tier: amd, selectedBy: {labels: {pool: b}}}", OPERATOR)
    assert [device_config(here, each.name)["selector"] for each in here.cluster.pools] == [
        {"gpuplan.dev/pool": "a"},
        {"pool": "b"},
    ]


def test_a_node_whose_cards_are_cut_anew_keeps_its_driver() -> None:
    """Its label of the sharing changes first: an operator that chose nodes by it would take the driver off all of them."""
    whole, cut = (device_config(place(pool(sharing), OPERATOR))["selector"] for sharing in ("exclusive", CPX))
    assert whole == cut


def test_every_agent_tolerates_the_taints_of_its_pool_and_none_the_one_for_partitioning() -> None:
    config = device_config(place(pool(CPX, TAINT), OPERATOR))
    unhealthy = {"key": "readiness.k8s.io/gpuplan-unhealthy", "operator": "Exists", "effect": "NoSchedule"}
    wanted = [{"key": "amd.com/gpu", "operator": "Exists", "effect": "NoSchedule"}, unhealthy]
    assert [
        config["driver"]["tolerations"],
        config["devicePlugin"]["devicePluginTolerations"],
        config["devicePlugin"]["nodeLabellerTolerations"],
        config["metricsExporter"]["tolerations"],
        config["configManager"]["configManagerTolerations"],
    ] == [wanted] * 5
    assert device_config(place(pool(CPX), OPERATOR))["driver"]["tolerations"] == [unhealthy]


def test_a_driver_is_installed_node_by_node_unless_the_nodes_come_with_it() -> None:
    made = device_config(place(pool(), OPERATOR))["driver"]
    assert (made["enable"], made["version"]) == (True, load().vendors.by_name["amd"].driver)
    assert made["upgradePolicy"]["maxParallelUpgrades"] == 1
    assert device_config(place(pool(more="driver: {preinstalled: true}"), OPERATOR))["driver"] == {"enable": False}


def test_a_node_of_a_stateful_pool_gets_its_grace() -> None:
    more = """
taskPools: {chat: {kind: onlineInference, service: guaranteed, tiers: [amd], stateful: {drainSeconds: 900}}}
teams: {vision: {namespaces: [vision], quotas: {chat: {amd: {guaranteed: 2}}}}}
"""
    policy = device_config(place(pool(), OPERATOR, more))["driver"]["upgradePolicy"]
    assert policy["nodeDrainPolicy"] == {"force": False, "timeoutSeconds": 900}


def test_the_operator_of_openshift_lives_elsewhere() -> None:
    here = place(pool(CPX), "stack: operator, distribution: openshift, os: rhcos4")
    assert {made["metadata"]["namespace"] for made in here.objects(amd.emit)} == {"openshift-amd-gpu"}


@pytest.mark.parametrize(("cluster", "there"), [(OPERATOR, True), ("stack: external", False)])
def test_the_namespace_of_its_agents_lets_them_reach_the_node(cluster: str, *, there: bool) -> None:
    made = {one["metadata"]["name"]: one for one in place(pool(), cluster).objects(tenancy.emit)}
    assert ("kube-amd-gpu" in made) is there
    if there:
        labels = made["kube-amd-gpu"]["metadata"]["labels"]
        assert labels["pod-security.kubernetes.io/enforce"] == "privileged"


@pytest.mark.parametrize("sharing", ["exclusive", CPX, NAMED])
@pytest.mark.parametrize("more", ["", TAINT, "driver: {preinstalled: true}"])
def test_every_object_fits_its_schema(sharing: str, more: str) -> None:
    here = place(pool(sharing, more), OPERATOR)
    made = amd.emit(here.fleet, here.cluster)
    assert list(violations(ManifestSet.of(tuple(made), ()))) == []


def test_the_schema_refuses_what_the_operator_does_not_know() -> None:
    here = place(pool(), OPERATOR)
    (made,) = amd.emit(here.fleet, here.cluster)
    wrong: Any = {**made.object, "spec": {**device_config(here), "devicePlugins": {}}}
    changed = type(made)(object=wrong, cluster=made.cluster, area=made.area, origin=made.origin, also=made.also)
    assert "devicePlugins" in next(violations(ManifestSet.of((changed,), ()))).summary


def test_the_device_configs_of_a_cluster_are_emitted() -> None:
    here = place(pool(CPX), OPERATOR)
    made = emitters.emit(here.fleet, lambda *_: None)
    assert [one.key.name for one in made if one.key.kind == "DeviceConfig"] == ["a"]


def test_a_partitioned_pool_reads_like_this() -> None:
    assert_golden("amd-partitions", place(pool(NAMED, TAINT), OPERATOR).objects(amd.emit))
