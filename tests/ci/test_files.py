"""The files that users take: valid for their hosts, safe by the rules of their linters, and as the documentation says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click import Choice

from gpuplan.cli.ci import command as ci
from gpuplan.cli.comment import command as comment
from gpuplan.cli.plan import command as plan
from gpuplan.cli.reviewing import FILES
from tests.ci.runners import ACTION, ROOT, TEMPLATE, read_yaml

EXAMPLES = sorted((ROOT / "docs/ci").glob("*.yml"))
PAGE = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent
OURS = "acme/gpuplan@"


def passes(program: str, *arguments: str | Path) -> None:
    done = subprocess.run([BIN / program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_file_is_valid_for_its_host() -> None:
    passes("check-jsonschema", "--builtin-schema", "vendor.github-actions", ACTION)
    passes("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *EXAMPLES)
    passes(
        "check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci", TEMPLATE
    )  # fmt: skip


def test_the_linter_of_github_workflows_finds_nothing_but_versions_for_digests(tmp_path: Path) -> None:
    """Whoever uses them pins by digest, as the page says: which one is for them to choose."""
    rules = {"unpinned-uses": '{config: {policies: {"*": ref-pin}}}'}
    config = tmp_path / "zizmor.yml"
    config.write_text("rules:\n" + "".join(f"  {name}: {rule}\n" for name, rule in rules.items()), encoding="utf-8")
    passes("zizmor", "--offline", "--no-progress", "--config", config, ACTION, *EXAMPLES)


def test_no_expression_is_part_of_a_script() -> None:
    scripts = [step["run"] for step in read_yaml(ACTION)["runs"]["steps"] if "run" in step]
    assert len(scripts) == 3
    assert not [script for script in scripts if "${{" in script]


def test_only_the_step_that_comments_has_the_token() -> None:
    holders = [step["name"] for step in read_yaml(ACTION)["runs"]["steps"] if "token" in str(step.get("env", {}))]
    assert holders == ["Comment"]


def jobs(path: Path) -> list[dict[str, Any]]:
    return list(read_yaml(path)["jobs"].values())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_asks_for_the_least_and_uses_inputs_that_there_are(example: Path) -> None:
    workflow = read_yaml(example)
    assert workflow["permissions"] == {}
    assert "pull_request_target" not in workflow["on"]
    uses = [step for job in jobs(example) for step in job["steps"] if step["uses"].startswith(OURS)]
    assert uses
    for step in uses:
        assert set(step.get("with", {})) <= set(read_yaml(ACTION)["inputs"])


def test_the_page_names_every_input_output_and_variable() -> None:
    action = read_yaml(ACTION)
    variables = [name for name in read_yaml(TEMPLATE)[".gpuplan"]["variables"] if name.startswith("GPUPLAN_")]
    for name in (*action["inputs"], *action["outputs"], *variables):
        assert f"`{name}`" in PAGE, name


def test_the_page_shows_every_file_of_a_review() -> None:
    for name in FILES:
        assert f"`{name}`" in PAGE, name


@pytest.mark.parametrize("path", [ACTION, TEMPLATE], ids=lambda path: path.name)
def test_every_option_in_a_script_is_one_of_the_command(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    written = set(re.findall(r"--(?:fleet|out|base|fail-on|results|no-comment|no-label)\b", text))
    options = {
        name for made in (ci, comment) for option in made.params for name in (*option.opts, *option.secondary_opts)
    }
    assert written
    assert written <= options


def test_a_review_fails_on_the_risks_that_a_plan_knows() -> None:
    asked, known = (
        next(option.type for option in made.params if option.name == "fail_on") for made in (ci, plan)
    )  # fmt: skip
    assert isinstance(asked, Choice)
    assert isinstance(known, Choice)
    assert tuple(asked.choices) == tuple(known.choices)
