"""What the rules of monitoring tell people to write is what is right, number by number."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplan import catalog
from gpuplan.inventory.assuming import assumed
from gpuplan.lint import lint

RULE = """apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {{name: cards, namespace: monitoring}}
spec: {{groups: [{{name: cards, rules: [{{{kind}: "{name}", expr: "{expr}"}}]}}]}}
"""
CASES = {
    ("card_memory_used_bytes", "DCGM_FI_DEV_MEM_COPY_UTIL"): "`DCGM_FI_DEV_FB_USED * 1048576`",
    ("card_memory_used_bytes", "DCGM_FI_DEV_FB_USED"): "`DCGM_FI_DEV_FB_USED * 1048576`",
    ("card_memory_total_bytes", "DCGM_FI_DEV_FB_TOTAL"): (
        "`(DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE + DCGM_FI_DEV_FB_RESERVED) * 1048576`"
    ),
    ("card_sm_clock_hertz", "DCGM_FI_DEV_SM_CLOCK"): "`DCGM_FI_DEV_SM_CLOCK * 1000000`",
    ("card_energy_joules", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"): "`DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION / 1000`",
    ("node:util:ratio", "avg by (node) (DCGM_FI_DEV_GPU_UTIL)"): "`avg by (node) (DCGM_FI_DEV_GPU_UTIL) / 100`",
    (
        "CardIdle",
        "avg_over_time(DCGM_FI_DEV_GPU_UTIL[1h]) < 5",
    ): "`avg_over_time(DCGM_FI_PROF_GR_ENGINE_ACTIVE[1h]) < 0.05`",
    (
        "Brake",
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS and 128 != bool 0",
    ): "`DCGM_FI_DEV_CLOCK_THROTTLE_REASONS % 256 >= 128`",
    ("Hot", "DCGM_FI_DEV_GPU_TMEP > 85"): "`DCGM_FI_DEV_GPU_TEMP`",
    ("New", "DCGM_FI_DEV_GPU_TEMP_CELSIUS > 85"): "`DCGM_FI_DEV_GPU_TEMP`",
    ("Full", "DCGM_FI_DEV_FB_FREE < 1073741824"): "`1024`",
    ("slices", "kube_node_status_capacity{resource='nvidia.com/mig-1g.10gb'}"): '`resource="nvidia_com_mig_1g_10gb"`',
    ("used", "kueue_cluster_queue_resource_usage{resource='nvidia_com_mig_1g_10gb_me'}"): (
        '`resource="nvidia.com/mig-1g.10gb.me"`'
    ),
}
MIG = ("CardIdle",)


@pytest.mark.parametrize(("name", "expression"), CASES)
def test_the_fix_is_the_right_expression(name: str, expression: str, tmp_path: Path) -> None:
    kind = "alert" if name[0].isupper() else "record"
    file = tmp_path / "rules.yaml"
    file.write_text(RULE.format(kind=kind, name=name, expr=expression))
    facts = assumed(["counters=default", *(["mig=true"] if name in MIG else [])], catalog.load().cards)
    fixes = [one.fix for one in lint([file], facts).findings if one.rule.startswith("mon/")]
    assert any(CASES[name, expression] in fix for fix in fixes), fixes
