"""HAMi: the values of its chart, the labels of its nodes, what Kueue counts, and the agents around it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from gpuplan.catalog import load
from gpuplan.emit import dcgm, device_plugin, gpu_operator, hami, kueue
from gpuplan.model.labels import all_labels
from gpuplan.model.pools import produced_resources
from gpuplan.rules.hami import chart_expected
from tests.unit.emit.fleets import Place, assert_golden_text, one, place

TAINT = "taints: [{key: nvidia.com/gpu, effect: NoSchedule}, {key: team, value: x, effect: NoExecute}]"
SHARED = f"a: {{tier: desk, sharing: {{hami: {{split: 4}}}}, {TAINT}}}"
TEAMS = """
taskPools: {desktops: {kind: experiment, service: queued, tiers: [desk]}}
teams: {nlp: {namespaces: [nlp], quotas: {desktops: {desk: {guaranteed: 8}}}}}
"""


def values(here: Place) -> Any:
    (text,) = hami.texts(here.fleet, here.cluster)
    return yaml.safe_load(text.text)


def test_the_chart_s_values_are_those_of_the_golden_file() -> None:
    here = place(SHARED)
    (text,) = hami.texts(here.fleet, here.cluster)
    assert text.path == "provisioner/eu/hami/values.yaml"
    assert_golden_text("hami-values", text.text)


def test_the_plugin_finds_its_nodes_by_the_label_that_they_get() -> None:
    here = place(SHARED)
    labels = all_labels(here.cluster, here.pool)
    selector = values(here)["devicePlugin"]["nvidiaNodeSelector"]
    assert selector.pop("gpu") is None, "Helm would merge the chart's own label into ours"
    assert selector
    assert selector.items() <= labels.items()


@pytest.mark.parametrize(
    ("stack", "label", "rendered"), [("manual", None, True), ("operator", "false", True), ("external", None, False)]
)
def test_no_other_plugin_comes_to_its_nodes_whatever_the_stack(stack: str, label: str | None, rendered: bool) -> None:
    here = place(SHARED, f"stack: {stack}")
    assert all_labels(here.cluster, here.pool).get("nvidia.com/gpu.deploy.device-plugin") == label
    assert bool(list(hami.texts(here.fleet, here.cluster))) is rendered
    sets = [made["metadata"]["name"] for made in here.objects(device_plugin.emit) if made["kind"] == "DaemonSet"]
    assert not [name for name in sets if name.startswith("nvidia-device-plugin")]


@pytest.mark.parametrize(
    ("cluster", "runtime_class"),
    [("", "nvidia"), ("nvidiaRuntime: {default: true}", ""), ("distribution: openshift", "")],
)
def test_its_plugin_and_pods_name_the_runtime_where_it_is_not_the_default(cluster: str, runtime_class: str) -> None:
    made = values(place(SHARED, cluster))
    assert made["devicePlugin"]["runtimeClassName"] == runtime_class
    assert made["platform"]["openshift"] == ("openshift" in cluster)


def test_its_cards_are_described_and_watched_as_all_others() -> None:
    here = place(SHARED)
    assert one(here.objects(device_plugin.emit), "DaemonSet", "gpu-feature-discovery-a")
    assert one(here.objects(dcgm.emit), "DaemonSet", "nvidia-dcgm-exporter-a")


def test_no_webhook_takes_the_pods_of_other_pools() -> None:
    assert values(place(SHARED))["scheduler"]["admissionWebhook"] == {"enabled": False}


def test_its_plugin_offers_what_the_quota_counts() -> None:
    here = place(SHARED, more=TEAMS)
    plugin = values(here)["devicePlugin"]
    (made,) = produced_resources(here.pool)
    assert (made.resource, made.per_node) == (values(here)["resourceName"], 8 * plugin["deviceSplitCount"])


def test_kueue_counts_shares_and_leaves_memory_and_cores_to_hami() -> None:
    here = place(SHARED, more=TEAMS)
    covered = {
        name
        for made in here.objects(kueue.emit)
        for group in made["spec"].get("resourceGroups", ())
        for name in group["coveredResources"]
    }
    assert covered == {"nvidia.com/gpu"}
    settings: Any = kueue.manager_configuration(here.cluster)
    assert settings["resources"]["quotaCheckStrategy"] == "IgnoreUndeclared"


@pytest.mark.parametrize(("pools", "left_out"), [(SHARED, True), ("a: {tier: desk}", False)])
def test_an_older_kueue_is_told_to_leave_out_every_part_of_a_card_and_never_the_card(
    pools: str, left_out: bool
) -> None:
    """It admits no pod that asks for a resource which no queue covers."""
    here = place(pools, 'release: "2026.05"', TEAMS)
    settings: Any = kueue.manager_configuration(here.cluster)
    starts = tuple(settings["resources"]["excludeResourcePrefixes"])
    known = load().hami
    assert [part.startswith(starts) for part in known.parts] == [left_out] * len(known.parts)
    assert not known.card.startswith(starts)


def test_the_operators_other_pools_give_its_nodes_no_configuration_of_theirs() -> None:
    """They bear no label of a configuration, so GPU Feature Discovery there reads the default."""
    here = place(f"{SHARED}, b: {{tier: lab, sharing: {{mps: {{replicas: 4}}}}}}", "stack: operator")
    (config,) = [made["data"] for made in here.objects(gpu_operator.emit) if "default" in made.get("data", {})]
    assert "sharing" not in yaml.safe_load(config["default"])
    assert "sharing" in yaml.safe_load(config["mps-4"])


def test_hami_shares_the_cards_of_no_other_pool() -> None:
    here = place("a: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}")
    assert list(hami.texts(here.fleet, here.cluster)) == []


def test_parts_are_alternatives_of_one_card() -> None:
    known = load().hami
    assert known.card not in known.parts
    assert all(part.startswith("nvidia.com/gpu") for part in known.parts)


def test_who_uses_how_much_of_a_card_is_said_to_be_seen_in_hami_s_own_monitors() -> None:
    (found,) = chart_expected.check(place(SHARED).fleet)
    assert "node ports 31992 and 31993" in found.detail
