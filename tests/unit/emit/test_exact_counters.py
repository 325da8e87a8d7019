"""An exact list of counters: it is collected as it stands, and nothing reads what is not in it."""

from __future__ import annotations

import re

import pytest

from gpuplan import conventions, pipeline
from gpuplan.emit import counters
from gpuplan.emit.monitoring import publish
from gpuplan.inventory.metrics.counters import read
from gpuplan.model.fleet import Fleet
from tests.build import fleet

SMALL = ("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_ROW_REMAP_FAILURE", "DCGM_FI_DEV_FB_USED")


def of(monitoring: str) -> Fleet:
    return fleet(f"""
apiVersion: gpuplan.dev/v1alpha1
metadata: {{name: acme}}
clusters: {{eu: {{kubernetes: "1.36"}}}}
cardTiers: {{train: {{cards: [h100-sxm-80gb]}}}}
nodePools: {{a: {{cluster: eu, tier: train, nodes: 4, cardsPerNode: 8, selectedBy: {{labels: {{pool: a}}}}}}}}
taskPools: {{pretrain: {{kind: training, service: guaranteed, tiers: [train]}}}}
teams: {{vision: {{namespaces: [vision], quotas: {{pretrain: {{train: {{guaranteed: 8}}}}}}}}}}
monitoring: {{exporter: {{{monitoring}}}}}
""")


def alerts(made: Fleet) -> set[str]:
    return {alert.name for group in publish.groups(made, made.clusters[0]) for alert in group.alerts}


def expressions(made: Fleet) -> list[str]:
    groups = tuple(publish.groups(made, made.clusters[0]))
    return [
        *(rule["expr"] for group in groups for rule in group.records),
        *(alert.expr for group in groups for alert in group.alerts),
    ]


def test_the_list_is_collected_as_it_stands() -> None:
    made = of(f"counters: [{', '.join(SMALL)}], extraCounters: [DCGM_FI_DEV_FAN_SPEED]")
    assert set(counters.collected(made, made.clusters[0])) == {*SMALL, "DCGM_FI_DEV_FAN_SPEED"}


@pytest.mark.parametrize("names", [SMALL, ("DCGM_FI_DEV_GPU_TEMP",), ("DCGM_FI_PROF_GR_ENGINE_ACTIVE",)])
def test_no_rule_reads_a_field_that_is_not_in_it(names: tuple[str, ...]) -> None:
    read_fields = {
        name for text in expressions(of(f"counters: [{', '.join(names)}]")) for name in re.findall(r"DCGM_F\w+", text)
    }
    assert read_fields <= set(names)


def test_no_rule_reads_a_series_that_is_recorded_no_more() -> None:
    usual, small = of(""), of("counters: [DCGM_FI_DEV_GPU_TEMP]")
    gone = recorded(usual) - recorded(small)
    assert "gpuplan:team_tensor_active:avg" in gone
    assert not [text for text in expressions(small) if gone & set(re.findall(r"gpuplan[:_][\w:]+", text))]


def recorded(made: Fleet) -> set[str]:
    return {rule["record"] for group in publish.groups(made, made.clusters[0]) for rule in group.records}


def test_alerts_on_what_is_collected_stay_and_others_go() -> None:
    usual, small = alerts(of("")), alerts(of(f"counters: [{', '.join(SMALL)}]"))
    assert {"GpuThermalMarginLow", "TrainingThroughputDrop"} <= usual - small
    assert "KueueMetricsMissing" in small


def test_without_profiling_fields_the_exporter_needs_no_more_rights() -> None:
    manifests, _ = pipeline.render(of(f"counters: [{', '.join(SMALL)}]"))
    assert manifests is not None
    (exporter,) = [
        one for one in manifests if one.key.name == f"{conventions.DCGM_EXPORTER}-a" and one.key.kind == "DaemonSet"
    ]
    assert "SYS_ADMIN" not in str(exporter.object)
    (config,) = [one for one in manifests if one.key.name.startswith(conventions.DCGM_COUNTERS)]
    (text,) = dict(config.object)["data"].values()  # type: ignore[attr-defined]  # a ConfigMap
    assert {one.name for one in read(text).records} == set(SMALL)
