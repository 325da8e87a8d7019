"""Which nodes a NodeFeatureRule labels, judged by a model of how NFD matches."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from gpuplan.emit import node_labels
from gpuplan.model.labels import all_labels
from gpuplan.model.pools import node_labels as model_labels
from tests.unit.emit.fleets import assert_golden, place

A100, T4, NIC = (
    {"vendor": "10de", "device": "20b0", "class": "0302"},
    {"vendor": "10de", "device": "1eb8", "class": "0302"},
    {"vendor": "15b3", "device": "101e", "class": "0200"},
)


def rules(pools: str, cluster: str = "", more: str = "") -> dict[str, Any]:
    made = place(pools, cluster, more).objects(node_labels.emit)
    return {rule["name"]: rule for each in made for rule in each["spec"]["rules"]}


def holds(expression: Mapping[str, Any], value: str) -> bool:
    """NFD looks for a regular expression anywhere in the value."""
    if expression["op"] == "InRegexp":
        return any(re.search(pattern, value) for pattern in expression["value"])
    assert expression["op"] == "In"
    return value in expression["value"]


def labelled(rule: Mapping[str, Any], name: str, *devices: Mapping[str, str]) -> bool:
    """Tell whether the rule takes a node: all terms hold, `pci.device` of one and the same device."""
    elements = {"pci.device": devices, "system.name": [{"nodename": name}]}
    return all(
        any(
            all(holds(expression, element[key]) for key, expression in term["matchExpressions"].items())
            for element in elements[term["feature"]]
        )
        for term in rule["matchFeatures"]
    )


def test_a_node_is_taken_by_the_pool_of_its_card() -> None:
    made = rules("lab: {}, desk: {tier: desk}")
    assert labelled(made["lab"], "n1", NIC, A100)
    assert not labelled(made["lab"], "n1", NIC, T4)
    assert labelled(made["desk"], "n1", T4)
    assert not labelled(made["desk"], "n1", NIC)


@pytest.mark.parametrize(
    ("names", "taken", "left"),
    [
        ('["gpu-1", "gpu-2"]', ["gpu-1", "gpu-2"], ["gpu-10", "gpu-3"]),
        ('["gpu-[0-9]"]', ["gpu-1"], ["gpu-10", "my-gpu-1"]),
        ('["gpu-1|gpu-2"]', ["gpu-1", "gpu-2"], ["gpu-10", "my-gpu-2"]),
    ],
)
def test_names_narrow_a_rule_and_are_never_found_in_the_middle_of_another(
    names: str, taken: list[str], left: list[str]
) -> None:
    rule = rules(f"lab: {{selectedBy: {{nfd: {{nodeNames: {names}}}}}}}")["lab"]
    assert [name for name in taken + left if labelled(rule, name, A100)] == taken


def test_a_mig_pool_also_gets_the_label_by_which_it_is_cut_unless_others_cut_it() -> None:
    pools = "lab: {sharing: {mig: {profiles: {1g.5gb: 7}}}}"
    assert rules(pools)["lab"]["labels"]["nvidia.com/mig.config"] == "7x1g.5gb"
    assert "nvidia.com/mig.config" not in rules(pools, "stack: external")["lab"]["labels"]


def test_no_label_is_in_a_domain_that_nfd_refuses() -> None:
    for rule in rules("lab: {sharing: {mig: {profiles: {1g.5gb: 7}}}}, amd: {tier: amd}").values():
        assert not [key for key in rule["labels"] if key.partition("/")[0].endswith("kubernetes.io")]


def test_taints_are_set_only_where_nfd_may_set_them() -> None:
    pools = "lab: {taints: [{key: nvidia.com/gpu, effect: NoSchedule}, {key: team, value: x, effect: NoExecute}]}"
    assert "taints" not in rules(pools)["lab"]
    assert rules(pools, "nfd: {taints: true}")["lab"]["taints"] == [
        {"key": "nvidia.com/gpu", "effect": "NoSchedule"},
        {"key": "team", "effect": "NoExecute", "value": "x"},
    ]


def test_cards_of_other_makers_are_labelled_too() -> None:
    made = rules("amd: {tier: amd}")["amd"]
    assert labelled(made, "n", {"vendor": "1002", "device": "74a1", "class": "1200"})
    assert not labelled(made, "n", A100)


def test_cards_of_one_maker_with_other_agents_are_told_apart() -> None:
    made = rules("gaudi: {tier: gaudi}")["gaudi"]
    assert labelled(made, "n", {"vendor": "1da3", "device": "1060", "class": "1200"})
    assert not labelled(made, "n", {"vendor": "8086", "device": "0bd5", "class": "0380"})


def test_labels_without_a_domain_are_left_to_people_since_nfd_would_give_them_one() -> None:
    here = place("npu: {tier: ascend}")
    (made,) = here.objects(node_labels.emit)
    assert set(made["spec"]["rules"][0]["labels"]) == set(model_labels(here.pool))
    assert all_labels(here.cluster, here.pool)["accelerator"] == "huawei-Ascend310P"


def test_an_amd_node_gets_the_profile_by_which_it_is_partitioned_unless_others_do_that() -> None:
    pool = "amd: {tier: amd, stack: %s, sharing: {partition: {compute: CPX}}}"
    assert rules(pool % "operator")["amd"]["labels"]["dcm.amd.com/gpu-config-profile"] == "cpx-nps1-8"
    assert "dcm.amd.com/gpu-config-profile" not in rules(pool % "external")["amd"]["labels"]


def test_nvidias_operator_is_kept_off_nvidia_nodes_only() -> None:
    made = rules("lab: {stack: operator}, desk: {tier: desk}, amd: {tier: amd, stack: operator}, npu: {tier: ascend}")
    kept_off = {name for name, rule in made.items() if "nvidia.com/gpu.deploy.operands" in rule["labels"]}
    assert kept_off == {"desk"}


@pytest.mark.parametrize("by", ["labels: {pool: lab}", "provisioner: karpenter"])
def test_pools_found_in_other_ways_have_no_rule(by: str) -> None:
    assert place(f"lab: {{selectedBy: {{{by}}}}}").objects(node_labels.emit) == ()


def test_a_rule_reads_like_this() -> None:
    here = place("lab: {selectedBy: {nfd: {nodeNames: [gpu-1]}}, sharing: {mig: {profiles: {1g.5gb: 7}}}}")
    assert_golden("node-feature-rule", here.objects(node_labels.emit))
