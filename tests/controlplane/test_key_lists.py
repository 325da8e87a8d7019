"""The key lists against the modules that they come from: fresh, and nothing in a chart's own values is unknown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuplan.catalog import keys
from gpuplan.catalog.keys import ITEM, Key
from tests.controlplane import make_keys
from tests.controlplane.modulefiles import GPU_OPERATOR, KUEUE, Module, module_folder

CHARTS = {
    "gpu-operator-values": (GPU_OPERATOR, make_keys.OPERATOR_CHART),
    "nfd-values": (GPU_OPERATOR, make_keys.NFD_CHART),
    "kueue-values": (KUEUE, "charts/kueue"),
}

pytestmark = [pytest.mark.controlplane, pytest.mark.usefixtures("promtool")]  # skips where Go is absent


def unknown(value: Any, key: Key, path: str = "") -> Iterator[str]:
    if isinstance(value, dict) and key.children:
        for name, inner in value.items():
            child = key.child(str(name))
            yield from unknown(inner, child, f"{path}.{name}") if child else [f"{path}.{name}"]
    elif isinstance(value, list) and ITEM in key.children:
        for inner in value:
            yield from unknown(inner, key.children[ITEM], f"{path}[]")


def test_the_lists_are_what_the_modules_say() -> None:
    assert make_keys.main(check_only=True) == 0


@pytest.mark.parametrize("name", CHARTS)
def test_a_charts_own_values_are_all_known(name: str) -> None:
    module, folder = CHARTS[name]
    values = yaml.safe_load((module_folder(module) / folder / "values.yaml").read_text(encoding="utf-8"))
    assert list(unknown(values, keys.load(name).root)) == []


@pytest.mark.parametrize("module", [make_keys.OLDER_KUEUE, KUEUE], ids=lambda module: module.version)
def test_the_configuration_that_a_kueue_chart_brings_is_all_known(module: Module) -> None:
    chart = yaml.safe_load((module_folder(module) / "charts/kueue/values.yaml").read_text(encoding="utf-8"))
    configuration = yaml.safe_load(chart["managerConfig"]["controllerManagerConfigYaml"])
    version = Path(configuration["apiVersion"]).name
    assert list(unknown(configuration, keys.load(f"kueue-configuration-{version}").root)) == []


def test_a_policy_with_a_key_too_many_is_noticed() -> None:
    policy = {"spec": {"driver": {"upgradePolicy": {"gpuPodDeletion": {}}, "env": [{"name": "A", "valueFrom": {}}]}}}
    assert list(unknown(policy, keys.load("clusterpolicy").root)) == [
        ".spec.driver.upgradePolicy.gpuPodDeletion",
        ".spec.driver.env[].valueFrom",
    ]
