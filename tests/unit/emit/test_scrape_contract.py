"""What every monitor of ours promises, how Kueue is scraped and by whom, and what kube-state-metrics must be told."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from gpuplan.emit import emitters, exporters
from gpuplan.emit.monitoring import kueue_monitor, publish, settings
from gpuplan.validate import validate
from tests.controlplane.acceptance import apply_manifests, stored_differences
from tests.controlplane.client import reference
from tests.controlplane.controlplane import ControlPlane
from tests.unit.emit.fleets import Place, one, place

TEAMS = """
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [big]}}
teams: {vision: {namespaces: [vision], quotas: {pretrain: {}}}}
"""
FLEETS = [
    "a: {tier: big}",
    "a: {tier: big, stack: operator}",
    "a: {tier: big}, b: {tier: amd, stack: operator}, c: {tier: gaudi}, d: {tier: ascend}",
]
"""Each with a queue on the tier `big`."""


def endpoints(here: Place) -> list[dict[str, Any]]:
    made = emitters.emit(here.fleet, lambda *_: None)
    assert not validate(made)
    monitors = [each.object for each in made if each.key.kind == "ServiceMonitor"]
    return [endpoint for monitor in monitors for endpoint in monitor["spec"]["endpoints"]]  # type: ignore[index]  # a ServiceMonitor


@pytest.mark.parametrize("pools", FLEETS)
def test_every_monitor_keeps_the_labels_of_its_series_and_drops_those_of_its_target(pools: str) -> None:
    found = endpoints(place(pools, more=TEAMS))
    assert found
    for endpoint in found:
        assert endpoint["honorLabels"] is True
        dropped = endpoint["relabelings"][-1]
        assert dropped["action"] == "labeldrop"
        for label in ("pod", "namespace", "container", "service", "endpoint"):
            assert re.fullmatch(dropped["regex"], label)
        for label in ("node", "pool", "job", "instance"):
            assert not re.fullmatch(dropped["regex"], label)


@pytest.mark.parametrize("pools", FLEETS)
def test_series_of_cards_lose_what_splits_them_at_an_upgrade(pools: str) -> None:
    for endpoint in endpoints(place(pools)):
        (noise,) = [step for step in endpoint["metricRelabelings"] if step["action"] == "labeldrop"]
        for label in ("DCGM_FI_DRIVER_VERSION", "Hostname", "hostname", "pod_uid"):
            assert re.fullmatch(noise["regex"], label)
        for label in ("pod", "namespace", "container", "UUID", "GPU_I_ID", "modelName", "xid"):
            assert not re.fullmatch(noise["regex"], label)


def test_the_drivers_version_stays_where_the_spec_asks_for_it() -> None:
    more = "monitoring: {exporter: {extraCounters: [DCGM_FI_DRIVER_VERSION]}}"
    (endpoint,) = endpoints(place("a: {tier: big}", more=more))
    assert not re.fullmatch(endpoint["metricRelabelings"][-1]["regex"], "DCGM_FI_DRIVER_VERSION")


def test_kueue_is_scraped_where_its_chart_puts_it_with_a_token() -> None:
    monitor = one(place(FLEETS[0], more=TEAMS).objects(kueue_monitor.emit), "ServiceMonitor")
    assert monitor["metadata"]["namespace"] == "gpu-system"
    assert monitor["spec"]["namespaceSelector"] == {"matchNames": ["kueue-system"]}
    assert monitor["spec"]["selector"]["matchLabels"] == {
        "app.kubernetes.io/component": "metrics-service",
        "app.kubernetes.io/name": "kueue",
    }
    (endpoint,) = monitor["spec"]["endpoints"]
    assert (endpoint["port"], endpoint["scheme"]) == ("https", "https")
    assert endpoint["bearerTokenFile"].endswith("/token")


def test_the_fleets_prometheus_may_read_kueues_metrics() -> None:
    more = f"monitoring: {{prometheus: {{namespace: watch, serviceAccount: prom}}}}\n{TEAMS}"
    made = place(FLEETS[0], more=more).objects(kueue_monitor.emit)
    role, binding = one(made, "ClusterRole"), one(made, "ClusterRoleBinding")
    assert role["rules"] == [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "prom", "namespace": "watch"}]


def test_where_nothing_is_queued_kueue_is_not_scraped() -> None:
    assert place(FLEETS[0]).objects(kueue_monitor.emit) == ()


def test_a_real_server_keeps_every_word_of_how_things_are_scraped(empty_control_plane: ControlPlane) -> None:
    client = empty_control_plane.client
    here = place(FLEETS[2], more=TEAMS)
    for namespace in ("gpu-system", "kueue-system"):
        client.apply(reference("v1", "Namespace", namespace))
    made = (*here.objects(kueue_monitor.emit, exporters.emit), *here.of_rules(publish.emit))
    assert apply_manifests(client, made) == []
    assert stored_differences(client, made) == []


def ksm(pools: str, cluster: str = "", more: str = "") -> Any:
    here = place(pools, cluster, more)
    (made,) = settings.texts(here.fleet, here.cluster)
    assert made.path == "provisioner/eu/kube-state-metrics/values.yaml"
    return yaml.safe_load(made.text)


@pytest.mark.parametrize(
    ("pools", "cluster", "allowed"),
    [
        ("a: {tier: big}", "", []),
        ("a: {tier: big}", "stack: operator", ["card", "pool", "sharing", "tier"]),
        ("a: {tier: big, selectedBy: {labels: {example.com/pool: h100}}}", "stack: external", None),
        ("a: {tier: big}, b: {tier: gaudi}", "", ["card", "pool", "sharing", "tier"]),
    ],
)
def test_only_the_node_labels_that_rules_read_are_allowed(pools: str, cluster: str, allowed: list[str] | None) -> None:
    keys = ["example.com/pool"] if allowed is None else [f"gpuplan.dev/{name}" for name in allowed]
    assert ksm(pools, cluster)["metricLabelsAllowlist"] == ([f"nodes=[{','.join(keys)}]"] if keys else [])


def test_kube_state_metrics_keeps_the_contract_and_is_found_as_our_monitors_are() -> None:
    monitor = ksm("a: {tier: big}", more="monitoring: {selectorLabels: {prometheus: main}}")["prometheus"]["monitor"]
    assert monitor["additionalLabels"] == {"prometheus": "main"}
    assert monitor["http"]["honorLabels"] is True
    assert monitor["http"]["relabelings"][-1]["action"] == "labeldrop"
