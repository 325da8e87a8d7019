"""promtool accepts every rule, and the alerts fire when they should and never else.

The tool of the test tools is Prometheus 3; where a system has its own (Debian: 2.42), that one must agree.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gpuplan.emit.monitoring import publish
from gpuplan.manifests.write import yaml_text
from tests.build import fleet

HERE = Path(__file__).parent
CASES = sorted(path for path in HERE.glob("*.yaml") if not path.stem.startswith("fleet"))
FLEETS = {"external": ("fleet", "external"), "vendors": ("fleet-vendors", "manual")}
"""The fleet and the stack of a case, where they are not the usual ones."""


STATE = ("gpuplan-pools", "gpuplan-teams", "gpuplan-base", "gpuplan-gpu-")
"""How the groups begin that the cases here are about; others have cases of their own and would miss their inputs."""


def rules(name: str, stack: str, groups_of: tuple[str, ...] = ("",)) -> str:
    """Return the rules of a fleet as Prometheus reads them, without the object around them; only some groups, if so asked."""
    spec = (HERE / f"{name}.yaml").read_text(encoding="utf-8")
    made = fleet(spec.replace('kubernetes: "1.36"', f'kubernetes: "1.36", stack: {stack}'))
    manifests = publish.emit(made, made.clusters[0])
    groups = [group for manifest in manifests for group in manifest.object["spec"]["groups"]]  # type: ignore[index]  # a PrometheusRule
    return yaml_text({"groups": [group for group in groups if group["name"].startswith(groups_of)]})


@pytest.fixture
def promtools(promtool: Path) -> list[Path]:
    """Return every promtool there is: ours, and the system's own."""
    systems = shutil.which("promtool")
    return [promtool, *([Path(systems)] if systems else [])]


def run(tool: Path, *arguments: str, folder: Path) -> None:
    done = subprocess.run([tool, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{tool} {arguments}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("name", ["fleet", "fleet-vendors"])
@pytest.mark.parametrize("stack", ["manual", "external"])
def test_promtool_has_nothing_to_say_about_the_rules(
    promtools: list[Path], tmp_path: Path, name: str, stack: str
) -> None:
    (tmp_path / "rules.yaml").write_text(rules(name, stack), encoding="utf-8")
    for tool in promtools:
        run(tool, "check", "rules", "--lint=all", "--lint-fatal", "rules.yaml", folder=tmp_path)


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_alerts_fire_when_they_should_and_never_else(promtools: list[Path], tmp_path: Path, case: Path) -> None:
    name, stack = FLEETS.get(case.stem, ("fleet", "manual"))
    (tmp_path / "rules.yaml").write_text(rules(name, stack, STATE), encoding="utf-8")
    shutil.copy(case, tmp_path / case.name)
    for tool in promtools:
        run(tool, "test", "rules", case.name, folder=tmp_path)
