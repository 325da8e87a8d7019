"""MIG layouts as mig-parted reads them, and the manager that applies them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.catalog import load
from gpuplan.catalog.geometry import feasible
from gpuplan.emit import agents, dcgm, device_plugin, mig
from gpuplan.manifests.write import yaml_text
from gpuplan.model.pools import agent_labels, produced_resources
from gpuplan.model.sharing import Sharing, mig_config_name
from tests.unit.emit.fleets import Place, assert_golden_text, environment, one, place, pod
from tests.unit.emit.readers import Cards, Refused, cut, offered

C35 = """
a: {tier: big, sharing: {mig: {strategy: mixed, groups: [
  {cards: [0], profiles: {2g.20gb: 3, 1g.10gb: 1}},
  {cards: [1], profiles: {4g.40gb: 1, 3g.40gb: 1}}]}}}
"""
"""First card small slices, second card large ones, the rest whole (NVIDIA/gpu-operator#1602)."""

C52 = """
a: {tier: big, sharing: {mig: {groups: [
  {cards: [0], profiles: {1g.10gb: 7}},
  {cards: [1], profiles: {1g.20gb: 4}},
  {cards: [2, 3, 4], profiles: {7g.80gb: 1}},
  {cards: [5, 6, 7], profiles: {7g.80gb: 1}}]}}}
"""
"""Small slices, double memory, and six cards as one slice each (NVIDIA/nv-ingest)."""

MIXES = feasible(load().mig["A40c"], ["1g.5gb", "1g.5gb+me", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"])


def applied(here: Place) -> Cards:
    """Return the cards of the pool's nodes after the MIG manager has done its work."""
    config = one(here.objects(mig.emit), "ConfigMap", "nvidia-mig-manager")["data"]["config.yaml"]
    return cut(config, agent_labels(here.pool)["nvidia.com/mig.config"], here.pool.cards_per_node)


def layout(sharing: Sharing, cards: int) -> Cards:
    by_index = {index: dict(group.profiles) or None for group in sharing.groups for index in group.indexes}
    return [by_index[index] for index in range(cards)]


def test_two_cut_cards_and_six_whole_ones_give_three_entries_and_five_resources() -> None:
    here = place(C35)
    assert_golden_text("mig-parted-c35", yaml_text(mig.mig_parted_config(here.pool.sharing)))
    assert applied(here) == [{"2g.20gb": 3, "1g.10gb": 1}, {"4g.40gb": 1, "3g.40gb": 1}, *[None] * 6]
    assert {made.resource: made.per_node for made in produced_resources(here.pool)} == {
        "nvidia.com/gpu": 6,
        "nvidia.com/mig-1g.10gb": 1,
        "nvidia.com/mig-2g.20gb": 3,
        "nvidia.com/mig-3g.40gb": 1,
        "nvidia.com/mig-4g.40gb": 1,
    }


def test_equal_cuts_become_one_entry() -> None:
    here = place(C52)
    entries = mig.mig_parted_config(here.pool.sharing)["mig-configs"][mig_config_name(here.pool.sharing)]  # type: ignore[index]
    assert [entry["devices"] for entry in entries] == [[0], [1], [2, 3, 4, 5, 6, 7]]
    assert applied(here) == [{"1g.10gb": 7}, {"1g.20gb": 4}, *[{"7g.80gb": 1}] * 6]


def test_one_cut_for_every_card_names_no_card() -> None:
    here = place("a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}")
    assert mig.mig_parted_config(here.pool.sharing) == {
        "version": "v1",
        "mig-configs": {
            "all-disabled": [{"devices": "all", "mig-enabled": False}],
            "7x1g.5gb": [{"devices": "all", "mig-enabled": True, "mig-devices": {"1g.5gb": 7}}],
        },
    }


def test_a_layout_with_mig_off_is_always_there() -> None:
    config = yaml_text(mig.mig_parted_config(place(C35).pool.sharing))
    assert cut(config, "all-disabled", 8) == [None] * 8


@st.composite
def layouts(draw: st.DrawFn) -> str:
    """A MIG pool with its cards shuffled into groups, some of them whole."""
    cards = draw(st.integers(1, 8))
    left = draw(st.permutations(range(cards)))
    groups = []
    while left:
        size = draw(st.integers(1, len(left)))
        mix = draw(st.sampled_from([{}, *MIXES]))
        groups.append({"cards": sorted(left[:size]), "profiles": dict(mix)})
        left = left[size:]
    return f"a: {{cardsPerNode: {cards}, sharing: {{mig: {{groups: {groups}}}}}}}"


@settings(max_examples=150, deadline=None)
@given(layouts())
def test_any_layout_reaches_every_card_and_offers_what_the_model_says(pools: str) -> None:
    here = place(pools)
    cards = applied(here)
    assert cards == layout(here.pool.sharing, here.pool.cards_per_node)
    plugin = one(here.objects(device_plugin.emit), "ConfigMap")["data"]["config.yaml"]
    assert offered(plugin, cards) == {made.resource: made.per_node for made in produced_resources(here.pool)}


def test_the_model_of_mig_parted_leaves_cards_alone_that_no_entry_names() -> None:
    text = "version: v1\nmig-configs: {a: [{devices: [0, 9], mig-enabled: false}]}"
    assert cut(text, "a", 2) == [None, {"as found": 1}]
    with pytest.raises(Refused, match="unexpected field"):
        cut("version: v1\nmig-configs: {a: [{devices: all, mig-enabled: false, mig-device: {}}]}", "a", 1)


def test_the_manager_waits_for_the_pods_that_the_agents_have() -> None:
    """What mig-parted's source names, and our agents must match: the pod label, the node label, the namespace."""
    waits_for: dict[str | None, str] = {
        "nvidia-device-plugin-daemonset": "nvidia.com/gpu.deploy.device-plugin",
        "gpu-feature-discovery": "nvidia.com/gpu.deploy.gpu-feature-discovery",
        "nvidia-dcgm-exporter": "nvidia.com/gpu.deploy.dcgm-exporter",
    }
    objects = place("a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}").objects(device_plugin.emit, dcgm.emit, mig.emit)
    paused: dict[str | None, str] = {}
    for made in objects:
        if made["kind"] == "DaemonSet" and "affinity" in pod(made):
            required = pod(made)["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
            (term,) = required["nodeSelectorTerms"]
            (expression,) = term["matchExpressions"]
            assert expression["operator"] == "NotIn"
            assert "paused-for-mig-change" in expression["values"]
            paused[made["spec"]["template"]["metadata"]["labels"].get("app")] = expression["key"]
    assert paused == {**waits_for, None: "nvidia.com/gpu.deploy.mig-manager"}, (
        "a person can hold the manager off a node"
    )
    manager = pod(one(objects, "DaemonSet", "nvidia-mig-manager"))["containers"][0]
    assert environment(manager)["DEFAULT_GPU_CLIENTS_NAMESPACE"] == "gpu-system"
    role = one(objects, "Role", "nvidia-mig-manager")
    assert {"list", "delete"} <= set(role["rules"][0]["verbs"])


def test_talos_has_no_services_to_stop() -> None:
    settings_of = {
        distribution: environment(
            pod(
                one(
                    place("a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}", f"distribution: {distribution}").objects(
                        mig.emit
                    ),
                    "DaemonSet",
                )
            )["containers"][0]
        )["WITH_SHUTDOWN_HOST_GPU_CLIENTS"]
        for distribution in ("kubeadm", "talos")
    }
    assert settings_of == {"kubeadm": "true", "talos": "false"}


@pytest.mark.parametrize(
    ("pools", "cluster"),
    [
        ("a: {}", ""),
        ("a: {tier: desk, sharing: {timeSlicing: {replicas: 2}}}", ""),
        ("a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}", "stack: external"),
    ],
)
def test_nothing_is_made_without_a_mig_pool_of_ours(pools: str, cluster: str) -> None:
    assert place(pools, cluster).objects(mig.emit) == ()


def test_a_new_layout_rolls_the_managers_of_its_pool_only() -> None:
    def names(first: str) -> dict[str, str]:
        pools = (
            f"a: {{sharing: {{mig: {{profiles: {{{first}}}}}}}}}, b: {{sharing: {{mig: {{profiles: {{1g.5gb: 7}}}}}}}}"
        )
        found = place(pools).objects(mig.emit)
        return {
            made["metadata"]["name"]: pod(made)["volumes"][0]["configMap"]["name"]
            for made in found
            if made["kind"] == "DaemonSet"
        }

    before, after = names("1g.5gb: 7"), names("3g.20gb: 2")
    assert before["nvidia-mig-manager-a"] != after["nvidia-mig-manager-a"]
    assert before["nvidia-mig-manager-b"] == after["nvidia-mig-manager-b"]
    assert agents.MIG_MANAGER.name in before["nvidia-mig-manager-a"]
