"""Which request a job is about, by what its runner sets, and what is said of the job."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpuplan.cli.runner import annotation, dotenv, foot, hand_over
from gpuplan.forge.request import Absent, ChangeRequest, Host, change_request

GITHUB = {"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "acme/fleet", "GITHUB_TOKEN": "t"}
GITLAB = {"GITLAB_CI": "true", "CI_MERGE_REQUEST_IID": "7", "CI_PROJECT_ID": "42", "GITLAB_TOKEN": "t"}
PULL = {"GITHUB_REF": "refs/pull/5/merge"}

FOUND: dict[str, tuple[dict[str, str], tuple[Host, str, str, int]]] = {
    "a pull request": ({**GITHUB, **PULL}, (Host.GITHUB, "https://api.github.com", "acme/fleet", 5)),
    "one on an enterprise server": (
        {**GITHUB, **PULL, "GITHUB_API_URL": "https://git.acme.example/api/v3"},
        (Host.GITHUB, "https://git.acme.example/api/v3", "acme/fleet", 5),
    ),
    "a merge request": (GITLAB, (Host.GITLAB, "https://gitlab.com", "42", 7)),
    "one from a fork, to the project that it is made to": (
        {**GITLAB, "CI_MERGE_REQUEST_PROJECT_ID": "41", "CI_API_V4_URL": "https://git.acme.example/gitlab/api/v4"},
        (Host.GITLAB, "https://git.acme.example/gitlab", "41", 7),
    ),
}
ABSENT: dict[str, tuple[dict[str, str], str]] = {
    "a shell": ({}, "neither"),
    "a push on GitHub": ({**GITHUB, "GITHUB_REF": "refs/heads/main"}, "not about a pull request"),
    "a branch that looks like one": (
        {**GITHUB, "GITHUB_REF": "refs/heads/refs/pull/5/merge"},
        "not about a pull request",
    ),
    "no token on GitHub": ({**GITHUB, **PULL, "GITHUB_TOKEN": " "}, "GITHUB_TOKEN is not set"),
    "a push on GitLab": ({**GITLAB, "CI_MERGE_REQUEST_IID": ""}, "not about a merge request"),
    "no token on GitLab": ({**GITLAB, "GITLAB_TOKEN": ""}, "GPUPLAN_GITLAB_TOKEN is not set"),
}


@pytest.mark.parametrize("case", FOUND)
def test_a_request_is_found(case: str) -> None:
    environment, expected = FOUND[case]
    found = change_request(environment)
    assert isinstance(found, ChangeRequest)
    assert (found.host, found.server, found.project, found.number) == expected
    assert found.token == "t"


@pytest.mark.parametrize("case", ABSENT)
def test_where_there_is_none_it_is_said_why(case: str) -> None:
    environment, reason = ABSENT[case]
    found = change_request(environment)
    assert isinstance(found, Absent)
    assert reason in found.reason
    assert bool(found.fix) is case.startswith("no token")


def test_our_own_variable_comes_before_a_shared_one() -> None:
    found = change_request({**GITLAB, "GPUPLAN_GITLAB_TOKEN": "ours"})
    assert isinstance(found, ChangeRequest)
    assert found.token == "ours"


EVENTS: dict[str, tuple[Any, int | None]] = {
    "of a pull request": ({"pull_request": {"number": 8}}, 8),
    "of a push": ({"ref": "refs/heads/main"}, None),
    "of another form": ([1], None),
    "that is no JSON": (None, None),
}


@pytest.mark.parametrize("case", EVENTS)
def test_the_number_may_come_from_the_event(case: str, tmp_path: Path) -> None:
    event, number = EVENTS[case]
    file = tmp_path / "event.json"
    file.write_text("{" if event is None else json.dumps(event), encoding="utf-8")
    found = change_request({**GITHUB, "GITHUB_EVENT_PATH": str(file)})
    assert getattr(found, "number", None) == number


def test_a_comment_is_of_the_branchs_commit_not_of_the_merge_that_was_tried(tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"head": {"sha": "a" * 40}}}), encoding="utf-8")
    run = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_RUN_ID": "1", "GITHUB_SHA": "b" * 40}
    assert f"`{'a' * 12}`" in foot({**GITHUB, **run, "GITHUB_EVENT_PATH": str(event)})
    assert f"`{'b' * 12}`" in foot({**GITHUB, **run})
    assert foot({}) == foot(GITHUB) == ""


def test_outputs_are_added_to_those_of_other_steps_a_line_each(tmp_path: Path) -> None:
    out, summary = tmp_path / "out", tmp_path / "summary"
    out.write_text("other=1\n")
    hand_over(
        {"GITHUB_OUTPUT": str(out), "GITHUB_STEP_SUMMARY": str(summary)}, {"risk": "low\nevil=1", "x": "y"}, "# plan"
    )
    assert out.read_text(encoding="utf-8").splitlines() == ["other=1", "risk=low␊evil=1", "x=y"]
    assert summary.read_text(encoding="utf-8") == "# plan\n"


def test_gitlabs_report_leaves_out_what_would_make_it_too_large() -> None:
    assert dotenv({"risk": "low", "approvals": "x" * 4_000}) == "GPUPLAN_RISK=low\n"


def test_an_annotation_is_one_line_whatever_it_says() -> None:
    assert annotation("error", "t", "a\n::error::b\r%") == "::error title=t::a%0A::error::b␍%25"
