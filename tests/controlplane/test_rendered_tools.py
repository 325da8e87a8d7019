"""Others' tools over `rendered/`: kubeconform with our schemas, promtool over the rules; and the schemas are a server's.

kubeconform says `v1` for the group of core kinds, hence a template for those and one for the rest.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuplan.manifests.write import yaml_text
from gpuplan.validate.schemas import validator
from tests.controlplane import make_schemas
from tests.controlplane.controlplane import ControlPlane

REPOSITORY = Path(__file__).parents[2]
RENDERED = REPOSITORY / "rendered"
OBJECTS = sorted(path for part in ("argocd", "clusters") for path in (RENDERED / part).rglob("*.yaml"))
RULES = [path for path in OBJECTS if path.name.startswith("prometheusrule-")]
TEMPLATES = (
    "{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json",
    "{{.ResourceKind}}-{{.ResourceAPIVersion}}.json",
)


def judged(kubeconform: Path, *files: Path) -> Mapping[str, Any]:
    """Let kubeconform read files or folders; return its numbers, and what it says of those that it refuses."""
    locations = [word for name in TEMPLATES for word in ("-schema-location", f"{REPOSITORY}/schemas/kubernetes/{name}")]
    command = [str(kubeconform), "-strict", "-summary", "-output", "json", *locations, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    answer: Mapping[str, Any] = json.loads(done.stdout)
    assert done.returncode == (1 if answer["resources"] else 0), done.stderr
    return answer


def test_kubeconform_agrees_with_every_object(kubeconform: Path) -> None:
    answer = judged(kubeconform, *(RENDERED / part for part in ("argocd", "clusters")))
    assert answer["resources"] == []
    assert answer["summary"] == {"valid": len(OBJECTS), "invalid": 0, "errors": 0, "skipped": 0}


MISTAKES: dict[str, tuple[str, str, str]] = {
    "a misspelt key of a custom resource": ("clusterqueue-*", "queueingStrategy:", "queuingStrategy:"),
    "a misspelt key deep in a kind of Kubernetes' own": ("daemonset-*", "imagePullPolicy:", "imagePulPolicy:"),
    "a number where a text is wanted": ("namespace-*", "gpuplan.dev/team: ", "gpuplan.dev/team: 1 #"),
    "a text where a number is wanted": ("priorityclass-*", "value: ", 'value: "x" #'),
    "a word that is no choice": ("clusterqueue-*", "BestEffortFIFO", "BestEffortLIFO"),
    "a key too few": ("rolebinding-*", "roleRef:", "x-roleRef:"),
    "a quantity that is none": ("clusterqueue-*", "nominalQuota: ", "nominalQuota: many #"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_kubeconform_and_our_own_look_refuse_a_mistake(kubeconform: Path, tmp_path: Path, name: str) -> None:
    pattern, right, wrong = MISTAKES[name]
    source = next(path for path in OBJECTS if path.match(pattern) and right in path.read_text(encoding="utf-8"))
    broken = tmp_path / source.name
    broken.write_text(source.read_text(encoding="utf-8").replace(right, wrong, 1), encoding="utf-8")
    obj = yaml.safe_load(broken.read_text(encoding="utf-8"))
    assert judged(kubeconform, broken)["summary"]["invalid"] == 1
    assert not validator(obj["apiVersion"], obj["kind"]).is_valid(obj)


def test_kubeconform_refuses_a_key_that_stands_twice(kubeconform: Path, tmp_path: Path) -> None:
    twice = tmp_path / "twice.yaml"
    text = next(path for path in OBJECTS if path.match("namespace-*")).read_text(encoding="utf-8")
    twice.write_text(text + "kind: Namespace\n", encoding="utf-8")
    assert judged(kubeconform, twice)["summary"]["errors"] == 1


@pytest.fixture
def promtools(promtool: Path) -> list[Path]:
    """Return every promtool there is: ours, and the system's own."""
    systems = shutil.which("promtool")
    return [promtool, *([Path(systems)] if systems else [])]


def complaint(tool: Path, rules: object, folder: Path) -> str:
    """Return what promtool says of the rules of a PrometheusRule; empty where it takes them."""
    file = folder / "rules.yaml"
    file.write_text(yaml_text(rules), encoding="utf-8")
    command = [str(tool), "check", "rules", "--lint=all", "--lint-fatal", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize("rule", RULES, ids=lambda path: path.parts[-3])
def test_promtool_takes_every_rule(promtools: list[Path], tmp_path: Path, rule: Path) -> None:
    spec = yaml.safe_load(rule.read_text(encoding="utf-8"))["spec"]
    assert [complaint(tool, spec, tmp_path) for tool in promtools] == [""] * len(promtools)


@pytest.mark.parametrize(
    ("alert", "says"),
    [
        ({"for": "2147483647m"}, "duration out of range"),
        ({"annotations": {"runbook_url": "https://runbooks/{{ team }}"}}, 'function "team" not defined'),
        ({"expr": "up == == 0"}, "parse error"),
    ],
)
def test_promtool_refuses_what_prometheus_would_not_load(
    promtools: list[Path], tmp_path: Path, alert: Mapping[str, object], says: str
) -> None:
    rules = {"groups": [{"name": "g", "rules": [{"alert": "A", "expr": "up == 0", **alert}]}]}
    assert all(says in complaint(tool, rules, tmp_path) for tool in promtools)


def test_there_are_rules_in_every_cluster() -> None:
    assert {path.parts[-3] for path in RULES} == {path.name for path in (RENDERED / "clusters").iterdir()}


def test_the_committed_schemas_are_those_of_a_real_server(
    control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(REPOSITORY)
    made = dict(make_schemas.schemas(control_plane))
    assert make_schemas.write(made, check_only=True) == 0, capsys.readouterr().err
    assert make_schemas.write({**made, "namespace-v1.json": "{}"}, check_only=True) == 1
