"""What is recorded for a bill, evaluated by the newest and the oldest promtool from series of an odd minute."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from gpuplan.emit.monitoring import cost, showback
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Fleet
from tests.build import fleet

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers:
  train: {cards: [h100-sxm-80gb], costPerCardHour: 2.40 USD}
  lab: {cards: [a100-sxm-40gb], costPerCardHour: 1.05 USD}
  free: {cards: [l40s]}
defaults: {nodePool: {cluster: eu, cardsPerNode: 8, topologyLabels: provided}}
nodePools:
  h100-a: {tier: train, nodes: 2, selectedBy: {labels: {pool: h100}}}
  a100-lab: {tier: lab, nodes: 1, selectedBy: {labels: {pool: a100}}, sharing: {mig: {profiles: {1g.5gb: 7}, strategy: mixed}}}
  l40s: {tier: free, nodes: 1, selectedBy: {labels: {pool: l40s}}}
taskPools:
  pretrain: {kind: training, service: guaranteed, tiers: [train]}
  notebooks: {kind: experiment, service: queued, tiers: [lab]}
  batch: {kind: batchInference, service: queued, tiers: [free]}
teams:
  vision: {namespaces: [vision], quotas: {pretrain: {train: {guaranteed: 10}}, notebooks: {lab: {guaranteed: 10}}}}
  nlp: {namespaces: [nlp], quotas: {pretrain: {train: {guaranteed: 4}}, batch: {free: {guaranteed: 2}}}}
delivery: {argocd: {repoURL: "https://git.acme.example/fleet.git"}}
"""
CARD = "nvidia.com/gpu"
SLICE = "nvidia.com/mig-1g.5gb"
HELD = {  # (namespace, pod, node, resource): units
    ("vision", "a", "h1", "nvidia_com_gpu"): 8,
    ("vision", "b", "h2", "nvidia_com_gpu"): 2,
    ("vision", "c", "m1", "nvidia_com_mig_1g_5gb"): 3,
    ("nobody", "d", "h2", "nvidia_com_gpu"): 1,
}


def number(value: float) -> str:
    return f"{value}x1"


def inputs() -> dict[str, float]:
    """Return the series of one minute, as the groups before ours record them."""
    labels = 'namespace="{}",pod="{}",node="{}",resource="{}"'
    kueue = 'kueue_cluster_queue_{}{{cluster_queue="{}",flavor="{}",resource="{}",replica_role="{}",cohort="x"}}'
    made: dict[str, float] = {
        f"gpuplan:pod_gpu_requests:sum{{{labels.format(*key)}}}": units for key, units in HELD.items()
    }
    for node, pool in (("h1", "h100-a"), ("h2", "h100-a"), ("m1", "a100-lab")):
        made[f'gpuplan:node_pool:info{{node="{node}",pool="{pool}"}}'] = 1
    for pool, resource, fraction in (
        ("h100-a", "nvidia_com_gpu", 1.0),
        ("a100-lab", "nvidia_com_mig_1g_5gb", 1 / 7),
        ("l40s", "nvidia_com_gpu", 1),
    ):
        made[f'gpuplan_pool_gpu_fraction{{pool="{pool}",resource="{resource}"}}'] = fraction
    for pool, tier, cards, price in (
        ("h100-a", "train", 16, 2.4),
        ("a100-lab", "lab", 8, 1.05),
        ("l40s", "free", 8, 0),
    ):
        made[f'gpuplan:pool_gpus_capacity:sum{{pool="{pool}"}}'] = cards
        made[f'gpuplan_pool_info{{pool="{pool}",tier="{tier}",card="x",sharing="y"}}'] = 1
        if price:
            made[f'gpuplan_pool_card_hourly_cost{{pool="{pool}",currency="USD"}}'] = price
    for team in ("vision", "nlp"):
        made[f'gpuplan_namespace_team_info{{namespace="{team}",team="{team}"}}'] = 1
    for pool, held in (("h100-a", 10.0), ("a100-lab", 3 / 7)):
        made[f'gpuplan:team_gpus_allocated:sum{{team="vision",pool="{pool}"}}'] = held
    made['gpuplan:team_gpus_idle:sum{team="vision",pool="h100-a"}'] = 2
    # a is half busy on its cards, b is not measured, c reads garbage on one instance, and the exporter has a row of its own
    for number_ in range(8):
        made[f'gpuplan:gpu_util:ratio{{namespace="vision",pod="a",node="h1",gpu="{number_}",pool="h100-a"}}'] = 0.5
    made['gpuplan:gpu_util:ratio{namespace="vision",pod="c",node="m1",gpu="0",GPU_I_ID="1",pool="a100-lab"}'] = 0.7
    made['gpuplan:gpu_util:ratio{node="h2",gpu="7",pool="h100-a"}'] = 1
    for queue, team in (("vision-pretrain", "vision"), ("nlp-pretrain", "nlp"), ("vision-notebooks", "vision")):
        made[f'gpuplan_clusterqueue_team_info{{cluster_queue="{queue}",team="{team}",task_pool="p",service="s"}}'] = 1
    for queue, flavor, resource, quota, usage in (
        ("vision-pretrain", "train-h100-sxm-80gb", CARD, 10, 13),
        ("nlp-pretrain", "train-h100-sxm-80gb", CARD, 4, 1),
        ("vision-notebooks", "lab-a100-sxm-40gb-mig-7x1g.5gb", SLICE, 10, 17),
    ):
        made[kueue.format("nominal_quota", queue, flavor, resource, "leader")] = quota
        made[kueue.format("resource_usage", queue, flavor, resource, "leader")] = usage
        made[kueue.format("resource_usage", queue, flavor, resource, "follower")] = 99
    return made


EXPECTED: dict[str, dict[str, Any]] = {
    # 16 x 2.40 = 24.00 + 2.40 + 12.00, and 8 x 1.05 = 0.45 + 7.95
    "gpuplan:pool_gpu_cost:per_hour": {'currency="USD", pool="h100-a"': 38.4, 'currency="USD", pool="a100-lab"': 8.4},
    "gpuplan:team_gpu_cost:per_hour": {
        'currency="USD", pool="h100-a", team="vision"': 24,
        'currency="USD", pool="a100-lab", team="vision"': 0.45,
    },
    "gpuplan:team_gpu_idle_cost:per_hour": {'currency="USD", pool="h100-a", team="vision"': 4.8},
    "gpuplan:pool_gpu_unallocated_cost:per_hour": {
        'currency="USD", pool="h100-a"': 12,
        'currency="USD", pool="a100-lab"': 7.95,
    },
    "gpuplan:pool_gpus_billed:sum": {'pool="h100-a"': 16, 'pool="a100-lab"': 8, 'pool="l40s"': 8},
    "gpuplan:pool_gpus_without_team:sum": {'pool="h100-a"': 1, 'pool="a100-lab"': 0, 'pool="l40s"': 0},
    "gpuplan:pool_gpu_without_team_cost:per_hour": {
        'currency="USD", pool="h100-a"': 2.4,
        'currency="USD", pool="a100-lab"': 0,
    },
    "gpuplan:team_gpus_billed:sum": {'pool="h100-a", team="vision"': 10, 'pool="a100-lab", team="vision"': 0.428571},
    "gpuplan:team_gpus_idle_billed:sum": {'pool="h100-a", team="vision"': 2},
    "gpuplan:team_gpus_used:sum": {'pool="h100-a", team="vision"': 4, 'pool="a100-lab", team="vision"': 0.3},
    "gpuplan:team_gpu_used_cost:per_hour": {
        'currency="USD", pool="h100-a", team="vision"': 9.6,
        'currency="USD", pool="a100-lab", team="vision"': 0.315,
    },
    "gpuplan:team_gpus_borrowed:sum": {
        'team="vision", tier="train"': 3,
        'team="nlp", tier="train"': 0,
        'team="vision", tier="lab"': 1,
    },
    "gpuplan:team_gpu_borrowed_cost:per_hour": {
        'currency="USD", team="vision", tier="train"': 7.2,
        'currency="USD", team="nlp", tier="train"': 0,
        'currency="USD", team="vision", tier="lab"': 1.05,
    },
    "gpuplan_team_reserved_gpus": {
        'team="vision", tier="train"': 10,
        'team="vision", tier="lab"': 1.428571,
        'team="nlp", tier="train"': 4,
        'team="nlp", tier="free"': 2,
    },
    "gpuplan_team_reserved_gpu_cost": {
        'currency="USD", team="vision", tier="train"': 24,
        'currency="USD", team="vision", tier="lab"': 1.5,
        'currency="USD", team="nlp", tier="train"': 9.6,
    },
}


@pytest.fixture(scope="module")
def made() -> Fleet:
    return fleet(SPEC)


def test_what_is_recorded_for_a_bill_is_what_was_computed_by_hand(
    promtools: tuple[Path, ...], made: Fleet, tmp_path: Path
) -> None:
    (cluster,) = made.clusters
    (facts,), (prices,) = showback.groups(made, cluster), cost.groups(made, cluster)
    group = {"name": "all", "interval": prices.interval, "rules": [*facts.records, *prices.records]}
    rules = tmp_path / "rules.yaml"
    rules.write_text(yaml_text({"groups": [group]}), encoding="utf-8")
    asked = [
        {
            "expr": f"round({name}, 1e-6)",
            "eval_time": "1m",
            "exp_samples": [{"labels": f"{{{labels}}}", "value": value} for labels, value in expected.items()],
        }
        for name, expected in EXPECTED.items()
    ]
    series = [{"series": name, "values": number(value)} for name, value in inputs().items()]
    test = {"interval": "1m", "input_series": series, "promql_expr_test": asked}
    (tmp_path / "test.yaml").write_text(
        yaml_text({"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": [test]}), encoding="utf-8"
    )
    for tool in promtools:
        for arguments in (
            ("check", "rules", "--lint=all", "--lint-fatal", "rules.yaml"),
            ("test", "rules", "test.yaml"),
        ):
            done = subprocess.run([tool, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
