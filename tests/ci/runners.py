"""GitHub's and GitLab's runners, as far as our files need them: variables and inputs mapped, scripts run by bash as they do it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpuplan.source.yamltext import parse_text
from tests.ci.repositories import ENVIRONMENT
from tests.cli.transcript import TODAY

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "action.yml"
TEMPLATE = ROOT / "ci/gitlab/gpuplan.gitlab-ci.yml"
_EXPRESSION = re.compile(r"\$\{\{ *(.*?) *\}\}")
_STARTED = {
    **ENVIRONMENT,
    "GPUPLAN_TODAY": TODAY,
    "COLUMNS": "120",
    # The step's own pip finds what this environment has, and needs no network to build.
    "PYTHONPATH": os.pathsep.join(path for path in sys.path if path.endswith("site-packages")),
    "PIP_NO_BUILD_ISOLATION": "0",
    "PIP_NO_INDEX": "1",
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
}


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a file as gpuplan reads a fleet."""
    parsed = parse_text(str(path), path.read_text(encoding="utf-8"))
    assert not parsed.findings
    (document,) = parsed.documents
    plain = document.root.plain()
    assert isinstance(plain, dict)
    return plain


@dataclass(kw_only=True)
class Job:
    """What a job gave: the exit code of each step that ran, everything that was printed, and the outputs."""

    codes: dict[str, int] = field(default_factory=dict)
    log: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""

    @property
    def failed(self) -> bool:
        """Whether the job is red."""
        return any(self.codes.values())


def _bash(arguments: list[str], script: str, folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", *arguments, script],
        cwd=folder,
        env={**_STARTED, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@dataclass(kw_only=True)
class GitHub:
    """A runner of GitHub Actions with one checkout; `environment` is what the event sets."""

    workspace: Path
    temp: Path
    environment: Mapping[str, str]

    def run(self, inputs: Mapping[str, str], *, only: str | None = None, without: str | None = None) -> Job:
        """Run the steps of our action that are scripts; `uses:` is the runner's own."""
        action = read_yaml(ACTION)
        unknown = set(inputs) - set(action["inputs"])
        assert not unknown, f"GitHub warns of inputs that the action does not have: {unknown}"
        defaults = {name: made["default"] for name, made in action["inputs"].items()}
        job = Job()
        context = {"github": {"token": "the-jobs-token"}, "inputs": {**defaults, **inputs}, "steps": {}}
        context["inputs"] = {name: self._expanded(value, context) for name, value in context["inputs"].items()}
        for step in action["runs"]["steps"]:
            if "run" in step and only in (None, step["name"]) and step["name"] != without:
                self._step(step, context, job)
        outputs = {name: self._expanded(made["value"], context) for name, made in action["outputs"].items()}
        job.outputs = outputs
        return job

    def _step(self, step: dict[str, Any], context: dict[str, Any], job: Job) -> None:
        condition = step.get("if", "${{ success() }}")
        if not evaluated(condition, context, failed=job.failed):
            return
        files = {name: self.temp / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.write_text("")
        assert step["shell"] == "bash"
        script = self.temp / "step.sh"
        assert not _EXPRESSION.search(step["run"]), "an expression in a script is run as one"
        script.write_text(step["run"], encoding="utf-8")
        code, said = _bash(
            ["--noprofile", "--norc", "-eo", "pipefail"],
            str(script),
            self.workspace,
            {
                **self.environment,
                "GITHUB_ACTIONS": "true",
                "GITHUB_ACTION_PATH": str(ROOT),
                "RUNNER_TEMP": str(self.temp),
                **{name: str(path) for name, path in files.items()},
                **{name: self._expanded(value, context) for name, value in step.get("env", {}).items()},
            },
        )
        job.codes[step["name"]] = code
        job.log += said
        job.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        written = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines())
        if "id" in step:
            context["steps"][step["id"]] = {"outputs": written}

    @staticmethod
    def _expanded(text: str, context: Mapping[str, Any]) -> str:
        return _EXPRESSION.sub(lambda found: looked_up(found[1], context), text)


def looked_up(path: str, context: Mapping[str, Any]) -> str:
    """Return a value of the contexts; GitHub gives nothing for what is not there."""
    value: Any = context
    for part in path.split("."):
        value = value.get(part, {})
    return value if isinstance(value, str) else ""


def evaluated(condition: str, context: Mapping[str, Any], *, failed: bool) -> bool:
    """Evaluate a condition with the operators and functions that our action uses."""
    (text,) = _EXPRESSION.findall(condition)
    text = text.replace("success()", str(not failed)).replace("!cancelled()", "True")
    text = re.sub(r"\b(?:inputs|steps)\.[\w.-]+", lambda found: repr(looked_up(found[0], context)), text)
    return bool(eval(text.replace("&&", " and ").replace("||", " or ")))


@dataclass(kw_only=True)
class GitLab:
    """A runner of GitLab CI with one checkout; `environment` is what the pipeline sets."""

    workspace: Path
    environment: Mapping[str, str]

    def run(self, variables: Mapping[str, str], *, before: bool = False) -> Job:
        """Run the template's job; with `before` only its `before_script`."""
        template = read_yaml(TEMPLATE)
        job = {**template[".gpuplan"], **template["gpuplan"]}
        assert job["extends"] == ".gpuplan"
        unknown = set(variables) - set(job["variables"])
        assert not unknown, f"the template reads no variables {unknown}"
        # The runner joins before_script and script; after_script has a shell of its own, and no say.
        made = Job()
        environment = {**self.environment, "GITLAB_CI": "true", **job["variables"], **variables}
        for part in ("before_script",) if before else ("script", "after_script"):
            code, said = _bash(["-eo", "pipefail", "-c"], "\n".join(job[part]), self.workspace, environment)
            made.codes[part] = 0 if part == "after_script" else code
            made.log += said
        return made

    def reports(self) -> dict[str, Path]:
        """Return the reports that GitLab takes from the job, by their kind."""
        named = read_yaml(TEMPLATE)[".gpuplan"]["artifacts"]["reports"]
        return {kind: self.workspace / path for kind, path in named.items()}
