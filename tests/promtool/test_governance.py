"""Rules on tasks, governance, peak hours and cost: their own cases hold for fleets of every kind, further ones for one fleet."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplan.emit import base
from gpuplan.emit.monitoring import publish
from gpuplan.emit.monitoring.scenes import series as line
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import produced_resources
from tests.build import fleet
from tests.promtool.test_promtool import promtools, run

__all__ = ["promtools"]
HERE = Path(__file__).parent / "governance"
SPEC = (HERE / "fleet.yaml").read_text(encoding="utf-8")
CASES = sorted(path for path in HERE.glob("*.yaml") if path.stem != "fleet")
GROUPS = ("pools", "teams", "base", "peak", "tasks", "governance", "guarantee", "reclaimed", "cost")
THRESHOLDS = (
    "monitoring: {thresholds: {queueWaitMinutes: 5, queueStuckMinutes: 30, startMinutes: 3, jobSuccessPercent: 50, jobSamples: 1,"
    " idlePercent: 99, idleCards: 1, congestedPercent: 80, reclaimedPerDay: 1, starvedMinutes: 60}}\n"
)


def changed(*changes: tuple[str, str]) -> str:
    """Return the spec with some of its text put otherwise."""
    text = SPEC
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return text


FLEETS: Mapping[str, str] = {
    "as it is": SPEC,
    "an older Kueue, other thresholds, nothing reclaimed": THRESHOLDS
    + changed(
        ('kubernetes: "1.36"', 'kubernetes: "1.36", release: "2026.05"'),
        ("mode: suspend, image: registry.acme.io/gpuplan:1", "mode: 'off'"),
    ),
    "boards of two devices, every task pool strict, no waiting for pods": changed(
        ('kubernetes: "1.36"', 'kubernetes: "1.36", kueue: {podsReadyTimeoutSeconds: 0}'),
        ("cards: [h100-sxm-80gb]", "cards: [mi250x]"),
        ("big: {tier: big}", "big: {tier: big, stack: operator}"),
        ("service: queued, tiers: [big]", "service: queued, tiers: [big], queueing: strict"),
        ("pool: {lab: 20}", "pool: {lab: 20}, queueing: strict"),
        ("tiers: [desk]}", "tiers: [desk], queueing: strict}"),
        (
            "nlp: {namespaces: [nlp], quotas: {",
            "solo: {namespaces: [solo], quotas: {scratch: {}}}\n  nlp: {namespaces: [nlp], quotas: {",
        ),
    ),
    "shared task pools alone": changed(
        ("pretrain: {big: {guaranteed: 8}}, ", ""), (", nightly: {big: {guaranteed: 2}}", "")
    ),
}


def files(made: Fleet) -> dict[str, str]:
    """Return the text of every rendered file of rules and tests, by its name without a prefix."""
    rendered = publish.texts(made, made.clusters[0], publish.groups(made, made.clusters[0]))
    found = {Path(one.path).name.removeprefix("gpuplan-"): one.text for one in rendered}
    return {name: text for name, text in found.items() if name.split(".")[0] in GROUPS}


def write(made: Fleet, folder: Path) -> dict[str, str]:
    found = files(made)
    for name, text in found.items():
        (folder / name).write_text(text.replace("gpuplan-", "", 1) if ".test." in name else text, encoding="utf-8")
    return found


@pytest.mark.parametrize("name", FLEETS)
def test_every_case_of_an_alert_holds(promtools: list[Path], tmp_path: Path, name: str) -> None:
    found = write(fleet(FLEETS[name]), tmp_path)
    assert {"tasks.test.yaml", "governance.test.yaml", "reclaimed.test.yaml"} <= found.keys()
    for tool in promtools:
        run(
            tool,
            "check",
            "rules",
            "--lint=all",
            "--lint-fatal",
            *sorted(n for n in found if ".rules." in n),
            folder=tmp_path,
        )
        for test in ("tasks", "governance", "reclaimed"):
            run(tool, "test", "rules", f"{test}.test.yaml", folder=tmp_path)


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_records_are_what_the_inputs_say(promtools: list[Path], tmp_path: Path, case: Path) -> None:
    write(fleet(SPEC), tmp_path)
    shutil.copy(case, tmp_path / case.name)
    for tool in promtools:
        run(tool, "test", "rules", case.name, folder=tmp_path)


MADE = fleet(SPEC)
POOLS = {pool.name: pool for pool in MADE.clusters[0].pools}
PRICES = {name: Fraction(pool.tier.cost_per_card_hour or 0) for name, pool in POOLS.items()}
NAMESPACES = ("vision", "vision-batch", "nlp", "default", "kube-system")
PODS = st.lists(
    st.tuples(
        st.sampled_from(sorted(POOLS)),
        st.sampled_from((1, 2)),
        st.sampled_from(NAMESPACES),
        st.integers(1, 9),
        st.sampled_from(("Running", "Running", "Pending", "Succeeded", "Failed")),
    ),
    max_size=25,
)
NODES = st.fixed_dictionaries({name: st.integers(0, 2) for name in sorted(POOLS)})


def seen(nodes: Mapping[str, int], pods: list[tuple[str, int, str, int, str]]) -> dict[str, str]:
    """Return what kube-state-metrics shows of nodes, by the number of each pool, and of pods."""
    agents = {
        line(
            "kube_pod_info",
            namespace="gpu-system",
            pod=f"{pool}-{number}",
            node=f"{pool}-{number}",
            created_by_kind="DaemonSet",
            created_by_name=f"nvidia-device-plugin-{pool}",
        ): "1x9"
        for pool, count in nodes.items()
        for number in range(1, count + 1)
    }
    for index, (pool, number, namespace, units, phase) in enumerate(pods):
        pod = {"namespace": namespace, "pod": f"pod-{index}"}
        resource = base.prometheus_label(produced_resources(POOLS[pool])[0].resource)
        node = {"node": f"{pool}-{number}", "resource": resource, "container": "main"}
        agents[line("kube_pod_container_resource_requests", **pod, **node)] = f"{units}x9"
        agents[line("kube_pod_status_phase", **pod, phase=phase)] = "1x9"
    return agents


def bill(nodes: Mapping[str, int], pods: list[tuple[str, int, str, int, str]], *, strays: bool) -> dict[str, Fraction]:
    """Return in exact numbers what pods of teams, or of nobody, hold in each pool."""
    held = dict.fromkeys((pool for pool, count in nodes.items() if count and PRICES[pool]), Fraction(0))
    for pool, number, namespace, units, phase in pods:
        owned = namespace in ("vision", "vision-batch", "nlp")
        if pool in held and number <= nodes[pool] and phase in ("Running", "Pending") and owned is not strays:
            held[pool] += units * produced_resources(POOLS[pool])[0].unit.card_share * PRICES[pool]
    return held


def expect(expr: str, values: Mapping[str, Fraction]) -> dict[str, Any]:
    samples = [
        {"labels": f'{{currency="USD", pool="{pool}"}}', "value": round(float(value), 6)}
        for pool, value in values.items()
    ]
    return {"expr": f"round({expr}, 1e-6)", "eval_time": "8m", "exp_samples": samples}


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NODES, PODS)
def test_money_adds_up_whatever_pods_hold(
    promtool: Path, tmp_path: Path, nodes: dict[str, int], pods: list[tuple[str, int, str, int, str]]
) -> None:
    strays = bill(nodes, pods, strays=True)
    every = {pool: nodes[pool] * POOLS[pool].cards_per_node * PRICES[pool] for pool in strays}
    teams = {pool: value for pool, value in bill(nodes, pods, strays=False).items() if value}
    parts = (
        "(sum by (pool, currency) (gpuplan:team_gpu_cost:per_hour) or gpuplan:pool_gpu_cost:per_hour * 0)"
        " + gpuplan:pool_gpu_without_team_cost:per_hour + gpuplan:pool_gpu_unallocated_cost:per_hour"
    )
    tests = [
        expect("sum by (pool, currency) (gpuplan:team_gpu_cost:per_hour)", teams),
        expect("gpuplan:pool_gpu_without_team_cost:per_hour", strays),
        expect("gpuplan:pool_gpu_cost:per_hour", every),
        expect(parts, every),
        expect(f"{parts} - gpuplan:pool_gpu_cost:per_hour", dict.fromkeys(every, Fraction(0))),
    ]
    inputs = [{"series": name, "values": values} for name, values in seen(nodes, pods).items()]
    test = {"interval": "1m", "input_series": inputs, "promql_expr_test": tests}
    write(MADE, tmp_path)
    rules = [f"{group}.rules.yaml" for group in ("pools", "teams", "base", "governance", "cost")]
    text = yaml_text({"rule_files": rules, "evaluation_interval": "1m", "tests": [test]})
    (tmp_path / "money.yaml").write_text(text, encoding="utf-8")
    run(promtool, "test", "rules", "money.yaml", folder=tmp_path)
