"""A merge request on a GitLab instance, by python-gitlab."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import requests
from gitlab import Gitlab
from gitlab.exceptions import GitlabError
from gitlab.v4.objects import ProjectMergeRequestNote

from gpuplan.forge.request import ChangeRequest
from gpuplan.forge.sticky import Comment, Problem

PATIENCE_SECONDS: Final = 20.0
_ONCE: Final[dict[str, Any]] = {"obey_rate_limit": False, "retry_transient_errors": False}
_BRIEFLY: Final[dict[str, Any]] = {"obey_rate_limit": False, "retry_transient_errors": True, "max_retries": 2}
"""How often a request is repeated: a rate limit is not waited for, and a comment that is sent twice is there twice."""
_NO_RIGHT: Final = "The token needs the scope `api` and the role Reporter or more in the project of the merge request."


class MergeRequest:
    """The discussion of one merge request; a `sticky.Discussion`."""

    failures: tuple[type[Exception], ...] = (GitlabError, requests.RequestException)

    def __init__(self, request: ChangeRequest) -> None:
        self._host = Gitlab(
            url=request.server, private_token=request.token, timeout=PATIENCE_SECONDS, keep_base_url=True
        )
        project = self._host.projects.get(request.project, lazy=True)
        self._requests = project.mergerequests
        self._request = project.mergerequests.get(request.number, lazy=True)
        self._number = request.number
        self._token = request.token
        self._notes: dict[int, ProjectMergeRequestNote] = {}

    def problem(self, error: Exception) -> Problem:
        """Say what python-gitlab's error means."""
        if not isinstance(error, GitlabError) or error.response_code is None:
            return Problem(summary=f"GitLab cannot be reached ({type(error).__name__})")
        if error.response_code == 429:
            return Problem(summary="GitLab's rate limit is reached", fix="Run the job again later.")
        said = str(error.error_message).rstrip(".")
        text = f"GitLab answered {error.response_code}" + (f": {said}" if said else "")
        return Problem(
            summary=text.replace(self._token, "***"), fix=_NO_RIGHT if error.response_code in (401, 403, 404) else ""
        )

    def own_comments(self) -> Iterator[Comment]:
        """Yield the notes of the token's owner."""
        user = self._host.http_get("/user", **_BRIEFLY)
        me = user["id"] if isinstance(user, dict) else None
        for note in self._request.notes.list(
            iterator=True, order_by="created_at", sort="asc", per_page=100, **_BRIEFLY
        ):
            if note.author["id"] == me and not note.system:
                self._notes[note.id] = note
                yield Comment(id=note.id, body=note.body)

    def add_comment(self, body: str) -> None:
        """Write a note."""
        self._request.notes.create({"body": body}, **_ONCE)

    def edit_comment(self, comment: Comment, body: str) -> None:
        """Replace the text of a note."""
        note = self._notes[comment.id]
        note.body = body
        note.save(**_BRIEFLY)

    def delete_comment(self, comment: Comment) -> None:
        """Take a note away."""
        self._notes[comment.id].delete(**_BRIEFLY)

    def labels(self) -> frozenset[str]:
        """Return the names of the labels that the merge request has."""
        return frozenset(self._requests.get(self._number, **_BRIEFLY).labels)

    def relabel(self, add: str | None, remove: tuple[str, ...]) -> None:
        """Add a label, which GitLab makes where the project has none of the name, and remove others, in one request."""
        change = {"add_labels": add, "remove_labels": ",".join(remove)}
        self._requests.update(self._number, {key: value for key, value in change.items() if value}, **_BRIEFLY)
