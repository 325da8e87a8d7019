"""How the exporters of other vendors are scraped."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan.emit import emitters, exporters
from gpuplan.validate.schemas import violations
from tests.unit.emit.fleets import assert_golden, one, place

EVERY = """
amd: {tier: amd, stack: operator, sharing: {partition: {compute: CPX}}},
more: {tier: amd, stack: operator, selectedBy: {labels: {pool: more}}},
gaudi: {tier: gaudi}, ascend: {tier: ascend, sharing: {vnpu: {templates: {vir02: 4}}}}, nvidia: {tier: big}
"""


def monitor(name: str, pools: str = EVERY, cluster: str = "", more: str = "") -> Any:
    return one(place(pools, cluster, more).objects(exporters.emit), "ServiceMonitor", name)


def test_each_family_of_the_cluster_is_scraped_once_and_nvidias_elsewhere() -> None:
    made = place(EVERY).objects(exporters.emit)
    assert [each["metadata"]["name"] for each in made] == [
        "amd-device-metrics-exporter",
        "npu-exporter",
        "habana-metric-exporter",
    ]


@pytest.mark.parametrize("stack", ["manual", "operator"])
def test_an_exporter_is_scraped_whoever_runs_the_other_agents(stack: str) -> None:
    assert monitor("habana", "a: {tier: gaudi}", f"stack: {stack}")


def test_what_others_run_they_scrape() -> None:
    assert place(EVERY.replace("stack: operator, ", ""), "stack: external").objects(exporters.emit) == ()


def test_the_service_of_each_device_config_is_selected_and_no_other() -> None:
    selector = monitor("amd")["spec"]["selector"]
    assert selector == {
        "matchExpressions": [
            {
                "key": "app.kubernetes.io/service",
                "operator": "In",
                "values": ["amd-metrics-exporter", "more-metrics-exporter"],
            }
        ]
    }


def test_an_exporter_is_looked_for_where_its_chart_puts_it() -> None:
    assert monitor("amd")["spec"]["namespaceSelector"] == {"matchNames": ["kube-amd-gpu"]}
    assert monitor("npu")["spec"]["namespaceSelector"] == {"matchNames": ["npu-exporter"]}
    openshift = monitor("amd", "a: {tier: amd, stack: operator}", "distribution: openshift, os: rhcos4")
    assert openshift["spec"]["namespaceSelector"] == {"matchNames": ["openshift-amd-gpu"]}


def test_an_exporter_without_a_home_is_found_by_its_labels_alone() -> None:
    more = """
---
cards: {max1550: {vendor: intel, productName: Intel-Max-1550, memoryGiB: 128}}
cardTiers: {intel: {cards: [max1550]}}
"""
    spec = monitor("xpumd", "a: {tier: intel}", more=more)["spec"]
    assert spec["namespaceSelector"] == {"any": True}
    assert spec["selector"] == {"matchLabels": {"app.kubernetes.io/name": "xpumd"}}


@pytest.mark.parametrize("name", ["amd", "npu", "habana"])
def test_series_keep_the_pod_that_holds_the_card_and_get_the_node_of_the_exporter(name: str) -> None:
    (endpoint,) = monitor(name)["spec"]["endpoints"]
    assert endpoint["honorLabels"] is True
    node, *_, dropped = endpoint["relabelings"]
    assert (node["sourceLabels"], node["targetLabel"]) == (["__meta_kubernetes_pod_node_name"], "node")
    assert dropped == {"action": "labeldrop", "regex": "(pod|namespace|container|service|endpoint)"}


def test_a_port_is_named_as_the_service_names_it_or_by_its_number() -> None:
    assert monitor("amd")["spec"]["endpoints"][0]["port"] == "exporter-port"
    nameless = monitor("npu")["spec"]["endpoints"][0]
    assert ("port" in nameless, nameless["targetPort"]) == (False, 8082)


def test_the_pool_comes_from_the_pod_where_that_knows_it() -> None:
    targets = {name: [step.get("targetLabel") for step in steps(name)] for name in ("amd", "habana")}
    assert ("pool" in targets["amd"], "pool" in targets["habana"]) == (True, False)


def steps(name: str) -> list[dict[str, Any]]:
    return list(monitor(name)["spec"]["endpoints"][0]["relabelings"])


def test_who_holds_a_card_is_called_the_same_for_every_vendor() -> None:
    renamed = {
        name: [
            (step["sourceLabels"], step["targetLabel"])
            for step in monitor(name)["spec"]["endpoints"][0]["metricRelabelings"]
            if step["action"] == "replace"
        ]
        for name in ("amd", "habana", "npu")
    }
    assert renamed == {
        "amd": [],
        "habana": [(["pod_namespace"], "namespace"), (["pod_name"], "pod")],
        "npu": [(["container_name"], "container"), (["pod_name"], "pod")],
    }


def test_the_fleets_prometheus_finds_the_monitors_and_the_spec_sets_the_interval() -> None:
    more = "monitoring: {selectorLabels: {prometheus: main}, exporter: {intervalSeconds: 60}}"
    made = monitor("amd", more=more)
    assert made["metadata"]["labels"]["prometheus"] == "main"
    assert made["spec"]["endpoints"][0]["interval"] == "60s"


def test_every_object_fits_its_schema_and_is_emitted() -> None:
    here = place(EVERY)
    made = emitters.emit(here.fleet, lambda *_: None)
    assert list(violations(made)) == []
    assert {"amd-device-metrics-exporter", "npu-exporter", "habana-metric-exporter"} <= {
        each.key.name for each in made if each.key.kind == "ServiceMonitor"
    }


def test_the_monitors_read_like_this() -> None:
    assert_golden("vendor-exporters", place(EVERY).objects(exporters.emit))
