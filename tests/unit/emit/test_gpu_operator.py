"""The GPU Operator: what it is told, and that it makes of it what the pools say."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from gpuplan.catalog import load, operator
from gpuplan.emit import gpu_operator
from gpuplan.emit.gpu_operator.cluster_policy import cluster_policy_spec
from gpuplan.emit.gpu_operator.config_maps import DEFAULT_PLUGIN_CONFIG, config_maps
from gpuplan.model.pools import agent_labels, node_labels, produced_resources
from gpuplan.validate.schemas import violations
from tests.unit.emit.fleets import assert_golden, one, place
from tests.unit.emit.operators import ON, THREE, data, drivers, hub, policy, rendered
from tests.unit.emit.readers import Cards, cut, offered

POOLS = {
    "whole cards": "a: {tier: big}",
    "time slices": "a: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}",
    "time slices under the plain name": "a: {tier: desk, sharing: {timeSlicing: {replicas: 4, renameByDefault: false}}}",
    "MPS": "a: {tier: desk, sharing: {mps: {replicas: 8}}}",
    "one cut": "a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}",
    "one cut under the plain name": "a: {sharing: {mig: {strategy: single, profiles: {1g.5gb: 7}}}}",
    "several cuts": "a: {sharing: {mig: {groups: [{cards: [0, 1], profiles: {1g.5gb: 7}}, {cards: [2], profiles: {}}]}}}",
}


def test_the_golden_files_hold_what_three_pools_become() -> None:
    assert_golden("gpu-operator", place(THREE, f"{ON}, distribution: rke2").objects(gpu_operator.emit))


def test_the_golden_values_are_what_argo_cd_installs_it_with() -> None:
    made = place(THREE, "stack: operator, distribution: rke2")
    (application,) = [one.object for one in hub(made) if one.key.name == "gpu-operator-eu"]
    assert_golden("gpu-operator-application", [application])


def test_a_cluster_without_pools_of_the_operator_gets_nothing_of_it() -> None:
    made = place("a: {tier: big}, b: {stack: external}", "gpuOperator: external")
    assert made.objects(gpu_operator.emit) == ()
    assert not [one for one in hub(made) if "gpu-operator" in one.key.name]


@pytest.mark.parametrize(("install", "raw", "applications"), [("managed", 0, 1), ("external", 1, 0)])
def test_there_is_one_policy_whoever_installs_the_operator(install: str, raw: int, applications: int) -> None:
    made = place(THREE, f"stack: operator, gpuOperator: {install}")
    objects = made.objects(gpu_operator.emit)
    installed = [one for one in hub(made) if one.key.name == "gpu-operator-eu"]
    assert len([obj for obj in objects if obj["kind"] == "ClusterPolicy"]) == raw
    assert len(installed) == applications
    assert len(drivers(made)) == 3, "drivers are ours in either case"


@pytest.mark.parametrize("sharing", POOLS.values(), ids=list(POOLS))
def test_the_plugin_offers_on_a_node_what_the_pool_promises(sharing: str) -> None:
    made = place(sharing, ON)
    pool = made.pool
    labels = agent_labels(pool)
    cards: Cards = [None] * pool.cards_per_node
    if "nvidia.com/mig.config" in labels:
        cards = cut(
            data(made, "gpuplan-mig-layouts")["config.yaml"], labels["nvidia.com/mig.config"], pool.cards_per_node
        )
    configs = data(made, "gpuplan-device-plugin")
    chosen = configs[labels.get("nvidia.com/device-plugin.config", DEFAULT_PLUGIN_CONFIG)]
    promised = {one.resource: one.per_node for one in produced_resources(pool)}
    assert offered(chosen, cards, policy(made)["mig"]["strategy"]) == promised


def test_each_way_of_sharing_has_its_own_configuration_and_other_nodes_the_default() -> None:
    made = place(
        "a: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}, b: {tier: big, sharing: {mps: {replicas: 2}}}, c: {}",
        ON,
    )
    configs = data(made, "gpuplan-device-plugin")
    assert list(configs) == ["default", "mps-2", "time-slicing-4"]
    assert offered(configs["default"], [None] * 8) == {"nvidia.com/gpu": 8}
    assert policy(made)["devicePlugin"]["config"]["default"] == "default"


def test_where_all_pools_share_alike_a_node_needs_no_label() -> None:
    configs = data(place("a: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}", ON), "gpuplan-device-plugin")
    assert configs["default"] == configs["time-slicing-4"]


@pytest.mark.parametrize(
    ("pools", "strategy"),
    [
        ("a: {tier: big}", "none"),
        ("a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}, b: {tier: big}", "mixed"),
        (
            "a: {sharing: {mig: {strategy: single, profiles: {1g.5gb: 7}}}}, b: {tier: desk, sharing: {mps: {replicas: 2}}}",
            "single",
        ),
        ("a: {tier: big}, b: {stack: manual, sharing: {mig: {profiles: {1g.5gb: 7}}}}", "none"),
    ],
)
def test_the_mig_strategy_stands_in_the_policy_alone(pools: str, strategy: str) -> None:
    """It beats what a file says, and left out the chart makes `mig: null`, which a server-side apply refuses."""
    made = place(pools, ON)
    assert policy(made)["mig"] == {"strategy": strategy}
    assert gpu_operator.chart_values(made.fleet, made.cluster)["mig"] == {"strategy": strategy}
    assert not [text for text in data(made, "gpuplan-device-plugin").values() if "migStrategy" in text]


def test_how_labels_are_published_is_left_to_the_operators_own_discovery() -> None:
    configs = data(place(THREE, ON), "gpuplan-device-plugin")
    assert not [name for name, text in configs.items() if "useNodeFeatureAPI" in text]


def test_all_layouts_stand_in_one_file_with_the_way_back() -> None:
    made = place(
        "a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}, b: {tier: big, sharing: {mig: {name: halves, profiles: {3g.40gb: 2}}}}",
        ON,
    )
    layouts = yaml.safe_load(data(made, "gpuplan-mig-layouts")["config.yaml"])["mig-configs"]
    assert list(layouts) == ["all-disabled", "7x1g.5gb", "halves"]
    assert policy(made)["migManager"]["enabled"] is True


def test_without_a_pool_that_is_cut_there_is_no_mig_manager() -> None:
    made = place("a: {tier: big}", ON)
    assert policy(made)["migManager"] | {"repository": "", "image": "", "version": ""} == {
        "enabled": False,
        "repository": "",
        "image": "",
        "version": "",
        "config": {"default": "all-disabled", "name": "default-mig-parted-config"},
    }


def test_a_change_of_content_is_a_new_name_that_the_policy_follows() -> None:
    before, after = (place(f"a: {{tier: desk, sharing: {{timeSlicing: {{replicas: {n}}}}}}}", ON) for n in (4, 8))
    names = [policy(made)["devicePlugin"]["config"]["name"] for made in (before, after)]
    assert names[0] != names[1]
    for made, name in zip((before, after), names, strict=True):
        assert one(made.objects(gpu_operator.emit), "ConfigMap", "gpuplan-device-plugin")["metadata"]["name"] == name


def test_the_agents_tolerate_the_taints_of_all_pools_of_the_operator_and_no_others() -> None:
    made = place(f"{THREE}, ours: {{tier: amd, taints: [{{key: amd.com/gpu, effect: NoSchedule}}]}}", ON)
    tolerated = policy(made)["daemonsets"]["tolerations"]
    taints = {("acme.io/desk", "NoExecute"), ("nvidia.com/gpu", "NoSchedule")}
    assert {(one["key"], one["effect"]) for one in tolerated if "gpuplan" not in one["key"]} == taints
    assert {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"} in tolerated


@pytest.mark.parametrize("line", [*load().operator.lines])
def test_what_each_line_gets_has_the_shape_that_its_kind_asks_for(line: str) -> None:
    for install in ("managed", "external"):
        cluster = f"stack: operator, gpuOperator: {install}, components: {{gpuOperator: {{version: '{line}.0'}}}}"
        assert list(violations(rendered(place(THREE, cluster)))) == []


@pytest.mark.parametrize("line", [*load().operator.lines])
def test_no_line_gets_a_field_that_came_later(line: str) -> None:
    made = place(THREE, f"{ON}, components: {{gpuOperator: {{version: '{line}.0'}}}}")
    version = made.cluster.gpu_operator.version
    trees = {"ClusterPolicy": [policy(made)], "NVIDIADriver": list(drivers(made).values())}
    for field in load().operator.fields.values():
        kind, *path = field.name.split(".")
        held = [tree for tree in trees.get(kind, ()) if path and holds(tree, path)]
        assert not held or version >= field.since, field.name


def holds(tree: Any, path: list[str]) -> bool:
    return not path or (path[0] in tree and holds(tree[path[0]], path[1:]))


@pytest.mark.parametrize(
    ("pools", "told", "host_pid"),
    [
        ("a: {tier: big}", set(), False),
        (
            "a: {tier: desk, sharing: {timeSlicing: {replicas: 4, renameByDefault: false}}}",
            {"KUBERNETES_VIRTUAL_GPUS"},
            True,
        ),
        (
            "a: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}, b: {tier: big}",
            {"KUBERNETES_VIRTUAL_GPUS", "NVIDIA_RESOURCE_NAMES"},
            True,
        ),
    ],
)
def test_the_exporter_is_told_how_cards_are_shared(pools: str, told: set[str], host_pid: bool) -> None:
    exporter = policy(place(pools, ON))["dcgmExporter"]
    assert {one["name"] for one in exporter["env"]} - {"DCGM_EXPORTER_INTERVAL"} == told
    assert ("hostPID" in exporter) is host_pid


def test_a_series_knows_its_nodes_pool_whoever_labelled_the_node() -> None:
    made = place("a: {tier: big}, b: {selectedBy: {labels: {size: x.large, pool: b}}}", ON)
    monitor = one(made.objects(gpu_operator.emit), "ServiceMonitor")
    assert monitor["spec"]["attachMetadata"] == {"node": True}
    assert monitor["metadata"]["name"] != "nvidia-dcgm-exporter", "the operator deletes the monitor of that name"
    (endpoint,) = monitor["spec"]["endpoints"]
    steps = [step for step in endpoint["relabelings"] if step.get("targetLabel") == "pool"]
    assert steps == [
        {
            "sourceLabels": ["__meta_kubernetes_node_label_gpuplan_dev_pool"],
            "targetLabel": "pool",
            "action": "replace",
        },
        {
            "sourceLabels": ["__meta_kubernetes_node_label_pool", "__meta_kubernetes_node_label_size"],
            "separator": ";",
            "regex": r"b;x\.large",
            "targetLabel": "pool",
            "replacement": "b",
            "action": "replace",
        },
    ]
    assert policy(made)["dcgmExporter"]["serviceMonitor"] == {"enabled": False}


def relabelled(node: dict[str, str], steps: list[Any]) -> str:
    """Return the label `pool` of a target after Prometheus' replace steps; absent labels are empty, patterns anchored."""
    labels = {"__meta_kubernetes_node_label_" + re.sub(r"\W", "_", key): value for key, value in node.items()}
    for step in steps:
        joined = step.get("separator", ";").join(labels.get(name, "") for name in step.get("sourceLabels", ()))
        found = re.fullmatch(step.get("regex", "(.*)"), joined)
        if step.get("targetLabel") == "pool" and found:
            labels["pool"] = step.get("replacement", joined)
    return labels.get("pool", "")


def test_each_node_is_of_its_own_pool_in_the_eyes_of_prometheus() -> None:
    pools = """
      a: {tier: big},
      b: {selectedBy: {labels: {node.kubernetes.io/instance-type: g5.12xlarge}}},
      c: {tier: desk, selectedBy: {labels: {node.kubernetes.io/instance-type: g5x12xlarge}}}
    """
    made = place(pools, ON)
    (endpoint,) = one(made.objects(gpu_operator.emit), "ServiceMonitor")["spec"]["endpoints"]
    told = {pool.name: relabelled(node_labels(pool), endpoint["relabelings"]) for pool in made.cluster.pools}
    assert told == {"a": "a", "b": "b", "c": "c"}
    assert not relabelled({"node.kubernetes.io/instance-type": "m5.large"}, endpoint["relabelings"])


def test_images_are_those_of_the_release() -> None:
    made = place(THREE, f"{ON}, release: '2026.05', kubernetes: '1.35'".replace(", kubernetes: '1.35'", ""))
    spec = cluster_policy_spec(made.fleet, made.cluster, config_maps(made.fleet, made.cluster))
    components = made.cluster.components
    operands = {
        "devicePlugin": spec["devicePlugin"],
        "migManager": spec["migManager"],
        "dcgmExporter": spec["dcgmExporter"],
        "containerToolkit": spec["toolkit"],
        "driverManager": spec["driver"]["manager"],
    }
    written = {name: f"{part['repository']}/{part['image']}:{part['version']}" for name, part in operands.items()}
    assert written == {name: components[name].image for name in operands}
    assert operator.line_name(made.cluster.gpu_operator.version) == "26.3"
