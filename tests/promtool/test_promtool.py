"""promtool accepts every rule, the cases that each alert carries hold, and the alerts fire when they should and never else.

Both tools must agree: Prometheus 3's, and that of 2.42.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gpuplan.emit.monitoring import publish
from gpuplan.emit.monitoring.alerts import Group
from gpuplan.emit.monitoring.testing import test_file as cases_of
from gpuplan.manifests.write import yaml_text
from gpuplan.model.fleet import Cluster, Fleet
from tests.build import fleet
from tests.controlplane.fixtures import promtools

__all__ = ["promtools"]
HERE = Path(__file__).parent
CASES = sorted(path for path in HERE.glob("*.yaml") if not path.stem.startswith("fleet"))
FLEETS = {
    "external": ("fleet", "external"),
    "reports": ("fleet-rich", "manual"),
    "vendors": ("fleet-vendors", "manual"),
}
"""The fleet and the stack of a case, where they are not the usual ones."""
STATE = ("gpuplan-pools", "gpuplan-teams", "gpuplan-base", "gpuplan-gpu-")
"""How the groups begin that the cases here are about; others have cases of their own and would miss their inputs."""
MORE = {"reports": ("gpuplan-governance", "gpuplan-reserved", "gpuplan-cost")}
"""Further groups that a case is about."""
BUSINESS = ("gpuplan-serving", "gpuplan-training", "gpuplan-releases")
ELSEWHERE = (*BUSINESS, "gpuplan-tasks", "gpuplan-governance", "gpuplan-guarantee", "gpuplan-reclaimed")
"""Groups whose own cases `test_business` and `test_governance` run, for fleets of many kinds; those of all others run here."""
SHARED = "{timeSlicing: {replicas: 4}}"


def spec(name: str = "fleet") -> str:
    """Return the text of a fleet of this folder."""
    return (HERE / f"{name}.yaml").read_text(encoding="utf-8")


def on_stack(text: str, stack: str) -> str:
    """Return the fleet with other agents."""
    return text.replace('kubernetes: "1.36"', f'kubernetes: "1.36", stack: {stack}')


def spread() -> Iterator[tuple[str, Fleet]]:
    """Every stack, every vendor, every way to share a card, and the fleet of this repository."""
    for stack in ("manual", "operator", "external"):
        yield f"NVIDIA on {stack}", fleet(on_stack(spec(), stack))
    yield "every vendor", fleet(spec("fleet-vendors"))
    yield "everything", fleet(spec("fleet-rich"))
    yield "AMD alone", fleet(on_stack(only("mi300x", "{}"), "operator"))
    for sharing in ("{mps: {replicas: 4}}", SHARED.replace("4}", "4, renameByDefault: false}")):
        yield f"shared by {sharing}", fleet(only("t4", f"{{sharing: {sharing}}}"))
    yield "cut alike", fleet(only("a100-sxm-40gb", "{sharing: {mig: {profiles: {1g.5gb: 7}, strategy: single}}}"))
    yield "claimed", fleet(only("h100-sxm-80gb", "{exposure: dra}"))
    yield "one card a node", fleet(only("l4", "{cardsPerNode: 1}"))
    yield "nodes that nobody counted", fleet(only("l4", "{}").replace("nodes: 2, cardsPerNode: 4, ", ""))
    yield "AKS", fleet(only("l4", "{}").replace('"1.36"', '"1.36", distribution: aks'))
    yield "EKS", fleet(only("l4", "{}").replace('"1.36"', '"1.36", distribution: eks'))
    parts = sorted((HERE.parents[1] / "fleet").glob("*.yaml"))
    yield "ours", fleet("\n---\n".join(part.read_text(encoding="utf-8") for part in parts))


def only(card: str, pool: str) -> str:
    """Return a fleet with one pool of a card; `pool` holds further keys of it."""
    return (
        "apiVersion: gpuplan.dev/v1alpha1\nmetadata: {name: acme}\n"
        'clusters: {eu: {kubernetes: "1.36"}}\n'
        f"cardTiers: {{only: {{cards: [{card}]}}}}\n"
        "defaults: {nodePool: {cluster: eu, tier: only, nodes: 2, cardsPerNode: 4, selectedBy: {nfd: {}}}}\n"
        f"nodePools: {{only: {pool}}}\n"
    )


def rules(name: str, stack: str, groups_of: tuple[str, ...] = ("",)) -> str:
    """Return the rules of a fleet as Prometheus reads them, without the object around them; only some groups, if so asked."""
    made = fleet(on_stack(spec(name), stack))
    manifests = publish.emit(made, made.clusters[0], publish.groups(made, made.clusters[0]))
    groups = [group for manifest in manifests for group in manifest.object["spec"]["groups"]]  # type: ignore[index]  # a PrometheusRule
    return yaml_text({"groups": [group for group in groups if group["name"].startswith(groups_of)]})


def run(tool: Path, *arguments: str, folder: Path) -> None:
    """Let promtool judge files of a folder."""
    done = subprocess.run([tool, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{tool} {arguments}\n{done.stdout}{done.stderr}"


def write(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Write files and return their names."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return list(files)


def published(made: Fleet, cluster: Cluster) -> dict[str, str]:
    """Return the files of a cluster's rules and tests."""
    return {one.path: one.text for one in publish.texts(made, cluster, publish.groups(made, cluster))}


def test_promtool_has_nothing_to_say_about_the_rules(promtools: Sequence[Path], tmp_path: Path) -> None:
    found: dict[str, str] = {}
    for name, made in spread():
        for cluster in made.clusters:
            found |= {f"{name}/{path}": text for path, text in published(made, cluster).items() if ".rules." in path}
    names = write(tmp_path, found)
    assert len(names) > 50
    for tool in promtools:
        run(tool, "check", "rules", "--lint=all", "--lint-fatal", *names, folder=tmp_path)


def test_every_case_of_a_cluster_with_everything_holds(promtools: Sequence[Path], tmp_path: Path) -> None:
    made = fleet(spec("fleet-rich"))
    found = published(made, made.clusters[0])
    write(tmp_path, found)
    tests = [path for path in found if ".test." in path and not Path(path).name.startswith(ELSEWHERE)]
    assert any("gpu-state" in path for path in tests)
    for tool in promtools:
        run(tool, "test", "rules", *tests, folder=tmp_path)


def test_the_cases_of_every_other_cluster_hold(promtool: Path, tmp_path: Path) -> None:
    """Of each alert on cards whose rule is another than in the clusters before."""
    seen: set[str] = set()
    for name, made in spread():
        for cluster in made.clusters if name != "everything" else ():
            for group in publish.groups(made, cluster):
                if group.name.startswith(STATE):
                    write(tmp_path, _unseen(group, f"{name}-{cluster.name}".replace(" ", "-"), seen))
    tests = sorted(path.name for path in tmp_path.glob("*.test.yaml"))
    assert len(tests) > 20
    run(promtool, "test", "rules", *tests, folder=tmp_path)


def _unseen(group: Group, name: str, seen: set[str]) -> dict[str, str]:
    """Return each alert of a group with its tests, as two files, unless its rule was there before."""
    found: dict[str, str] = {}
    for alert in group.alerts:
        if alert.expr not in seen:
            found |= files(replace(group, alerts=(alert,)), f"{name}-{alert.name}")
            seen.add(alert.expr)
    return found


def files(group: Group, start: str) -> dict[str, str]:
    """Return the rules of a group and the tests of its alerts, without annotations."""
    alerts = [
        {
            "alert": one.name,
            "expr": one.expr,
            **({"for": one.wait} if one.wait else {}),
            **({"keep_firing_for": one.hold} if one.hold else {}),
            "labels": {"severity": one.severity, **({"team": one.team} if one.team else {})},
        }
        for one in group.alerts
    ]
    return {
        f"{start}.rules.yaml": yaml_text({"groups": [{"name": group.name, "rules": [*group.records, *alerts]}]}),
        f"{start}.test.yaml": yaml_text(cases_of(group, f"{start}.rules.yaml")),
    }


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_alerts_fire_when_they_should_and_never_else(promtools: Sequence[Path], tmp_path: Path, case: Path) -> None:
    name, stack = FLEETS.get(case.stem, ("fleet", "manual"))
    (tmp_path / "rules.yaml").write_text(rules(name, stack, STATE + MORE.get(case.stem, ())), encoding="utf-8")
    shutil.copy(case, tmp_path / case.name)
    for tool in promtools:
        run(tool, "test", "rules", case.name, folder=tmp_path)
