"""A pull request on GitHub or GitHub Enterprise, by PyGithub."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import requests
from github import Auth, Github, GithubException, GithubRetry, RateLimitExceededException
from github.IssueComment import IssueComment

from gpuplan.forge.request import ChangeRequest
from gpuplan.forge.sticky import COLOURS, LABEL_PREFIX, Comment, Problem

PATIENCE_SECONDS: Final = 20
TRIES: Final = 2
LONGEST_WAIT_SECONDS: Final = 30.0
"""How long to wait for a rate limit: a review is not worth a job that hangs for an hour."""
_PER_PAGE: Final = 100
_REPEATABLE: Final = frozenset({"GET", "PATCH", "PUT", "DELETE"})
"""A comment that is sent twice is there twice."""
_NO_RIGHT: Final = (
    "Give the job `permissions: {pull-requests: write}`. Pull requests from forks get a read-only token: there the plan is in "
    "the job's summary."
)


class PullRequest:
    """The discussion of one pull request; a `sticky.Discussion`."""

    failures: tuple[type[Exception], ...] = (GithubException, requests.RequestException)

    def __init__(self, request: ChangeRequest) -> None:
        self._host = Github(
            auth=Auth.Token(request.token),
            base_url=request.server,
            timeout=PATIENCE_SECONDS,
            retry=GithubRetry(
                total=TRIES,
                backoff_factor=0.5,
                secondary_rate_wait=LONGEST_WAIT_SECONDS,
                max_rate_limit_wait=LONGEST_WAIT_SECONDS,
                status_forcelist=[502, 503, 504],
                allowed_methods=_REPEATABLE,
            ),
            per_page=_PER_PAGE,
            seconds_between_requests=0,  # a review makes a handful of requests, not a stream of them
            seconds_between_writes=0,
            lazy=True,
        )
        self._repository = self._host.get_repo(request.project)
        self._issue = self._repository.get_issue(request.number)
        self._token = request.token
        self._comments: dict[int, IssueComment] = {}

    def problem(self, error: Exception) -> Problem:
        """Say what PyGithub's error means."""
        if isinstance(error, RateLimitExceededException) or getattr(error, "status", None) == 429:
            return Problem(summary="GitHub's rate limit is reached", fix="Run the job again later.")
        if isinstance(error, GithubException):
            said = error.data.get("message") if isinstance(error.data, dict) else None
            text = f"GitHub answered {error.status}" + (f": {str(said).rstrip('.')}" if said else "")
            return Problem(
                summary=text.replace(self._token, "***"), fix=_NO_RIGHT if error.status in (401, 403, 404) else ""
            )
        return Problem(summary=f"GitHub cannot be reached ({type(error).__name__})")

    def own_comments(self) -> Iterator[Comment]:
        """Yield the comments of the token's owner, or of any bot where the host does not say who that is."""
        me = self._login()
        for found in self._issue.get_comments():
            if found.user.login == me or (me is None and found.user.type == "Bot"):
                self._comments[found.id] = found
                yield Comment(id=found.id, body=found.body or "")

    def _login(self) -> str | None:
        """Return who we are. A job's own token belongs to an app, which may not ask."""
        try:
            return self._host.get_user().login
        except GithubException as error:
            if error.status in (401, 403, 404):
                return None
            raise

    def add_comment(self, body: str) -> None:
        """Write a comment."""
        self._issue.create_comment(body)

    def edit_comment(self, comment: Comment, body: str) -> None:
        """Replace the text of a comment."""
        self._comments[comment.id].edit(body)

    def delete_comment(self, comment: Comment) -> None:
        """Take a comment away."""
        self._comments[comment.id].delete()

    def labels(self) -> frozenset[str]:
        """Return the names of the labels that the pull request has."""
        return frozenset(label.name for label in self._issue.get_labels())

    def relabel(self, add: str | None, remove: tuple[str, ...]) -> None:
        """Add a label, made in its colour where the repository has none of the name, and remove others."""
        if add:
            self._make(add)
            self._issue.add_to_labels(add)
        for name in remove:
            self._issue.remove_from_labels(name)

    def _make(self, name: str) -> None:
        colour = COLOURS.get(name.removeprefix(LABEL_PREFIX), "")
        try:
            self._repository.create_label(name, colour, "Risk of the change, by gpuplan")
        except GithubException as error:
            # 422: there is one already. 403 or 404: labels cannot be made, but GitHub adds an unknown one in grey.
            if error.status not in (403, 404, 422):
                raise
