"""What the device plugin makes of its config, and how much its pods may do."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplan.emit import dcgm, device_plugin
from gpuplan.model.pools import produced_resources, tolerations
from gpuplan.model.sharing import SharingMode
from tests.unit.emit.fleets import Place, assert_golden, environment, one, place, pod
from tests.unit.emit.readers import Refused, offered

TAINTED = """a: {tier: big, selectedBy: {labels: {pool: h100}},
  taints: [{key: nvidia.com/gpu, effect: NoSchedule}, {key: team, value: x, effect: NoExecute}]}"""
EXCLUSIVE, MIG = "a: {tier: big}", "a: {sharing: {mig: {profiles: {3g.20gb: 2}, strategy: single}}}"
SLICED, MPS = "a: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}", "a: {tier: desk, sharing: {mps: {replicas: 4}}}"
BY_MOUNTS = "nvidiaRuntime: {deviceListStrategy: volume-mounts}"


def objects(pools: str, cluster: str = "") -> tuple[Any, ...]:
    return place(pools, cluster).objects(device_plugin.emit)


def container(pools: str, agent: str) -> Any:
    return pod(one(objects(pools), "DaemonSet", agent))["containers"][0]


def config(here: Place) -> str:
    return str(one(here.objects(device_plugin.emit), "ConfigMap")["data"]["config.yaml"])


def cards_of(here: Place) -> list[dict[str, int] | None]:
    groups = here.pool.sharing.groups
    cut = {index: dict(group.profiles) or None for group in groups for index in group.indexes}
    return [cut.get(index) for index in range(here.pool.cards_per_node)]


SHARINGS = st.one_of(
    st.just("exclusive"),
    st.builds(
        "{{{}: {{replicas: {}, renameByDefault: {}}}}}".format,
        st.sampled_from(["timeSlicing", "mps"]),
        st.integers(2, 48),
        st.sampled_from(["true", "false"]),
    ),
    st.builds(
        "{{mig: {{strategy: {}, profiles: {{{}}}}}}}".format,
        st.sampled_from(["single", "mixed"]),
        st.sampled_from(["1g.5gb: 7", "2g.10gb: 3", "3g.20gb: 1", "7g.40gb: 1"]),
    ),
)


@settings(max_examples=100, deadline=None)
@given(SHARINGS, st.integers(1, 16))
def test_the_plugin_offers_exactly_what_the_model_promises(sharing: str, cards: int) -> None:
    here = place(f"a: {{cardsPerNode: {cards}, sharing: {sharing}}}")
    promised = {made.resource: made.per_node for made in produced_resources(here.pool)}
    assert offered(config(here), cards_of(here)) == promised


def test_the_model_of_the_plugin_drops_what_it_does_not_know_and_refuses_what_it_refuses() -> None:
    lost = "flags: {renameByDefault: true}\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}"
    assert offered(lost, [None]) == {"nvidia.com/gpu": 4}
    for text, reason in {
        "version: v2": "unknown version",
        "sharing: {mps: {}}": "no resources",
        "sharing: {timeSlicing: {resources: [{name: gpu, replicas: 1}]}}": ">= 2",
        "flags: {migStrategy: mixed}\nsharing: {mps: {resources: [{name: gpu, replicas: 2}]}}": "not supported with MPS",
    }.items():
        with pytest.raises(Refused, match=reason):
            offered(text, [None])


@pytest.mark.parametrize("pools", [EXCLUSIVE, SLICED, MPS, MIG])
def test_every_key_of_the_config_is_one_that_the_plugin_reads(pools: str) -> None:
    """It drops a key that it does not know without a word, so what we write must be on the list of its source."""
    known = {
        "": {"version", "flags", "sharing"},
        "flags": {"migStrategy", "failOnInitError", "mpsRoot", "useNodeFeatureAPI", "gfd", "plugin"},
        "flags.plugin": {
            "passDeviceSpecs",
            "deviceListStrategy",
            "deviceIDStrategy",
            "cdiAnnotationPrefix",
            "nvidiaCTKPath",
            "containerDriverRoot",
            "sharedDevicesAllocationPolicy",
        },
        "flags.gfd": {"oneshot", "noTimestamp", "sleepInterval", "outputFile", "machineTypeFile"},
        "sharing": {"timeSlicing", "mps"},
        "sharing.timeSlicing": {"renameByDefault", "failRequestsGreaterThanOne", "resources"},
        "sharing.mps": {"renameByDefault", "failRequestsGreaterThanOne", "resources"},
    }

    def check(part: Any, path: str) -> None:
        if isinstance(part, dict):
            assert part.keys() <= known[path], path
            for key, value in part.items():
                check(value, f"{path}.{key}".lstrip("."))

    check(yaml.safe_load(config(place(pools, BY_MOUNTS))), "")


@pytest.mark.parametrize("pools", [EXCLUSIVE, SLICED, MPS, MIG])
def test_nothing_that_the_config_says_is_said_by_a_variable_too(pools: str) -> None:
    """Environment beats file in the plugin, GPU Feature Discovery and the MPS daemon."""
    variables = {"MIG_STRATEGY", "GFD_MIG_STRATEGY", "FAIL_ON_INIT_ERROR", "MPS_ROOT", "USE_NODE_FEATURE_API"}
    for made in objects(pools):
        if made["kind"] == "DaemonSet":
            assert not variables & environment(pod(made)["containers"][0]).keys()


@pytest.mark.parametrize("pools", [EXCLUSIVE, SLICED, MPS, MIG])
def test_all_agents_of_a_pool_read_the_same_config_and_stand_on_its_nodes_only(pools: str) -> None:
    here = place(pools)
    made = here.objects(device_plugin.emit)
    wanted = one(made, "ConfigMap")["metadata"]["name"]
    sets = [pod(daemon_set) for daemon_set in made if daemon_set["kind"] == "DaemonSet"]
    assert len(sets) == (3 if here.pool.sharing.mode is SharingMode.MPS else 2)
    for spec in sets:
        assert spec["volumes"][0] == {"name": "config", "configMap": {"name": wanted, "defaultMode": 420}}
        assert environment(spec["containers"][0])["CONFIG_FILE"] == "/config/config.yaml"
        assert spec["nodeSelector"]["gpuplan.dev/pool"] == "a"
        assert spec["runtimeClassName"] == "nvidia"
        assert spec["priorityClassName"] == "system-node-critical"


def test_every_agent_tolerates_the_pools_taints_that_of_unhealthy_gpus_and_nothing_else() -> None:
    here = place(TAINTED)
    ours = [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "readiness.k8s.io/gpuplan-unhealthy", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "team", "operator": "Equal", "value": "x", "effect": "NoExecute"},
    ]
    assert len(tolerations([here.pool])) == len(ours) - 1  # the flavor's, and so the workloads'
    for made in here.objects(device_plugin.emit):
        if made["kind"] == "DaemonSet":
            assert pod(made)["tolerations"] == ours


@pytest.mark.parametrize(
    ("pools", "plugin"),
    [
        (EXCLUSIVE, {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}),
        (SLICED, {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}),
        (MPS, {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}),
        (
            MIG,
            {
                "allowPrivilegeEscalation": False,
                "capabilities": {"add": ["SYS_ADMIN"], "drop": ["ALL"]},
                "runAsUser": 0,
            },
        ),
    ],
)
def test_the_plugin_gets_a_capability_only_where_mig_needs_it(pools: str, plugin: dict[str, object]) -> None:
    assert container(pools, "nvidia-device-plugin")["securityContext"] == plugin
    monitors = environment(container(pools, "nvidia-device-plugin")).get("NVIDIA_MIG_MONITOR_DEVICES")
    assert monitors == ("all" if pools == MIG else None)


@pytest.mark.parametrize("pools", [EXCLUSIVE, SLICED, MPS, MIG])
def test_where_cards_are_named_by_mounts_every_agent_that_must_see_all_cards_counts_as_privileged(pools: str) -> None:
    """The toolkit then refuses NVIDIA_VISIBLE_DEVICES in other containers, ours among them."""
    here = place(pools, BY_MOUNTS, "monitoring: {exporter: {profiling: false}}")
    assert yaml.safe_load(config(here))["flags"]["plugin"] == {"deviceListStrategy": "volume-mounts"}
    for made in here.objects(device_plugin.emit, dcgm.emit):
        if made["kind"] == "DaemonSet":
            rights = pod(made)["containers"][0]["securityContext"]
            assert rights.get("privileged") or rights["capabilities"]["add"] == ["SYS_ADMIN"]


def test_by_default_cards_are_named_by_the_variable_and_the_config_does_not_say_so() -> None:
    assert "plugin" not in yaml.safe_load(config(place(EXCLUSIVE)))["flags"]


def test_only_the_mps_daemon_is_privileged_and_only_where_cards_are_shared_by_mps() -> None:
    daemon = pod(one(objects(MPS), "DaemonSet", "nvidia-mps-control-daemon"))
    assert daemon["hostPID"] is True
    assert daemon["nodeSelector"]["nvidia.com/mps.capable"] == "true"
    assert daemon["initContainers"][0]["command"] == ["mps-control-daemon", "mount-shm"]
    assert daemon["initContainers"][0]["volumeMounts"][0]["mountPropagation"] == "Bidirectional"
    assert daemon["containers"][0]["securityContext"] == {"privileged": True}
    for pools in (EXCLUSIVE, SLICED, MIG):
        assert "privileged" not in repr(objects(pools))


def test_no_two_daemon_sets_select_the_same_pods() -> None:
    made = objects("a: {tier: desk, sharing: {mps: {replicas: 4}}}, mps-a: {tier: big}")
    selectors = [tuple(sorted(s["spec"]["selector"]["matchLabels"].items())) for s in made if s["kind"] == "DaemonSet"]
    assert len(set(selectors)) == len(selectors) == 5


def test_a_pool_whose_runtime_is_nvidia_by_default_names_no_runtime_class() -> None:
    made = objects(EXCLUSIVE, "nvidiaRuntime: {default: true}")
    assert "runtimeClassName" not in pod(one(made, "DaemonSet", "nvidia-device-plugin"))


@pytest.mark.parametrize(("pools", "cluster"), [("a: {tier: amd}", ""), (EXCLUSIVE, "stack: external")])
def test_other_makers_and_other_peoples_agents_are_left_alone(pools: str, cluster: str) -> None:
    assert objects(pools, cluster) == ()


def test_another_sharing_rolls_the_pool_and_another_count_of_nodes_does_not() -> None:
    name = one(objects(SLICED), "ConfigMap")["metadata"]["name"]
    assert name == one(objects(SLICED.replace("tier", "nodes: 9, tier")), "ConfigMap")["metadata"]["name"]
    assert name != one(objects(SLICED.replace("4", "5")), "ConfigMap")["metadata"]["name"]


def test_the_image_is_that_of_the_clusters_release() -> None:
    image = container(EXCLUSIVE, "gpu-feature-discovery")["image"]
    assert image == "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"
    older = objects(EXCLUSIVE, 'release: "2026.05"')
    assert pod(one(older, "DaemonSet", "gpu-feature-discovery"))["containers"][0]["image"].endswith(":v0.19.2")


def test_a_time_sliced_pool_reads_like_this() -> None:
    made = objects("desk: {tier: desk, nodes: 6, cardsPerNode: 4, sharing: {timeSlicing: {replicas: 4}}}")
    assert_golden("device-plugin-time-slicing", made)
