"""Checks of nodes, agents and devices on clusters of paper: each stack, each way to expose cards, and what cannot be seen."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan.verify.checks import (
    CHECKS,
    agents_images,
    agents_one_plugin,
    agents_ready,
    agents_stray,
    devices_capacity,
    devices_discovered,
    devices_healthy,
    devices_mig,
    nodes_count,
    nodes_driver,
    nodes_kubernetes,
    nodes_labels,
    nodes_pool,
    nodes_runtime_class,
)
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import Outcome
from tests.unit.verify.world import DRIVER, Made, changed, judged, lines, outcomes, pod, scene, seen

MINE = tuple(check for doc, check in CHECKS if doc.id.split("/")[0] in {"nodes", "agents", "devices"})
WORLDS = {
    "manual": ("a: {}, b: {tier: small, sharing: {timeSlicing: {replicas: 4}}}", "stack: manual"),
    "MIG single": ("a: {tier: old, sharing: {mig: {profiles: {1g.5gb: 7}, strategy: single}}}", "stack: manual"),
    "plain name": ("a: {sharing: {timeSlicing: {replicas: 2, renameByDefault: false}}}", "stack: manual"),
    "MPS": ("a: {sharing: {mps: {replicas: 4}}}", "stack: manual"),
    "operator": ("a: {}, b: {tier: small, sharing: {timeSlicing: {replicas: 4}}}", "stack: operator"),
    "operator MIG": ("a: {tier: old, sharing: {mig: {profiles: {1g.5gb: 7}, strategy: mixed}}}", "stack: operator"),
    "others": ("a: {tier: small}", "stack: external"),
    "DRA": ("a: {tier: small, exposure: dra}", "stack: manual"),
    "AMD": ("a: {tier: instinct, driver: {preinstalled: true}}", "stack: operator"),
    "openshift": ("a: {tier: small}", "stack: manual, distribution: openshift, containerRuntime: cri-o"),
}


def world(name: str) -> Scene:
    """Return one of the worlds."""
    pools, cluster = WORLDS[name]
    return scene(pools, cluster)


@pytest.mark.parametrize("name", WORLDS)
def test_a_cluster_that_is_as_its_spec_says_passes(name: str) -> None:
    made = world(name)
    found = [one for check in MINE for one in check(made)]
    assert [(one.check, one.subject, one.evidence) for one in found if one.outcome is not Outcome.PASS] == []
    assert len({one.check for one in found}) >= 10


def label(key: str, value: str | None) -> Any:
    """Return a change that sets or takes a label."""

    def change(made: Made) -> None:
        labels = made["metadata"]["labels"]
        labels.pop(key, None)
        if value is not None:
            labels[key] = value

    return change


def status(part: str, **amounts: str) -> Any:
    """Return a change of a node's amounts; `_` stands for `/`."""

    def change(made: Made) -> None:
        made["status"][part] = {
            **made["status"][part],
            **{key.replace("_", "/"): text for key, text in amounts.items()},
        }

    return change


def test_a_driver_that_no_label_tells_is_unknown_and_no_pass() -> None:
    made = changed(world("manual"), "Node", "a-1", label(DRIVER, None))
    assert outcomes(nodes_driver, made) == {"pool a": Outcome.UNKNOWN, "pool b": Outcome.PASS}
    assert lines(nodes_driver, made) == ["a-1: no label tells its driver"]


def test_the_older_labels_tell_a_driver_too() -> None:
    made = changed(world("manual"), "Node", "a-1", label(DRIVER, None))
    for part, value in (("major", "550"), ("minor", "54"), ("rev", "15")):
        made = changed(made, "Node", "a-1", label(f"nvidia.com/cuda.driver.{part}", value))
    (line,) = lines(nodes_driver, made)
    assert line.startswith("a-1: driver 550.54.15, expected ")


def test_where_the_operator_installs_drivers_the_version_it_is_told_counts_and_an_upgrade_is_named() -> None:
    made = world("operator")
    (told,) = {one["spec"]["version"] for one in made.wanted("NVIDIADriver")}
    assert set(outcomes(nodes_driver, made).values()) == {Outcome.PASS}
    branch = told.partition(".")[0]
    made = changed(made, "Node", "a-0", label(DRIVER, f"{branch}.1.1"))
    made = changed(made, "Node", "a-0", label("nvidia.com/gpu-driver-upgrade-state", "drain-required"))
    assert lines(nodes_driver, made) == [
        f"a-0: driver {branch}.1.1, expected {told} (the operator's upgrade there: drain-required)"
    ]


def test_nobody_judges_a_driver_that_others_install_and_the_spec_does_not_state() -> None:
    assert outcomes(nodes_driver, world("others")) == {}


def test_karpenter_may_have_fewer_nodes_than_the_spec_but_no_more() -> None:
    for nodes, wanted in ((3, Outcome.PASS), (1, Outcome.FAIL)):
        made = scene(f"a: {{nodes: {nodes}, selectedBy: {{provisioner: karpenter}}}}")
        two = made.observed.objects["Node"][:2] if nodes == 3 else (*made.observed.objects["Node"],) * 2
        assert outcomes(nodes_count, seen(made, {"Node": two})) == {"pool a": wanted}


def test_a_pool_without_nodes_is_said_once() -> None:
    made = seen(world("manual"), {**world("manual").observed.objects, "Node": ()})
    failing = {one.check for check in MINE for one in check(made) if one.outcome is Outcome.FAIL}
    assert failing == {"nodes/count"}


def test_a_server_of_unknown_version_leaves_only_itself_unknown() -> None:
    made = world("manual")
    blind = Scene(
        fleet=made.fleet,
        cluster=made.cluster,
        manifests=made.manifests,
        observed=type(made.observed)(kubernetes="", objects=made.observed.objects, refused={}, tried={}),
    )
    assert outcomes(nodes_kubernetes, blind)["API server"] is Outcome.UNKNOWN
    assert outcomes(nodes_kubernetes, blind)["pool a"] is Outcome.PASS


@pytest.mark.parametrize(
    ("kubelet", "outcome"),
    [("v1.33.0", Outcome.PASS), ("v1.32.0", Outcome.FAIL), ("v1.37.0", Outcome.FAIL), ("", Outcome.UNKNOWN)],
)
def test_a_kubelet_may_be_three_versions_behind_and_none_ahead(kubelet: str, outcome: Outcome) -> None:
    def change(made: Made) -> None:
        made["status"]["nodeInfo"] = {**made["status"]["nodeInfo"], "kubeletVersion": kubelet}

    assert outcomes(nodes_kubernetes, changed(world("manual"), "Node", "a-0", change))["pool a"] is outcome


def test_each_stack_names_its_own_runtime_class() -> None:
    assert outcomes(nodes_runtime_class, world("manual")) == {"RuntimeClass nvidia": Outcome.PASS}
    made = world("operator")
    assert outcomes(nodes_runtime_class, made) == {"RuntimeClass nvidia": Outcome.PASS}
    assert lines(nodes_runtime_class, seen(made, {"RuntimeClass": ()})) == [
        "RuntimeClass nvidia: absent; there are none"
    ]
    assert outcomes(nodes_runtime_class, world("others")) == {}
    assert outcomes(nodes_runtime_class, world("openshift")) == {}


def test_the_operators_agents_are_known_by_its_labels_and_images() -> None:
    made = world("operator MIG")
    names = set(outcomes(agents_ready, made))
    assert names == {
        f"{name} on pool a"
        for name in (
            *("nvidia-device-plugin", "gpu-feature-discovery", "nvidia-dcgm-exporter"),
            *("nvidia-mig-manager", "nvidia-container-toolkit"),
        )
    }
    gone = [one for one in made.observed.objects["Pod"] if one["metadata"]["labels"]["app"] != "nvidia-mig-manager"]
    made = seen(made, {**made.observed.objects, "Pod": tuple(gone)})
    made = changed(made, "Node", "a-1", label("nvidia.com/gpu.deploy.mig-manager", "false"))
    assert lines(agents_ready, made) == [
        "a-0: no pod of nvidia-mig-manager",
        "a-1: no pod of nvidia-mig-manager, kept off by nvidia.com/gpu.deploy.mig-manager=false",
    ]


def test_a_pod_that_is_over_or_on_its_way_out_is_no_agent() -> None:
    for change in (
        lambda made: made["metadata"].update(deletionTimestamp="2026-12-01T00:00:00Z"),
        lambda made: made["status"].update(phase="Failed"),
    ):
        made = changed(world("manual"), "Pod", "nvidia-device-plugin-a-0", change)
        assert lines(agents_ready, made) == ["a-0: no pod of nvidia-device-plugin"]


def test_the_reason_why_a_daemon_set_leaves_a_node_out_is_told() -> None:
    made = world("manual")
    pods = tuple(one for one in made.observed.objects["Pod"] if one["spec"]["nodeName"] != "a-0")
    made = seen(made, {**made.observed.objects, "Pod": pods})

    def taint(one: Made) -> None:
        one["spec"]["taints"] = [{"key": "dedicated", "value": "db", "effect": "NoSchedule"}]

    tainted = lines(agents_ready, changed(made, "Node", "a-0", taint))
    assert "a-0: no pod of nvidia-dcgm-exporter, which does not tolerate dedicated=db:NoSchedule" in tainted
    lacking = lines(agents_ready, changed(made, "Node", "a-0", label("gpuplan.dev/tier", None)))
    assert any("selects nodes by gpuplan.dev/tier" in line for line in lacking)


def test_an_agent_with_another_image_is_named_with_its_node() -> None:
    def change(made: Made) -> None:
        made["spec"]["containers"] = [{"name": "main", "image": "k8s-device-plugin:v0.1"}]

    made = changed(world("manual"), "Pod", "nvidia-device-plugin-a-1", change)
    assert lines(agents_images, made) == ["a-1: gpu-system/nvidia-device-plugin-a-1 runs k8s-device-plugin:v0.1"]


def plugin(image: str) -> Made:
    """Return a device plugin of somebody's on node a-0."""
    made = pod("kube-system", "theirs", "a-0", {}, [image])
    made["spec"]["volumes"] = [{"name": "p", "hostPath": {"path": "/var/lib/kubelet/device-plugins/"}}]
    return made


@pytest.mark.parametrize(
    ("where", "image", "fails"),
    [
        ("DRA", "nvcr.io/nvidia/k8s-device-plugin:v0.20.0", True),
        ("DRA", "ghcr.io/k8snetworkplumbingwg/sriov-network-device-plugin:v3.9", False),
        ("others", "nvcr.io/nvidia/k8s-device-plugin:v0.20.0", False),
        ("others", "registry.example/gke/nvidia-gpu-device-plugin@sha256:1", False),
    ],
)
def test_where_pods_claim_cards_no_plugin_for_cards_may_run(where: str, image: str, fails: bool) -> None:
    made = world(where)
    made = seen(made, {**made.observed.objects, "Pod": (*made.observed.objects["Pod"], plugin(image))})
    assert outcomes(agents_one_plugin, made) == {"pool a": Outcome.FAIL if fails else Outcome.PASS}


def test_two_plugins_of_others_are_one_too_many() -> None:
    made = world("others")
    two = tuple({**plugin("k8s-device-plugin:1"), "metadata": {"name": n, "namespace": "x"}} for n in "ab")
    assert lines(agents_one_plugin, seen(made, {**made.observed.objects, "Pod": two})) == ["a-0: x/a, x/b"]


def test_an_agent_on_a_node_of_another_pool_is_named() -> None:
    made = changed(world("manual"), "Pod", "nvidia-dcgm-exporter-a-0", lambda one: one["spec"].update(nodeName="b-0"))
    assert lines(agents_stray, made) == ["b-0: gpu-system/nvidia-dcgm-exporter-a-0, which belongs to a"]


def test_pods_of_a_node_that_is_gone_are_not_astray() -> None:
    made = changed(world("manual"), "Pod", "nvidia-dcgm-exporter-a-0", lambda one: one["spec"].update(nodeName="gone"))
    assert outcomes(agents_stray, made) == {"node agents": Outcome.PASS}


@pytest.mark.parametrize(
    ("name", "change", "line"),
    [
        ("manual", status("capacity", nvidia_com="1"), ""),
        ("manual", {"nvidia.com/gpu": "7"}, "a-0: capacity nvidia.com/gpu=7, expected 8"),
        ("manual", {"nvidia.com/gpu": None}, "a-0: nvidia.com/gpu is not listed, expected 8"),
        (
            "manual",
            {"nvidia.com/mig-1g.5gb": "7"},
            "a-0: capacity nvidia.com/mig-1g.5gb=7, which this pool does not produce",
        ),
        ("manual", {"nvidia.com/gpu.shared": "0"}, ""),
        ("manual", {"rdma/hca": "8"}, ""),
        ("DRA", {"nvidia.com/gpu": "8"}, "a-0: capacity nvidia.com/gpu=8, which this pool does not produce"),
        ("AMD", {"amd.com/gpu": "7"}, "a-0: capacity amd.com/gpu=7, expected 8"),
        ("MIG single", {"nvidia.com/gpu": "8"}, "a-0: capacity nvidia.com/gpu=8, expected 56"),
    ],
)
def test_a_node_that_lists_other_numbers_or_names_is_told(name: str, change: Any, line: str) -> None:
    def capacity(made: Made) -> None:
        if callable(change):
            change(made)
            return
        listed = {**made["status"]["capacity"], **change}
        made["status"]["capacity"] = {key: value for key, value in listed.items() if value is not None}

    assert lines(devices_capacity, changed(world(name), "Node", "a-0", capacity)) == ([line] if line else [])


def test_cards_that_nobody_counted_only_have_to_be_there() -> None:
    made = scene("a: {nodes: null, cardsPerNode: null}")
    assert outcomes(nodes_count, made) == {"pool a": Outcome.PASS}


def test_cards_that_cannot_be_given_out_are_counted() -> None:
    made = changed(
        world("manual"), "Node", "a-1", lambda one: one["status"]["allocatable"].update({"nvidia.com/gpu": "6"})
    )
    assert lines(devices_healthy, made) == ["a-1: allocatable nvidia.com/gpu=6 of 8, 2 unhealthy"]


@pytest.mark.parametrize(
    ("name", "product"),
    [
        ("manual", "NVIDIA-H100-80GB-HBM3"),
        ("MIG single", "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"),
        ("plain name", "NVIDIA-H100-80GB-HBM3-SHARED"),
    ],
)
def test_the_product_label_follows_from_card_cut_and_sharing(name: str, product: str) -> None:
    pool = world(name).cluster.pools[0]
    assert devices_discovered.discovered(pool)["nvidia.com/gpu.product"] == product
    made = changed(world(name), "Node", "a-0", label("nvidia.com/gpu.product", "NVIDIA-A10"))
    assert lines(devices_discovered, made) == [f"a-0: nvidia.com/gpu.product=NVIDIA-A10, expected {product}"]


def test_silence_of_feature_discovery_is_unknown_and_none_where_others_run_no_such_agent() -> None:
    for name, wanted in (("manual", {"pool a": Outcome.UNKNOWN, "pool b": Outcome.PASS}), ("others", {})):
        made = world(name)
        for node in ("a-0", "a-1"):
            made = changed(made, "Node", node, label("nvidia.com/gpu.product", None))
        assert outcomes(devices_discovered, made) == wanted


@pytest.mark.parametrize(
    ("state", "outcome"),
    [("success", Outcome.PASS), ("pending", Outcome.FAIL), ("failed", Outcome.FAIL), (None, Outcome.UNKNOWN)],
)
def test_a_cut_counts_once_the_mig_manager_says_that_it_succeeded(state: str | None, outcome: Outcome) -> None:
    made = changed(world("operator MIG"), "Node", "a-0", label("nvidia.com/mig.config.state", state))
    assert outcomes(devices_mig, made) == {"pool a": outcome}


def test_a_node_with_cards_but_without_pool_is_named_unless_an_adopted_flavor_takes_it() -> None:
    made = changed(world("manual"), "Node", "a-0", label("gpuplan.dev/pool", None))
    (line,) = lines(nodes_pool, made)
    assert line.startswith("a-0: in no pool of the spec, but has gpuplan.dev/tier=big")


def test_a_label_says_who_sets_it() -> None:
    made = changed(world("manual"), "Node", "a-0", label("gpuplan.dev/tier", None))
    (verdict,) = (one for one in judged(nodes_labels, made) if one.outcome is Outcome.FAIL)
    assert verdict.evidence == ("a-0: gpuplan.dev/tier=(absent), expected big",)
    assert "Node Feature Discovery" in verdict.fix
    assert verdict.at is not None
    assert verdict.at.file == "fleet/fleet.yaml"


@pytest.mark.parametrize("check", [nodes_count, agents_ready, devices_mig, nodes_runtime_class])
def test_a_check_that_may_not_look_says_so(check: Any) -> None:
    made = world("operator MIG")
    (verdict,) = judged(check, seen(made, {}))
    assert verdict.outcome is Outcome.UNKNOWN
    assert verdict.evidence == tuple(f"{kind} is not in the snapshot" for kind in check.DOC.reads)
