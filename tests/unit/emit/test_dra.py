"""Claims on devices: classes, templates, what Kueue counts, the driver's values, and the agents around them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.emit import dcgm, device_plugin, dra, kueue, provisioner, tenancy
from gpuplan.emit.emitters import emit
from gpuplan.emit.monitoring import publish
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.claims import counts
from gpuplan.validate import immutable
from gpuplan.validate.references import dangling
from tests.controlplane.acceptance import apply_manifests, stored_differences
from tests.controlplane.controlplane import ControlPlane
from tests.unit.emit.fleets import Place, assert_golden, assert_golden_text, environment, one, place, pod

CARDS = """
a: {tier: big, exposure: dra, taints: [{key: nvidia.com/gpu, effect: NoSchedule}]},
b: {exposure: dra, sharing: {mig: {groups: [{cards: [0, 1], profiles: {1g.5gb: 5, 2g.10gb: 1}}]}}}
"""
TEAMS = """
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [big], largestJob: {cardsPerPod: 6}}
  slices: {kind: experiment, service: queued, tiers: [lab], largestJob: {cardsPerPod: 2}}
teams:
  vision: {namespaces: [vision, batch], quotas: {pretrain: {}}}
  nlp: {namespaces: [nlp], quotas: {slices: {}}}
"""
COUNTED = "c: {tier: desk}"
DESKTOPS = """
taskPools: {desktops: {kind: experiment, service: queued, tiers: [desk]}}
teams: {nlp: {namespaces: [nlp], quotas: {desktops: {}}}}
"""


def claimed(cluster: str = "", *, beside: str = "") -> Place:
    """Resolve a fleet of two claimed pools, and `beside` them some more."""
    return place(f"{CARDS}, {beside}", cluster, TEAMS)


def templates(here: Place) -> dict[tuple[str, str], tuple[str, int]]:
    """Return (namespace, name) -> (device class, count) of every claim template."""
    found = {}
    for made in here.objects(dra.emit):
        if made["kind"] == "ResourceClaimTemplate":
            (request,) = made["spec"]["spec"]["devices"]["requests"]
            exactly = request["exactly"]
            key = made["metadata"]["namespace"], made["metadata"]["name"]
            found[key] = (exactly["deviceClassName"], exactly["count"])
    return found


def test_classes_and_templates_are_those_of_the_golden_file() -> None:
    assert_golden("dra-claims", claimed().objects(dra.emit))


def test_each_namespace_of_a_team_gets_the_templates_of_its_queues_alone() -> None:
    named = templates(claimed())
    assert {namespace for namespace, name in named if name.startswith("pretrain-")} == {"vision", "batch"}
    assert {namespace for namespace, name in named if name.startswith("slices-")} == {"nlp"}


def test_a_template_names_its_profile_unless_it_is_for_whole_cards() -> None:
    named = templates(claimed())
    assert named["vision", "pretrain-6"] == ("gpu.gpuplan.dev", 6)
    assert named["nlp", "slices-2g.10gb-2"] == ("mig-2g.10gb.gpuplan.dev", 2)
    assert named["nlp", "slices-1"] == ("gpu.gpuplan.dev", 1)


@given(st.integers(1, 64))
def test_templates_are_few_and_reach_from_one_to_the_largest_pod(largest: int) -> None:
    made = counts(largest)
    assert (made[0], made[-1]) == (1, largest)
    assert list(made) == sorted(set(made))
    assert all(count == largest or count.bit_count() == 1 for count in made)
    assert all(after <= 2 * before for before, after in pairwise(made))


def test_a_fleet_that_counts_has_no_classes_and_no_mappings() -> None:
    here = place(COUNTED, more=DESKTOPS)
    assert here.objects(dra.emit) == ()
    settings: Any = kueue.manager_configuration(here.cluster)
    assert "deviceClassMappings" not in settings["resources"]
    assert "featureGates" not in settings
    assert list(dra.texts(here.fleet, here.cluster)) == []


WHOLE = ["gpu.gpuplan.dev"]
NVIDIAS = "gpu.nvidia.com"


@pytest.mark.parametrize(
    ("beside", "cluster", "whole", "gates"),
    [
        ("", "", [*WHOLE, NVIDIAS], {"KueueDRAIntegration": True, "KueueDRAIntegrationExtendedResource": True}),
        (
            COUNTED,
            "",
            WHOLE,
            {"KueueDRAIntegration": True, "KueueDRAIntegrationExtendedResource": False},
        ),
        ("", "components: {kueue: {version: v0.18.1}}", WHOLE, {"KueueDRAIntegration": True}),
        ("", "components: {kueue: {version: v0.17.1}}", WHOLE, {"DynamicResourceAllocation": True}),
        (
            "",
            "kueue: {podsReadyTimeoutSeconds: 0}",
            [*WHOLE, NVIDIAS],
            {
                "DisableWaitForPodsReady": True,
                "KueueDRAIntegration": True,
                "KueueDRAIntegrationExtendedResource": True,
            },
        ),
    ],
    ids=["all claimed", "some counted", "0.18", "0.17", "no limit"],
)
def test_kueue_counts_each_class_by_one_resource(
    beside: str, cluster: str, whole: list[str], gates: dict[str, bool]
) -> None:
    settings: Any = kueue.manager_configuration(claimed(cluster, beside=beside).cluster)
    assert settings["resources"]["deviceClassMappings"] == [
        {"name": "dra.gpuplan.dev/gpu", "deviceClassNames": whole},
        {"name": "dra.gpuplan.dev/mig-1g.5gb", "deviceClassNames": ["mig-1g.5gb.gpuplan.dev"]},
        {"name": "dra.gpuplan.dev/mig-2g.10gb", "deviceClassNames": ["mig-2g.10gb.gpuplan.dev"]},
    ]
    assert settings["featureGates"] == gates


def test_the_driver_runs_on_just_the_claimed_nodes_and_serves_cards() -> None:
    here = claimed(beside=COUNTED)
    (text,) = dra.texts(here.fleet, here.cluster)
    assert text.path == "provisioner/eu/dra-driver/values.yaml"
    assert_golden_text("dra-driver-values", text.text)
    plugin = yaml.safe_load(text.text)["kubeletPlugin"]
    (affinity,) = plugin["affinity"]["nodeAffinity"].values()
    pools = [
        match["values"]
        for term in affinity["nodeSelectorTerms"]
        for match in term["matchExpressions"]
        if match["key"] == "gpuplan.dev/pool"
    ]
    assert pools == [["a"], ["b"]]


def test_the_driver_looks_for_the_gpu_driver_where_the_distribution_puts_it() -> None:
    here = claimed("distribution: gke")
    (text,) = dra.texts(here.fleet, here.cluster)
    assert yaml.safe_load(text.text)["nvidiaDriverRoot"] == "/home/kubernetes/bin/nvidia"


def test_where_others_run_the_agents_they_also_configure_the_driver() -> None:
    here = place("a: {tier: big, exposure: dra, stack: external, selectedBy: {labels: {card: h100}}}")
    assert list(dra.texts(here.fleet, here.cluster)) == []
    assert one(here.objects(dra.emit), "DeviceClass")


def test_no_device_plugin_runs_where_cards_are_claimed_but_the_rest_does() -> None:
    here = claimed(beside=COUNTED)
    sets = [made["metadata"]["name"] for made in here.objects(device_plugin.emit) if made["kind"] == "DaemonSet"]
    assert [name for name in sets if name.startswith("nvidia-device-plugin")] == ["nvidia-device-plugin-c"]
    assert [name for name in sets if name.startswith("gpu-feature-discovery")] == [
        f"gpu-feature-discovery-{pool}" for pool in "abc"
    ]


def test_the_exporter_learns_from_the_server_which_claimed_device_is_which_card() -> None:
    made = claimed(beside=COUNTED).objects(dcgm.emit)
    told = {
        pool: environment(pod(one(made, "DaemonSet", f"nvidia-dcgm-exporter-{pool}"))["containers"][0]) for pool in "ac"
    }
    assert told["a"]["KUBERNETES_ENABLE_DRA"] == "true"
    assert "KUBERNETES_ENABLE_DRA" not in told["c"]
    assert one(made, "ServiceAccount")["automountServiceAccountToken"] is True
    role = one(made, "ClusterRole")
    assert {name for rule in role["rules"] for name in rule["resources"]} == {"pods", "resourceslices"}
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"get", "list", "watch"}


def test_team_members_may_look_at_claims_where_there_are_any() -> None:
    grouped = TEAMS.replace("namespaces: [nlp]", "namespaces: [nlp], groups: [nlp]")
    looked = [
        [
            rule
            for rule in one(place(pools, more=more).objects(tenancy.emit), "ClusterRole")["rules"]
            if rule["apiGroups"] == [GROUP]
        ]
        for pools, more in ((CARDS, grouped), (COUNTED, DESKTOPS.replace("namespaces", "groups: [nlp], namespaces")))
    ]
    assert looked == [
        [
            {
                "apiGroups": [GROUP],
                "resources": ["resourceclaims", "resourceclaimtemplates"],
                "verbs": ["get", "list", "watch"],
            }
        ],
        [],
    ]


GROUP = "resource.k8s.io"


def test_the_exporter_of_counted_cards_needs_no_server() -> None:
    made = place(COUNTED).objects(dcgm.emit)
    assert one(made, "ServiceAccount")["automountServiceAccountToken"] is False
    assert not [one for one in made if one["kind"].startswith("ClusterRole")]


@pytest.mark.parametrize("by", ["capi", "eks"])
def test_no_autoscaler_is_told_of_resources_that_a_claimed_node_will_not_have(by: str) -> None:
    sharing = "sharing: {mig: {profiles: {1g.5gb: 7}}}"
    pools = [f"a: {{exposure: {exposure}, selectedBy: {{provisioner: {by}}}, {sharing}}}" for exposure in EXPOSURES]
    told = ["".join(text.text for text in provisioner.texts(here.fleet, here.cluster)) for here in map(place, pools)]
    assert ["dra.gpuplan.dev" in text for text in told] == [False, False]
    assert ["nvidia.com/mig-1g.5gb" in text for text in told] == [False, True]


EXPOSURES = ("dra", "devicePlugin")


def test_alerts_do_not_ask_how_a_card_is_exposed() -> None:
    made = [place(f"a: {{tier: big, exposure: {exposure}}}") for exposure in EXPOSURES]
    claimed_pools, counted_pools = (
        {alert.name: alert.expr for group in publish.groups(here.fleet, here.cluster) for alert in group.alerts}
        for here in made
    )
    counted_pools.pop("GpuAllocatableLow")  # what pods claim, no node lists as capacity or allocatable
    unknown = "GpuNodesUnknown"
    assert "kube_node_status_capacity" in counted_pools.pop(unknown)
    assert "kube_node_status_capacity" not in claimed_pools.pop(unknown)
    assert claimed_pools == counted_pools


def test_a_template_without_its_class_would_be_found() -> None:
    made = emit(claimed().fleet, lambda *_: None)
    assert not list(dangling(made))
    without = ManifestSet.of(one for one in made if one.key.name != "gpu.gpuplan.dev")
    assert {finding.summary.partition(" names ")[2] for finding in dangling(without)} == {
        "DeviceClass gpu.gpuplan.dev, which is not rendered"
    }


def test_a_template_that_would_change_its_claim_is_found() -> None:
    made = emit(claimed().fleet, lambda *_: None)
    other = {**made.of_kind("ResourceClaimTemplate")[0].object, "spec": {"metadata": {}, "spec": {}}}
    (found,) = immutable.refused(made, lambda path: other if path.endswith("vision-pretrain-1.yaml") else None)
    assert found.summary == "ResourceClaimTemplate `pretrain-1` cannot change its `spec`"


@pytest.mark.parametrize("beside", ["", COUNTED], ids=["all claimed", "some counted"])
def test_a_real_server_and_kueue_take_a_claimed_fleet_as_it_is(control_plane: ControlPlane, beside: str) -> None:
    here = claimed(beside=beside)
    control_plane.reset()
    try:
        control_plane.start_kueue({**kueue.manager_configuration(here.cluster)})
        made = [{**one.object} for one in emit(here.fleet, lambda *_: None).in_cluster("eu")]
        assert apply_manifests(control_plane.client, made) == []
        assert stored_differences(control_plane.client, made) == []
    finally:
        control_plane.start_kueue()
        control_plane.reset()
