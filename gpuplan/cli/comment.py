"""`gpuplan comment`."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import click

from gpuplan.cli.options import log, say
from gpuplan.cli.runner import Runner, annotation, foot, runner
from gpuplan.forge.request import Absent, ChangeRequest, Host, change_request
from gpuplan.forge.sticky import Discussion, Note, Problem, put_comment, put_label, worst
from gpuplan.report.markdown import COMMENT_LIMIT, cut, without_quick_actions
from gpuplan.report.review import COMMENT_FILE, REVIEW_FILE, marker

_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command("comment")
@click.argument("results", nargs=-1, type=_FOLDER, metavar="[RESULTS]...")
@click.option(
    "--comment/--no-comment", "comments", default=True, show_default=True, help="Write or update the comment."
)
@click.option("--label/--no-label", "labels", default=True, show_default=True, help="Set the label gpuplan/<risk>.")
def command(results: tuple[Path, ...], *, comments: bool, labels: bool) -> None:
    """Put what `gpuplan ci` found on the pull or merge request: one comment for each fleet, and one label.

    RESULTS are folders that `gpuplan ci` wrote, gpuplan-review by default. The comment is updated in place; the label is that
    of the worst risk. The token comes from GITHUB_TOKEN or GPUPLAN_GITLAB_TOKEN.

    What the host refuses, or does not answer, is a warning: the exit code is 0 all the same.
    """
    reviews = [_review(folder) for folder in results or (Path("gpuplan-review"),)]
    request = change_request(os.environ)
    if isinstance(request, Absent):
        _warn(f"No comment: {request.reason}.", request.fix)
        return
    discussion = _discussion(request)
    if request.host is Host.GITLAB:
        reviews = [(replace(note, body=without_quick_actions(note.body)), risk) for note, risk in reviews]
    outcomes = [put_comment(discussion, note) for note, _ in reviews] if comments else []
    outcomes += [put_label(discussion, worst(risk for _, risk in reviews))] if labels else []
    for outcome in dict.fromkeys(outcomes):  # a host that cannot be reached says so once
        if isinstance(outcome, Problem):
            _warn(f"{outcome.summary}.", outcome.fix)
        else:
            log(f"gpuplan: {outcome}")


def _review(folder: Path) -> tuple[Note, str]:
    """Return the note of a review and its risk. Raises UsageError."""
    try:
        made = json.loads((folder / REVIEW_FILE).read_text(encoding="utf-8"))
        text = (folder / COMMENT_FILE).read_text(encoding="utf-8")
        mark, risk = marker(made["fleet"]), str(made["risk"])
        if not text.startswith(mark):
            raise ValueError(mark)  # noqa: TRY301 - said below: another comment would be written each time
    except (OSError, ValueError, KeyError, TypeError):
        raise click.UsageError(f"{folder} holds no review. Run `gpuplan ci --results {folder}` first.") from None
    last = foot(os.environ)
    body = cut(text, COMMENT_LIMIT - len(last) - 2, "_The rest does not fit into a comment._")
    return Note(marker=mark, body=f"{body.rstrip()}\n\n{last}".rstrip()), risk


def _discussion(request: ChangeRequest) -> Discussion:
    """Return the host's discussion. Raises UsageError where the extra with its library is not installed."""
    try:
        if request.host is Host.GITHUB:
            from gpuplan.forge.github import PullRequest  # noqa: PLC0415 - the libraries are an extra

            return PullRequest(request)
        from gpuplan.forge.gitlab import MergeRequest  # noqa: PLC0415

        return MergeRequest(request)
    except ModuleNotFoundError as error:
        raise click.UsageError(f"{error.name} is not installed. Install gpuplan with its extra: gpuplan[ci].") from None


def _warn(text: str, fix: str) -> None:
    words = f"{text} {fix}".rstrip()
    say(annotation("warning", "gpuplan", words)) if runner(os.environ) is Runner.GITHUB else log(f"gpuplan: {words}")
