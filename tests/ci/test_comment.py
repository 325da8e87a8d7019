"""One comment and one label on a change, by the hosts' real libraries, and what happens where a host says no."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gpuplan.forge.sticky import COLOURS, Problem, worst
from gpuplan.report.markdown import COMMENT_LIMIT
from gpuplan.report.review import marker
from tests.ci.hosts import Answer, Change, serving
from tests.cli.transcript import Outcome, in_process

SECRET = "t0ken-of-the-test"
TOKENS = {"github": {f"token {SECRET}"}, "gitlab": {SECRET}}
MARK = marker("fleet")


def environment(host: str, url: str) -> dict[str, str]:
    """What the runner of a host sets in a job of change 5."""
    if host == "github":
        return {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": url,
            "GITHUB_REPOSITORY": "acme/fleet",
            "GITHUB_REF": "refs/pull/5/merge",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_RUN_ID": "99",
            "GITHUB_SHA": "0123456789abcdef",
            "GITHUB_TOKEN": SECRET,
        }
    return {
        "GITLAB_CI": "true",
        "CI_API_V4_URL": f"{url}/api/v4",
        "CI_MERGE_REQUEST_IID": "5",
        "CI_MERGE_REQUEST_PROJECT_ID": "42",
        "CI_PROJECT_ID": "43",
        "CI_COMMIT_SHA": "0123456789abcdef",
        "CI_JOB_URL": "https://gitlab.example/jobs/99",
        "GPUPLAN_GITLAB_TOKEN": SECRET,
    }


def clear(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_TOKEN", "GITLAB_TOKEN", "GITHUB_EVENT_PATH"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=["github", "gitlab"])
def host(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def change() -> Change:
    return Change()


@pytest.fixture(autouse=True)
def served(host: str, change: Change, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    clear(monkeypatch)
    monkeypatch.chdir(tmp_path)
    with serving(change) as url:
        for name, value in environment(host, url).items():
            monkeypatch.setenv(name, value)
        yield


def review(risk: str, text: str = "the plan", *, fleet: str = "fleet", folder: str = "gpuplan-review") -> None:
    """Write what `gpuplan ci` leaves."""
    Path(folder).mkdir(exist_ok=True)
    (Path(folder) / "review.json").write_text(json.dumps({"fleet": fleet, "risk": risk}))
    (Path(folder) / "comment.md").write_text(f"{marker(fleet)}\n{text}\n")


def commented(*arguments: str) -> Outcome:
    outcome = in_process(["comment", *arguments])
    assert SECRET not in outcome.stdout + outcome.stderr
    return outcome


def test_the_first_run_writes_the_comment_and_the_second_updates_it_in_place(change: Change, host: str) -> None:
    change.says("somebody", "Looks fine.")
    review("low", "first")
    assert commented().exit_code == 0
    review("low", "second")
    assert commented().exit_code == 0
    assert len(change.comments) == 2
    assert change.bodies[1].startswith(f"{MARK}\nsecond\n")
    assert change.tokens == TOKENS[host]


def test_the_comment_says_of_which_commit_and_job_it_is(change: Change, host: str) -> None:
    review("low")
    commented()
    job = "https://github.com/acme/fleet/actions/runs/99" if host == "github" else "https://gitlab.example/jobs/99"
    assert change.bodies[0].endswith(f"<sub>Of commit `0123456789ab`, by [this job]({job}).</sub>")


def test_what_has_not_changed_is_not_written_again(change: Change) -> None:
    review("low")
    commented()
    before = len(change.asked)
    outcome = commented()
    assert all(asked.startswith("GET") for asked in change.asked[before:])
    assert "the comment is up to date" in outcome.stderr


def test_a_comment_of_somebody_else_with_our_marker_is_left_alone(change: Change) -> None:
    forged = f"{MARK}\nrisk none, merge me"
    change.says("mallory", forged)
    review("destructive")
    commented()
    assert change.bodies[0] == forged
    assert len(change.comments) == 2


def test_comments_beyond_the_first_page_are_found_and_a_second_one_of_ours_goes(change: Change) -> None:
    change.pages = True
    for author, body in (("a", "1"), ("b", "2"), ("gpuplan-bot", f"{MARK}\nold"), ("gpuplan-bot", f"{MARK}\nolder")):
        change.says(author, body)
    review("low", "new")
    commented()
    assert [body.splitlines()[:2] for body in change.bodies] == [["1"], ["2"], [MARK, "new"]]


def test_each_fleet_has_a_comment_of_its_own_and_the_label_is_of_the_worst(change: Change) -> None:
    review("low", fleet="a/fleet", folder="one")
    review("disruptive", fleet="b/fleet", folder="two")
    commented("one", "two")
    commented("one", "two")
    assert [body.splitlines()[0] for body in change.bodies] == [marker("a/fleet"), marker("b/fleet")]
    assert change.labels == {"gpuplan/disruptive"}


@pytest.mark.parametrize("risk", COLOURS)
def test_exactly_one_risk_label_is_left_and_foreign_labels_stay(change: Change, risk: str) -> None:
    foreign = {"bug", "gpuplan/keep-me", "other/low"}
    change.labels = {*foreign, "gpuplan/low", "gpuplan/destructive"}
    review(risk)
    commented()
    assert change.labels == {*foreign, f"gpuplan/{risk}"}


def test_a_label_that_is_right_is_not_touched(change: Change) -> None:
    change.labels = {"gpuplan/low"}
    review("low")
    commented("--no-comment")
    assert change.asked in (["GET labels"], ["GET merge_request"])


def test_comment_and_label_can_be_left_out(change: Change) -> None:
    review("low")
    commented("--no-label")
    assert (len(change.comments), change.labels) == (1, set())
    commented("--no-comment")
    assert (len(change.comments), change.labels) == (1, {"gpuplan/low"})


def test_a_comment_is_never_longer_than_the_limit(change: Change) -> None:
    review("low", "```\n" + "x" * 99 + "\n" + ("y" * 99 + "\n") * 1000 + "```")
    commented()
    (body,) = change.bodies
    assert COMMENT_LIMIT - 200 < len(body) <= COMMENT_LIMIT
    assert body.count("```") == 2
    assert body.endswith("</sub>")


FORBIDDEN = {"message": "Resource not accessible by integration"}
REFUSALS: dict[str, tuple[Answer, str]] = {
    "no right": ((403, FORBIDDEN), "answered 403: Resource not accessible by integration"),
    "bad token": ((401, {"message": f"Bad credentials {SECRET}"}), "answered 401: Bad credentials ***"),
    "no such request": ((404, {"message": "Not Found"}), "answered 404: Not Found"),
    "a fault of theirs": ((502, {"message": "oops"}), "answered 502: oops"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_what_a_host_refuses_is_a_warning_and_the_other_half_is_done(change: Change, host: str, case: str) -> None:
    answer, words = REFUSALS[case]
    change.refused = {"POST add_comment": answer, "POST add_note": answer}
    review("low")
    outcome = commented()
    said = outcome.stdout if host == "github" else outcome.stderr
    start = "::warning title=gpuplan::GitHub " if host == "github" else "gpuplan: GitLab "
    assert f"{start}{words}." in said
    assert outcome.exit_code == 0
    assert (change.comments, change.labels) == ([], {"gpuplan/low"})
    refused = [asked for asked in change.asked if asked.startswith("POST add_") and asked != "POST add_label"]
    assert len(refused) == 1, "a comment that may have been written is not sent again"


def test_a_right_that_only_labels_lack_leaves_the_comment(change: Change) -> None:
    change.refused = dict.fromkeys(("POST add_label", "PUT change_merge_request"), (403, FORBIDDEN))
    review("low")
    outcome = commented()
    assert "403" in outcome.stdout + outcome.stderr
    assert (outcome.exit_code, len(change.comments)) == (0, 1)


def test_a_rate_limit_is_a_warning_after_a_short_time(change: Change) -> None:
    limit = {"message": "API rate limit exceeded for installation ID 1."}
    change.refused = {"GET comments": (403, limit), "GET user": (429, limit), "GET notes": (429, limit)}
    review("low")
    outcome = commented("--no-label")
    assert "rate limit is reached" in outcome.stdout + outcome.stderr
    assert outcome.exit_code == 0


def test_a_host_that_does_not_answer_is_a_warning(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Change()) as url:
        pass
    monkeypatch.setenv("GITHUB_API_URL" if host == "github" else "CI_API_V4_URL", f"{url}/api/v4")
    review("low")
    outcome = commented()
    assert "cannot be reached" in outcome.stdout + outcome.stderr
    assert outcome.exit_code == 0


def test_without_a_token_there_is_a_warning_with_what_to_do(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "GITHUB_TOKEN" if host == "github" else "GPUPLAN_GITLAB_TOKEN"
    monkeypatch.delenv(name)
    review("low")
    outcome = commented()
    assert re.search(rf"{name} is not set\. \w+", outcome.stdout + outcome.stderr)
    assert outcome.exit_code == 0


def test_without_a_request_nothing_is_asked(change: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_REF", "refs/heads/main")
    monkeypatch.delenv("CI_MERGE_REQUEST_IID", raising=False)
    review("low")
    outcome = commented()
    assert "is not about a" in outcome.stdout + outcome.stderr
    assert (outcome.exit_code, change.asked) == (0, [])


def test_a_folder_without_a_review_is_wrong_usage() -> None:
    Path("empty").mkdir()
    outcome = commented("empty")
    assert "empty holds no review" in outcome.stderr
    assert outcome.exit_code == 2


def test_a_comment_that_does_not_begin_with_its_marker_is_no_review() -> None:
    review("low")
    Path("gpuplan-review/comment.md").write_text("hello")
    assert commented().exit_code == 2


def test_the_worst_of_several_risks_counts_and_no_word_is_taken_for_harmless() -> None:
    tell: Callable[..., str] = lambda *risks: worst(iter(risks))  # noqa: E731
    assert tell("none", "low") == "low"
    assert tell("destructive", "disruptive", "none") == "destructive"
    assert tell("low", "fine!") == tell() == "unknown"


def test_a_problem_shows_no_token(change: Change) -> None:
    assert SECRET not in repr(Problem(summary="x"))
    from gpuplan.forge.request import change_request  # noqa: PLC0415

    assert SECRET not in repr(change_request(dict[str, Any](environment("github", "http://x"))))
