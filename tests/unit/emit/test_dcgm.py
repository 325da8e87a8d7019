"""What the exporter collects, what it may do, and which labels its series end up with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from gpuplan.catalog import load
from gpuplan.emit import dcgm
from tests.unit.emit.fleets import assert_golden, environment, one, place, pod

WHOLE = "a: {tier: big}"
MIG = "a: {sharing: {mig: {profiles: {1g.5gb: 7}}}}"
SLICED = "a: {tier: desk, sharing: {timeSlicing: {replicas: 4}}}"
PLAIN = "a: {tier: desk, sharing: {timeSlicing: {replicas: 4, renameByDefault: false}}}"
NO_PROFILING = "monitoring: {exporter: {profiling: false}}"
TYPES = ("gauge", "counter", "histogram", "summary", "label")


def csv(more: str = "", pools: str = WHOLE, cluster: str = "") -> dict[str, tuple[str, str]]:
    """Read the counters as the exporter does: three fields a line, spaces around them trimmed, anything else fatal."""
    text = one(place(pools, cluster, more).objects(dcgm.emit), "ConfigMap")["data"]["counters.csv"]
    read: dict[str, tuple[str, str]] = {}
    for line in text.splitlines():
        fields = [field.strip() for field in line.split(",")]
        assert len(fields) == 3, f"{line!r} has {len(fields)} fields"
        name, kind, text = fields
        assert re.fullmatch(r"DCGM_(FI|EXP)_[A-Z0-9_]+", name)
        assert kind in TYPES, line
        assert text, line
        assert name not in read, f"{name} twice"
        read[name] = (kind, text)
    return read


def exporter(pools: str, more: str = "") -> Any:
    return pod(one(place(pools, more=more).objects(dcgm.emit), "DaemonSet"))["containers"][0]


def test_the_list_is_the_exporters_own_and_what_alerts_need() -> None:
    names = csv().keys()
    usual = {metric.name for metric in load().metrics.values() if metric.in_default and metric.type != "label"}
    assert usual <= names
    assert names - usual == {
        "DCGM_EXP_XID_ERRORS_COUNT",
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
        "DCGM_FI_DEV_GPU_RECOVERY_ACTION",
        "DCGM_FI_DEV_GPU_TEMP_LIMIT",
        "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL",
        "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL",
        "DCGM_FI_DEV_ROW_REMAP_PENDING",
        "DCGM_FI_DEV_SLOWDOWN_TEMP",
    }


def test_a_field_that_the_releases_exporter_does_not_know_is_left_out_since_it_would_not_start() -> None:
    older = csv(cluster='release: "2026.05"')
    assert csv().keys() - older.keys() == {"DCGM_FI_DEV_GPU_RECOVERY_ACTION"}


def test_fields_that_no_card_of_the_cluster_can_have_are_not_asked_for() -> None:
    remapping = {name for name in csv() if "REMAP" in name}
    assert len(remapping) == 4
    assert not remapping & csv(pools="a: {tier: desk}").keys()
    assert remapping <= csv(pools="a: {tier: desk}, b: {tier: big}").keys()


def test_counts_in_a_window_are_gauges_since_they_fall_again() -> None:
    assert csv()["DCGM_EXP_XID_ERRORS_COUNT"][0] == "gauge"


def test_the_drivers_version_splits_no_series_unless_asked_for() -> None:
    assert "DCGM_FI_DRIVER_VERSION" not in csv()
    asked = csv("monitoring: {exporter: {extraCounters: [DCGM_FI_DRIVER_VERSION, DCGM_FI_DEV_FB_TOTAL]}}")
    assert asked["DCGM_FI_DRIVER_VERSION"][0] == "label"
    assert asked["DCGM_FI_DEV_FB_TOTAL"][0] == "gauge"


def test_a_field_that_the_catalogue_does_not_know_is_a_gauge() -> None:
    assert csv("monitoring: {exporter: {extraCounters: [DCGM_FI_DEV_NEW]}}")["DCGM_FI_DEV_NEW"][0] == "gauge"


ROOT = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "runAsUser": 0}
ADMIN = {"allowPrivilegeEscalation": False, "capabilities": {"add": ["SYS_ADMIN"], "drop": ["ALL"]}, "runAsUser": 0}


@pytest.mark.parametrize(
    ("pools", "more", "rights"),
    [
        (WHOLE, "", ADMIN),
        (WHOLE, NO_PROFILING, ROOT),
        (SLICED, NO_PROFILING, ROOT),
        (MIG, NO_PROFILING, ADMIN),
        (WHOLE, "monitoring: {exporter: {profiling: false, extraCounters: [DCGM_FI_PROF_SM_ACTIVE]}}", ADMIN),
    ],
)
def test_the_exporter_gets_sys_admin_only_for_profiling_or_mig(pools: str, more: str, rights: dict[str, Any]) -> None:
    assert exporter(pools, more)["securityContext"] == rights


def test_without_profiling_no_profiling_field_is_collected() -> None:
    assert not [name for name in csv(NO_PROFILING) if name.startswith("DCGM_FI_PROF_")]


@pytest.mark.parametrize(
    ("pools", "virtual", "names"),
    [
        (WHOLE, None, None),
        (MIG, None, None),
        (SLICED, "true", "nvidia.com/gpu.shared"),
        (PLAIN, "true", None),
        ("a: {tier: desk, sharing: {mps: {replicas: 4}}}", "true", "nvidia.com/gpu.shared"),
    ],
)
def test_shared_cards_are_told_to_the_exporter_with_their_name(
    pools: str, virtual: str | None, names: str | None
) -> None:
    told = environment(exporter(pools))
    assert told.get("KUBERNETES_VIRTUAL_GPUS") == virtual
    assert told.get("NVIDIA_RESOURCE_NAMES") == names
    spec = pod(one(place(pools).objects(dcgm.emit), "DaemonSet"))
    assert spec.get("hostPID") == (True if virtual else None)


def test_samples_are_taken_as_often_as_they_are_scraped() -> None:
    here = place(WHOLE, more="monitoring: {exporter: {intervalSeconds: 5}}")
    made = here.objects(dcgm.emit)
    assert environment(pod(one(made, "DaemonSet"))["containers"][0])["DCGM_EXPORTER_INTERVAL"] == "5000"
    (endpoint,) = one(made, "ServiceMonitor")["spec"]["endpoints"]
    assert (endpoint["interval"], endpoint["scrapeTimeout"]) == ("5s", "5s")


def relabelled(target: Mapping[str, str], steps: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Apply Prometheus' relabelling, as far as we use it; labels that begin with `__` are dropped at the end."""
    labels = dict(target)
    for step in steps:
        if step["action"] == "labeldrop":
            labels = {key: value for key, value in labels.items() if not re.fullmatch(step["regex"], key)}
        else:
            assert step["action"] == "replace"
            labels[step["targetLabel"]] = ";".join(labels.get(source, "") for source in step["sourceLabels"])
    return {key: value for key, value in labels.items() if value and not key.startswith("__")}


def test_a_card_belongs_to_its_pod_or_to_nobody_but_never_to_the_exporter() -> None:
    (endpoint,) = one(place(WHOLE).objects(dcgm.emit), "ServiceMonitor")["spec"]["endpoints"]
    target = {
        "__meta_kubernetes_pod_node_name": "n1",
        "__meta_kubernetes_pod_label_gpuplan_dev_pool": "a",
        "namespace": "gpu-system",
        "pod": "nvidia-dcgm-exporter-a-x",
        "container": "nvidia-dcgm-exporter",
        "service": "nvidia-dcgm-exporter",
        "endpoint": "metrics",
        "job": "nvidia-dcgm-exporter",
        "instance": "10.0.0.1:9400",
    }
    kept = relabelled(target, endpoint["relabelings"])
    assert kept == {"job": "nvidia-dcgm-exporter", "instance": "10.0.0.1:9400", "node": "n1", "pool": "a"}
    assert endpoint["honorLabels"] is True


def test_one_monitor_finds_the_exporters_of_all_pools() -> None:
    made = place("a: {tier: big}, b: {tier: desk}", more="monitoring: {selectorLabels: {prometheus: main}}").objects(
        dcgm.emit
    )
    monitor, service = one(made, "ServiceMonitor"), one(made, "Service")
    assert monitor["metadata"]["labels"]["prometheus"] == "main"
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    sets = [each for each in made if each["kind"] == "DaemonSet"]
    assert len(sets) == 2
    for daemon_set in sets:
        assert service["spec"]["selector"].items() <= daemon_set["spec"]["template"]["metadata"]["labels"].items()
    ports = {port["name"] for each in sets for port in pod(each)["containers"][0]["ports"]}
    assert ports == {service["spec"]["ports"][0]["targetPort"]} == {monitor["spec"]["endpoints"][0]["port"]}


def test_other_counters_roll_the_exporters() -> None:
    names = {
        one(place(WHOLE, more=more).objects(dcgm.emit), "ConfigMap")["metadata"]["name"] for more in ("", NO_PROFILING)
    }
    assert len(names) == 2


@pytest.mark.parametrize(("pools", "cluster"), [("a: {tier: amd}", ""), (WHOLE, "stack: external")])
def test_other_makers_and_other_peoples_exporters_are_left_alone(pools: str, cluster: str) -> None:
    assert place(pools, cluster).objects(dcgm.emit) == ()


def test_an_exporter_of_shared_cards_reads_like_this() -> None:
    assert_golden("dcgm-exporter", place(SLICED, more=NO_PROFILING).objects(dcgm.emit))
