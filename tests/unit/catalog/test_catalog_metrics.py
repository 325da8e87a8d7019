"""The metric table: names that Prometheus takes, help that the exporter's CSV takes, and who serves what."""

from __future__ import annotations

import re

import pytest

from gpuplan import catalog
from gpuplan.catalog import Exporter, Metric

METRICS = catalog.load().metrics
DCGM = {name: metric for name, metric in METRICS.items() if metric.exporter is Exporter.DCGM}
UNITS = {
    "",
    "bytes_per_second",
    "celsius",
    "mebibytes",
    "megahertz",
    "millijoules",
    "nanoseconds",
    "percent",
    "ratio",
    "seconds",
    "watts",
}
DEFAULT = {
    "DCGM_FI_DEV_SM_CLOCK",
    "DCGM_FI_DEV_MEM_CLOCK",
    "DCGM_FI_DEV_MEMORY_TEMP",
    "DCGM_FI_DEV_GPU_TEMP",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_MEM_COPY_UTIL",
    "DCGM_FI_DEV_ENC_UTIL",
    "DCGM_FI_DEV_DEC_UTIL",
    "DCGM_FI_DEV_XID_ERRORS",
    "DCGM_FI_DEV_FB_FREE",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_FB_RESERVED",
    "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL",
    "DCGM_FI_DEV_VGPU_LICENSE_STATUS",
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
    "DCGM_FI_DEV_ROW_REMAP_FAILURE",
    "DCGM_FI_DRIVER_VERSION",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "DCGM_FI_PROF_DRAM_ACTIVE",
    "DCGM_FI_PROF_PCIE_TX_BYTES",
    "DCGM_FI_PROF_PCIE_RX_BYTES",
}
every_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.name)


@every_metric
def test_a_metric_has_a_legal_name_type_unit_and_help(metric: Metric) -> None:
    assert re.fullmatch(r"[a-zA-Z_:][a-zA-Z0-9_:]*", metric.name)
    assert metric.type in {"gauge", "counter", "histogram", "summary", "label"}
    assert metric.unit in UNITS
    assert re.fullmatch(r"[A-Z][^,\n]*[^.,\n]", metric.help)


@every_metric
def test_only_dcgm_has_field_ids_profiling_and_renames(metric: Metric) -> None:
    if metric.exporter is not Exporter.DCGM:
        assert (metric.field_id, metric.renamed_to) == (None, None)
        assert (metric.profiling, metric.in_default) == (False, False)
        assert metric.labels


def test_the_default_counters_are_those_of_the_exporter() -> None:
    assert {name for name, metric in DCGM.items() if metric.in_default} == DEFAULT


@pytest.mark.parametrize(
    "name", ["DCGM_FI_DEV_FB_TOTAL", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "DCGM_EXP_XID_ERRORS_COUNT"]
)
def test_counters_that_people_take_for_default_are_not(name: str) -> None:
    assert not DCGM[name].in_default


def test_profiling_metrics_are_exactly_the_prof_fields() -> None:
    assert {n for n, m in DCGM.items() if m.profiling} == {n for n in DCGM if n.startswith("DCGM_FI_PROF_")}
    assert all(1001 <= (m.field_id or 0) <= 1012 for m in DCGM.values() if m.profiling)


def test_the_exporters_own_metrics_have_no_field_and_are_gauges_over_a_window() -> None:
    own = [metric for name, metric in DCGM.items() if name.startswith("DCGM_EXP_")]
    assert len(own) == 4
    assert all(metric.field_id is None and metric.type == "gauge" for metric in own)


def test_no_field_id_is_used_twice() -> None:
    ids = [metric.field_id for metric in DCGM.values() if metric.field_id is not None]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("name", "field", "unit"),
    [
        ("DCGM_FI_DEV_GPU_UTIL", 203, "percent"),
        ("DCGM_FI_DEV_FB_USED", 252, "mebibytes"),
        ("DCGM_FI_DEV_GPU_TEMP", 150, "celsius"),
        ("DCGM_FI_DEV_POWER_USAGE", 155, "watts"),
        ("DCGM_FI_DEV_XID_ERRORS", 230, ""),
        ("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", 112, ""),
        ("DCGM_FI_DEV_SM_CLOCK", 100, "megahertz"),
        ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 1001, "ratio"),
        ("DCGM_FI_PROF_PCIE_RX_BYTES", 1010, "bytes_per_second"),
        ("DCGM_FI_DEV_GPU_RECOVERY_ACTION", 1523, ""),
    ],
)
def test_a_field_has_its_number_and_unit(name: str, field: int, unit: str) -> None:
    assert (DCGM[name].field_id, DCGM[name].unit) == (field, unit)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("GPU_TEMP", "GPU_TEMP_CELSIUS"),
        ("POWER_USAGE", "BOARD_POWER_WATTS"),
        ("XID_ERRORS", "XID_ERROR"),
        ("GPU_UTIL", "GPU_UTIL_RATIO"),
        ("UNCORRECTABLE_REMAPPED_ROWS", "ROW_REMAP_UNCORRECTABLE_TOTAL"),
        ("ROW_REMAP_FAILURE", "ROW_REMAP_FAILED"),
        ("PCIE_REPLAY_COUNTER", "PCIE_REPLAY_TOTAL"),
        ("NVLINK_BANDWIDTH_TOTAL", "NVLINK_THROUGHPUT_TOTAL"),
        ("CLOCK_THROTTLE_REASONS", "CLOCKS_EVENT_REASONS"),
    ],
)
def test_a_field_that_dcgm_4_6_renamed_keeps_its_old_name_as_the_key(old: str, new: str) -> None:
    assert DCGM[f"DCGM_FI_DEV_{old}"].renamed_to == f"DCGM_FI_DEV_{new}"


def test_a_new_name_is_no_old_name_of_another_field() -> None:
    new = [metric.renamed_to for metric in DCGM.values() if metric.renamed_to]
    assert len(new) == len(set(new))
    assert not set(new) & set(DCGM)


def test_utilisation_and_remapping_are_not_served_for_mig_instances() -> None:
    missing = {name for name, metric in DCGM.items() if not metric.on_mig and "onMig" not in metric.unchecked}
    assert {"DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_MEM_COPY_UTIL", "DCGM_FI_DEV_ROW_REMAP_FAILURE"} <= missing
    assert DCGM["DCGM_FI_PROF_GR_ENGINE_ACTIVE"].on_mig
    assert DCGM["DCGM_FI_DEV_FB_USED"].on_mig


def test_row_remapping_exists_from_ampere_on() -> None:
    assert {n for n, m in DCGM.items() if m.from_architecture} == {n for n in DCGM if "REMAP" in n}
    assert {m.from_architecture for m in DCGM.values()} == {None, "ampere"}


def test_kueue_metrics_carry_the_replica_role_that_doubles_sums() -> None:
    kueue = [metric for metric in METRICS.values() if metric.exporter is Exporter.KUEUE]
    assert kueue
    assert all("replica_role" in metric.labels for metric in kueue)


def test_kueue_quota_gauges_need_their_switch() -> None:
    switched = {n for n, m in METRICS.items() if m.needs == "metrics.enableClusterQueueResources"}
    assert "kueue_cluster_queue_nominal_quota" in switched
    assert "kueue_cluster_queue_resource_usage" in switched
    assert "kueue_pending_workloads" not in switched
