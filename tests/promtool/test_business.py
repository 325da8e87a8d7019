"""Rules on serving, training and releases: their own cases hold for each engine and threshold, and further ones for one fleet."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gpuplan.emit.monitoring import publish
from gpuplan.model.fleet import Fleet
from tests.build import fleet
from tests.promtool.test_promtool import run

HERE = Path(__file__).parent / "business"
SPEC = (HERE / "fleet.yaml").read_text(encoding="utf-8")
CASES = sorted(path for path in HERE.glob("*.yaml") if path.stem != "fleet")
GROUPS = ("serving", "training", "releases")
ONE_POOL = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {big: {cards: [h100-sxm-80gb]}}
nodePools: {big: {cluster: eu, tier: big, nodes: 8, cardsPerNode: 8, selectedBy: {nfd: {}}}}
delivery: {argocd: {repoURL: https://git.acme.io/platform/fleet.git}}
"""
SERVES = (
    ONE_POOL
    + """
taskPools: {chat: {kind: onlineInference, service: guaranteed, tiers: [big], serving: {engine: ENGINE}}}
teams: {nlp: {namespaces: [nlp], quotas: {chat: {}}}}
"""
)
RELEASES = ONE_POOL + "monitoring: {thresholds: {releaseFailures: LEAST}, releases: {argocd: [eu], rollouts: [eu]}}"


def text(made: Fleet, group: str, kind: str) -> str:
    """Return a rendered file of a group: its `rules` or their `test`."""
    path = f"prometheus/eu/gpuplan-{group}.{kind}.yaml"
    files = publish.texts(made, made.clusters[0], publish.groups(made, made.clusters[0]))
    (found,) = [one for one in files if one.path == path]
    return found.text


def judge(tools: tuple[Path, ...], folder: Path, made: Fleet, group: str) -> None:
    """Run the rendered tests of a group on its rendered rules."""
    for kind in ("rules", "test"):
        (folder / f"gpuplan-{group}.{kind}.yaml").write_text(text(made, group, kind), encoding="utf-8")
    for tool in tools:
        run(tool, "check", "rules", "--lint=all", "--lint-fatal", f"gpuplan-{group}.rules.yaml", folder=folder)
        run(tool, "test", "rules", f"gpuplan-{group}.test.yaml", folder=folder)


@pytest.mark.parametrize("group", GROUPS)
def test_every_case_of_an_alert_holds(promtools: tuple[Path, ...], tmp_path: Path, group: str) -> None:
    judge(promtools, tmp_path, fleet(SPEC), group)


@pytest.mark.parametrize(
    "engine",
    [
        "vllm, slo: {latencyMilliseconds: 5000, objectivePercent: 99.9}",
        "vllm, boundsMilliseconds: [300, 2000], slo: {latencyMilliseconds: 300}",
        "sglang, slo: {latencyMilliseconds: 2000, objectivePercent: 94}",
        "tgi, slo: {latencyMilliseconds: 2525, objectivePercent: 99}",
        "triton, slo: {latencyMilliseconds: 200}",
    ],
)
def test_the_cases_hold_for_each_engine_and_promise(promtools: tuple[Path, ...], tmp_path: Path, engine: str) -> None:
    judge(promtools, tmp_path, fleet(SERVES.replace("ENGINE", engine)), "serving")


@pytest.mark.parametrize("least", [1, 5])
def test_the_cases_of_releases_hold_without_teams_and_for_each_threshold(
    promtools: tuple[Path, ...], tmp_path: Path, least: int
) -> None:
    judge(promtools, tmp_path, fleet(RELEASES.replace("LEAST", str(least))), "releases")


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_records_and_alerts_are_what_the_inputs_say(promtools: tuple[Path, ...], tmp_path: Path, case: Path) -> None:
    made = fleet(SPEC)
    for group in GROUPS:
        (tmp_path / f"{group}.rules.yaml").write_text(text(made, group, "rules"), encoding="utf-8")
    shutil.copy(case, tmp_path / case.name)
    for tool in promtools:
        run(tool, "test", "rules", case.name, folder=tmp_path)
