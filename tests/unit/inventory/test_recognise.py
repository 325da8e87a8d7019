"""A format is told by what only it has; what may be somebody else's is nobody's."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan.inventory.items import Format
from gpuplan.inventory.reading.recognise import format_of, is_counters

ON: dict[str, Any] = {"enabled": True}
TOLD: list[tuple[dict[str, Any], str, Format]] = [
    ({"version": "v1", "sharing": {"timeSlicing": {}}}, "", Format.PLUGIN),
    ({"version": "v1", "flags": {"migStrategy": "mixed"}}, "", Format.PLUGIN),
    ({"sharing": {"mps": {}}, "misspelt": 1}, "", Format.PLUGIN),
    ({"version": "v1", "resources": {"gpus": []}}, "", Format.PLUGIN),
    ({"version": "v1", "mig-configs": {}}, "", Format.MIG_PARTED),
    ({"version": "v1", "mig_configs": {"a": [{"devices": "all", "mig-enabled": True}]}}, "", Format.MIG_PARTED),
    ({"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration"}, "", Format.KUEUE),
    ({"groups": [{"name": "a", "rules": []}]}, "", Format.RULES),
    ({"migManager": ON}, "", Format.OPERATOR_VALUES),
    ({"driver": ON, "toolkit": ON}, "", Format.OPERATOR_VALUES),
    ({"devicePlugin": {"enabled": True, "affinity": {}}}, "", Format.OPERATOR_VALUES),
    ({"mig": {"strategy": "mixed"}}, "", Format.OPERATOR_VALUES),
    ({"daemonsets": {"tolerations": []}}, "", Format.OPERATOR_VALUES),
    ({"driver": ON}, "apps/gpu-operator/values.yaml", Format.OPERATOR_VALUES),
    ({"config": {"map": {"default": "version: v1"}}}, "", Format.PLUGIN_VALUES),
    ({"migStrategy": "single"}, "", Format.PLUGIN_VALUES),
    ({"image": {"repository": "nvcr.io/nvidia/k8s-device-plugin"}, "x": 1}, "", Format.PLUGIN_VALUES),
    ({"tolerations": []}, "values.yaml # default values for dcgm-exporter", Format.EXPORTER_VALUES),
    ({"image": {"repository": "nvcr.io/nvidia/k8s/dcgm-exporter"}}, "", Format.EXPORTER_VALUES),
    ({"customMetrics": "x", "serviceMonitor": ON}, "", Format.EXPORTER_VALUES),
    ({"worker": {"config": {"sources": {}}}}, "", Format.NFD_VALUES),
    ({"managerConfig": {"controllerManagerConfigYaml": ""}}, "", Format.KUEUE_VALUES),
]
UNTOLD: list[tuple[Any, str]] = [
    ({"tolerations": [], "image": {"repository": "nginx"}}, ""),
    ({"tolerations": []}, "values.yaml"),
    ({"replicaCount": 1}, "charts/dcgm-exporter/values.yaml"),
    ({"devicePlugin": ON, "gfd": ON}, ""),
    ({"devicePlugin": {"deviceSplitCount": 4}, "scheduler": {}}, ""),
    ({"driver": ON}, ""),
    ({"driver": "pg", "operator": {"image": "x"}}, ""),
    ({"operator": {"image": "x"}, "validator": {}}, ""),
    ({"version": "v1", "services": {}}, ""),
    ({"version": "3", "sharing": True}, ""),
    ({"groups": ["a"]}, ""),
    ({"groups": [{"rules": []}], "users": []}, ""),
    ({"worker": {"replicas": 2}, "master": {}}, ""),
    ({"kind": "Cluster", "mig-configs": {}}, ""),
    ([1], ""),
    (None, ""),
]


@pytest.mark.parametrize(("data", "hint", "format_"), TOLD)
def test_a_mapping_tells_its_format(data: dict[str, Any], hint: str, format_: Format) -> None:
    assert format_of(data, hint) is format_


@pytest.mark.parametrize(("data", "hint"), UNTOLD)
def test_a_mapping_that_may_be_anybodys_has_no_format(data: object, hint: str) -> None:
    assert format_of(data, hint) is None


@pytest.mark.parametrize(
    ("text", "it_is"),
    [
        ("# a\n DCGM_FI_DEV_GPU_TEMP , gauge, x", True),
        ('"DCGM_FI_DEV_GPU_TEMP",gauge,x', True),
        ("see DCGM_FI_DEV_GPU_TEMP, a gauge", False),
        ("expr: DCGM_FI_DEV_GPU_TEMP > 1", False),
        ("", False),
    ],
)
def test_counters_are_records_that_begin_with_a_field_of_dcgm(text: str, it_is: bool) -> None:
    assert is_counters(text) is it_is
