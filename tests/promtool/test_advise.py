"""The four measures of a pilot give the numbers that happened, by Prometheus' own tool in both versions."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from gpuplan.advise.measures import measures
from gpuplan.advise.settings import settings
from gpuplan.emit.monitoring import base_rules, info
from gpuplan.manifests.write import yaml_text
from gpuplan.model.answers import NO_ANSWERS
from tests.build import fleet

FLEET = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: tiny}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {lab: {cards: [l4]}}
nodePools:
  a: {cluster: eu, tier: lab, nodes: 2, cardsPerNode: 4, selectedBy: {nfd: {}}}
delivery: {argocd: {repoURL: "https://git.acme.example/fleet.git"}}
"""
DAY = 24 * 60
OFFERS = "kube_node_status_allocatable"
HELD = {"namespace": "web", "container": "c", "node": "n1", "resource": "nvidia_com_gpu"}


def series(name: str, values: str, **labels: str) -> dict[str, str]:
    inside = ", ".join(f'{label}="{value}"' for label, value in labels.items())
    return {"series": f"{name}{{{inside}}}", "values": values}


def node(name: str, cards: str) -> list[dict[str, str]]:
    """A node with its agent, its cards, and a hundredth of its CPU asked for by the agent."""
    agent = {"namespace": "gpu-system", "pod": f"plugin-{name}", "node": name}
    kind = {"created_by_kind": "DaemonSet", "created_by_name": "nvidia-device-plugin-a"}
    return [
        series("kube_node_info", f"1x{DAY}", node=name),
        series("kube_pod_info", f"1x{DAY}", **agent, **kind),
        series(OFFERS, cards, node=name, resource="nvidia_com_gpu"),
        series(OFFERS, f"100x{DAY}", node=name, resource="cpu"),
        series(OFFERS, f"1000x{DAY}", node=name, resource="memory"),
        series("kube_pod_container_resource_requests", f"1x{DAY}", **agent, container="c", resource="cpu", unit="core"),
    ]


def pods(number: int) -> list[dict[str, str]]:
    """Pods that hold a card each."""
    return [
        one
        for index in range(number)
        for one in (
            series("kube_pod_container_resource_requests", f"1x{DAY}", pod=f"p{index}", **HELD),
            series("kube_pod_status_phase", f"1x{DAY}", namespace="web", pod=f"p{index}", phase="Running"),
        )
    ]


REFUSED = [
    series("kube_pod_info", f"1x{DAY}", namespace="web", pod="q", node="n2"),
    series("kube_pod_status_reason", f"1x{DAY}", namespace="web", pod="q", reason="UnexpectedAdmissionError"),
]
ALERT = series(
    "ALERTS", f"_x499 1x10 _x{DAY - 511}", alertname="GpuAllocatableLow", alertstate="firing", pool="a", node="n2"
)
"""It fires in the last ten minutes of a fault that takes twenty."""
WELL = f"4x{DAY}"
FAULTS = f"4x199 2x39 4x249 0x19 4x{DAY - 510}"
"""Two cards are away for forty minutes, all four for twenty."""
EXPECTED: dict[str, list[Any]] = {
    "well": [100, 100, 0, None, {"cpu": 1}, 0, 0],
    "faults": [100 * (1 - (40 * 2 + 20 * 4) / (8 * DAY)), 80, 2, 30, {"cpu": 1}, 1, 49],
}
"""The values of the queries in their order; the nearest whole numbers of minutes count."""


@pytest.mark.parametrize("case", EXPECTED)
def test_the_measures_of_a_pilot_say_what_happened(promtools: tuple[Path, ...], tmp_path: Path, case: str) -> None:
    made = fleet(FLEET)
    cluster = made.clusters[0]
    groups = [group for builder in (info.groups, base_rules.groups) for group in builder(made, cluster)]
    rules = {"groups": [{"name": group.name, "rules": list(group.records)} for group in groups]}
    (tmp_path / "rules.yaml").write_text(yaml_text(rules), encoding="utf-8")
    faulty = case == "faults"
    inputs = [*node("n1", WELL), *node("n2", FAULTS if faulty else WELL), *pods(4)]
    inputs += [*REFUSED, ALERT] if faulty else []
    queries = [
        query for one in measures(made, cluster, cluster.pools[0], settings(NO_ANSWERS), 1) for query in one.queries
    ]
    tests = [expected(query.expr, value) for query, value in zip(queries, EXPECTED[case], strict=True)]
    whole = {
        "rule_files": ["rules.yaml"],
        "evaluation_interval": "1m",
        "group_eval_order": [group.name for group in groups],
        "tests": [{"interval": "1m", "input_series": inputs, "promql_expr_test": tests}],
    }
    (tmp_path / "test.yaml").write_text(yaml_text(whole), encoding="utf-8")
    for tool in promtools:
        done = subprocess.run(
            [tool, "test", "rules", "test.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{tool}\n{done.stdout}{done.stderr}"


def expected(expr: str, value: Any) -> dict[str, Any]:
    values = {"": value} if not isinstance(value, dict) else value
    samples = [
        {"labels": f'{{resource="{name}"}}' if name else "{}", "value": round(number)}
        for name, number in values.items()
        if number is not None
    ]
    return {"expr": f"round({expr})", "eval_time": "24h", "exp_samples": samples}
