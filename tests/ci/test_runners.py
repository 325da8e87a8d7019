"""The action and the template on a sample repository, step by step in bash, as GitHub's and GitLab's runners run them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.ci.hosts import Change, serving
from tests.ci.repositories import checked_out
from tests.ci.runners import GitHub, GitLab, Job
from tests.ci.sample import repository
from tests.ci.test_comment import SECRET

MARK = "<!-- gpuplan:review fleet -->"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a runner in which the action's own step has installed gpuplan from this tree."""
    temp = tmp_path_factory.mktemp("runner")
    job = GitHub(workspace=temp, temp=temp, environment={}).run({}, only="Install gpuplan")
    assert job.codes == {"Install gpuplan": 0}, job.log
    return temp


@dataclass(kw_only=True)
class Bench:
    """A sample repository with a change, a code host, and a runner of one kind."""

    kind: str
    folder: Path
    installed: Path
    change: Change
    url: str
    monkeypatch: pytest.MonkeyPatch

    @property
    def clone(self) -> Path:
        return self.folder / "clone"

    @property
    def results(self) -> Path:
        return self.clone / "gpuplan-review"

    def prepare(self, name: str, *, render: bool = True) -> None:
        """Check out what a job gets, shallow as by default; each repository is made once."""
        remote = self.installed / f"{name}-{render}"
        if not remote.exists():
            repository(remote, name, self.monkeypatch, render=render)
        checked_out(remote, self.clone, "refs/pull/5/merge", depth=1)
        (self.clone / ".gpuplan-venv").symlink_to(self.installed / "gpuplan")

    def run(self, **inputs: str) -> Job:
        if self.kind == "gitlab":
            variables = {f"GPUPLAN_{name.upper()}": value for name, value in inputs.items()}
            return GitLab(workspace=self.clone, environment=self._gitlab()).run(variables)
        named = {name.replace("_", "-"): value for name, value in {"token": SECRET, **inputs}.items()}
        return GitHub(workspace=self.clone, temp=self.installed, environment=self._github()).run(
            named, without="Install gpuplan"
        )

    def _github(self) -> dict[str, str]:
        return {
            "GITHUB_REF": "refs/pull/5/merge",
            "GITHUB_BASE_REF": "main",
            "GITHUB_REPOSITORY": "acme/fleet",
            "GITHUB_API_URL": self.url,
        }

    def _gitlab(self) -> dict[str, str]:
        return {
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            "CI_MERGE_REQUEST_IID": "5",
            "CI_MERGE_REQUEST_PROJECT_ID": "42",
            "CI_API_V4_URL": f"{self.url}/api/v4",
            "GPUPLAN_GITLAB_TOKEN": SECRET,
        }

    def review(self) -> dict[str, Any]:
        made = json.loads((self.results / "review.json").read_text(encoding="utf-8"))
        assert isinstance(made, dict)
        return made


@pytest.fixture
def host(tmp_path: Path, installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Bench]]:
    change = Change()
    with serving(change) as url:
        yield lambda kind: Bench(
            kind=kind, folder=tmp_path, installed=installed, change=change, url=url, monkeypatch=monkeypatch
        )


@pytest.fixture(params=["github", "gitlab"])
def bench(request: pytest.FixtureRequest, host: Callable[[str], Bench]) -> Bench:
    return host(str(request.param))


@pytest.fixture
def github(host: Callable[[str], Bench]) -> Bench:
    return host("github")


@pytest.fixture
def gitlab(host: Callable[[str], Bench]) -> Bench:
    return host("gitlab")


def test_a_fine_change_is_green_with_its_risk_as_comment_and_label(bench: Bench) -> None:
    bench.prepare("a small one")
    job = bench.run()
    assert not job.failed, job.log
    assert SECRET not in job.log
    made = bench.review()
    assert (made["errors"], made["stale"], made["no_changes"]) == (0, [], False)
    assert made["risk"] in {"none", "low"}
    assert bench.change.labels == {f"gpuplan/{made['risk']}"}
    (body,) = bench.change.bodies
    assert body.startswith(MARK)
    assert "vision" in body
    assert "rendered is fresh." in job.log


def test_a_second_push_updates_the_comment_and_swaps_the_label(github: Bench) -> None:
    github.change.labels = {"gpuplan/destructive", "bug"}
    github.change.says("gpuplan-bot", f"{MARK}\nof the first push")
    github.prepare("none")
    assert not github.run().failed
    (body,) = github.change.bodies
    assert body.startswith(MARK)
    assert "of the first push" not in body
    assert "| plan | no changes |" in body
    assert github.change.labels == {"gpuplan/none", "bug"}
    assert github.review()["no_changes"] is True


def test_stale_output_is_red_but_planned_all_the_same(bench: Bench) -> None:
    bench.prepare("a small one", render=False)
    job = bench.run()
    assert job.failed
    assert bench.review()["exit_code"] == 1
    assert "rendered is stale: " in job.log
    assert "Run `gpuplan render --fleet fleet --out rendered` and commit it." in job.log
    (body,) = bench.change.bodies
    assert "**stale**" in body
    assert "vision" in body
    assert bench.change.labels == {f"gpuplan/{bench.review()['risk']}"}
    assert bench.review()["risk"] != "unknown"


def test_an_error_in_the_spec_is_red_with_its_place_and_an_unknown_risk(bench: Bench) -> None:
    bench.prepare("too many cards", render=False)
    job = bench.run()
    assert job.failed
    assert "fleet/fleet.yaml" in job.log
    assert bench.change.labels == {"gpuplan/unknown"}
    assert "`quota/over-capacity`" in bench.change.bodies[0]
    assert not (bench.results / "plan.json").exists()
    sarif, junit, found = (bench.results / f"findings.{form}" for form in ("sarif", "junit.xml", "json"))
    assert json.loads(sarif.read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert ET.parse(junit).getroot().get("failures") == "1"
    assert json.loads(found.read_text(encoding="utf-8"))["summary"]["error"] == 1


def test_a_destructive_change_is_red_where_the_repository_wants_that(bench: Bench) -> None:
    bench.prepare("a team goes")
    assert not bench.run().failed
    job = bench.run(fail_on="destructive")
    assert job.failed
    assert bench.review()["risk"] == "destructive"
    assert bench.change.labels == {"gpuplan/destructive"}
    assert "| plan | risk **destructive**, which fails this job" in bench.change.bodies[0]
    assert "speech" in bench.change.bodies[0]


def test_output_that_somebody_edited_is_an_error_that_names_it(github: Bench) -> None:
    github.prepare("none")
    file = next((github.clone / "rendered/clusters/prod/55-queues").iterdir())
    file.write_text(file.read_text(encoding="utf-8").replace("8", "9"), encoding="utf-8")
    job = github.run()
    assert job.failed
    assert "edited by hand" in job.log
    assert "Run `gpuplan render" not in job.log
    assert github.review()["errors"] == 1


def test_a_host_that_refuses_changes_nothing_of_the_verdict(github: Bench) -> None:
    no = (403, {"message": "Resource not accessible by integration"})
    github.change.refused = {"POST add_comment": no, "POST add_label": no}
    github.prepare("a small one")
    job = github.run()
    assert not job.failed
    assert "answered 403: Resource not accessible by integration" in job.log


def test_a_base_can_be_named_and_comment_and_label_be_turned_off(bench: Bench) -> None:
    bench.prepare("a small one")
    assert not bench.run(base="HEAD", comment="false", labels="true").failed
    assert (bench.change.comments, bench.change.labels) == ([], {"gpuplan/none"})
    assert bench.review()["no_changes"] is True
    bench.run(base="HEAD", comment="true", labels="false")
    assert len(bench.change.comments) == 1


EVIL = '$(touch pwned) `touch pwned` "; touch pwned; #\n::error::pwned'


def test_what_an_input_says_is_never_run(bench: Bench) -> None:
    bench.prepare("none")
    job = bench.run(fleet=EVIL)
    assert job.failed
    assert not list(bench.folder.rglob("pwned"))
    assert "\n::error::pwned" not in job.log


def test_github_gets_outputs_a_summary_and_annotations(github: Bench) -> None:
    github.prepare("a team goes")
    job = github.run()
    risk = github.review()["risk"]
    assert job.outputs == {
        "risk": risk,
        "no-changes": "false",
        "approvals": json.dumps(github.review()["approvals"]),
        "errors": "0",
        "stale": "false",
        "plan-json": "gpuplan-review/plan.json",
        "plan-markdown": "gpuplan-review/plan.md",
    }
    assert json.loads((github.results / "plan.json").read_text(encoding="utf-8"))["risk"] == risk
    assert (github.results / "plan.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert job.summary.startswith(MARK)
    assert "@acme/speech" in json.loads(job.outputs["approvals"])


def test_no_line_of_the_plan_is_a_command_to_github(github: Bench) -> None:
    github.prepare("a small one")
    log = github.run().log.splitlines()
    assert log[0].startswith("::warning file=fleet/fleet.yaml,line=3,")
    (begin,) = [index for index, line in enumerate(log) if line.startswith("::stop-commands::")]
    token = log[begin].removeprefix("::stop-commands::")
    end = log.index(f"::{token}::")
    assert log[begin - 1] == "::group::gpuplan plan"
    assert any("vision" in line for line in log[begin:end])


def test_gitlab_gets_each_report_that_the_template_names(gitlab: Bench) -> None:
    gitlab.prepare("a small one")
    gitlab.run()
    reports = GitLab(workspace=gitlab.clone, environment={}).reports()
    assert set(reports) == {"junit", "codequality", "dotenv"}
    assert all(path.is_file() for path in reports.values())
    values = dict(line.split("=", 1) for line in reports["dotenv"].read_text(encoding="utf-8").splitlines())
    assert values["GPUPLAN_RISK"] == gitlab.review()["risk"]
    assert values["GPUPLAN_NO_CHANGES"] == "false"
    assert reports["dotenv"].stat().st_size < 5_000


def test_the_template_installs_what_its_variable_names(tmp_path: Path) -> None:
    """Not gpuplan itself: that the action's step can build it has been seen, and takes long."""
    job = GitLab(workspace=tmp_path, environment={}).run({"GPUPLAN_PACKAGE": "click"}, before=True)
    assert job.codes == {"before_script": 0}, job.log
    assert (tmp_path / ".gpuplan-venv/bin/python").exists()
