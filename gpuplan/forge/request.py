"""Which pull or merge request this job is about, by what the CI system says in its environment."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

GITHUB_TOKEN = "GITHUB_TOKEN"  # noqa: S105 - the name of a variable
GITLAB_TOKENS = ("GPUPLAN_GITLAB_TOKEN", "GITLAB_TOKEN")
"""Variables that hold a token, the first one that is set; a job's own CI_JOB_TOKEN may not write comments."""

_PULL = re.compile(r"refs/pull/([1-9][0-9]*)/(?:merge|head)")
_API = "/api/v4"


class Host(enum.Enum):
    """A kind of code host."""

    GITHUB = "GitHub"
    GITLAB = "GitLab"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRequest:
    """A pull or merge request, and how its host is reached.

    `server` is what the host's library asks for: the API's address on GitHub, the instance's on GitLab. `project` is
    `owner/name` or GitLab's number.
    """

    host: Host
    server: str
    project: str
    number: int
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """Why there is nothing to comment on; `fix` says what to do about it, empty where nothing is wrong."""

    reason: str
    fix: str = ""


def change_request(environment: Mapping[str, str]) -> ChangeRequest | Absent:
    """Return the request of this job, or why there is none."""
    if environment.get("GITHUB_ACTIONS") == "true":
        return _on_github(environment)
    if environment.get("GITLAB_CI") == "true":
        return _on_gitlab(environment)
    return Absent(reason="this is neither a job of GitHub Actions nor of GitLab CI")


def _on_github(environment: Mapping[str, str]) -> ChangeRequest | Absent:
    number = _pull_number(environment)
    if number is None:
        return Absent(reason="this run is not about a pull request")
    token = environment.get(GITHUB_TOKEN, "").strip()
    if not token:
        return Absent(
            reason=f"{GITHUB_TOKEN} is not set",
            fix="Pass `${{ github.token }}` in `env:` and give the job `permissions: {pull-requests: write}`.",
        )
    return ChangeRequest(
        host=Host.GITHUB,
        server=environment.get("GITHUB_API_URL") or "https://api.github.com",
        project=environment.get("GITHUB_REPOSITORY", ""),
        number=number,
        token=token,
    )


def _pull_number(environment: Mapping[str, str]) -> int | None:
    ref = _PULL.fullmatch(environment.get("GITHUB_REF", ""))
    if ref:
        return int(ref[1])
    number = pull_request_event(environment).get("number")
    return number if isinstance(number, int) else None


def pull_request_event(environment: Mapping[str, str]) -> Mapping[str, object]:
    """Return what GitHub's event says of its pull request; nothing where there is none or the file cannot be read."""
    path = environment.get("GITHUB_EVENT_PATH")
    if not path:
        return {}
    try:
        event = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    pull = event.get("pull_request") if isinstance(event, dict) else None
    return pull if isinstance(pull, dict) else {}


def _on_gitlab(environment: Mapping[str, str]) -> ChangeRequest | Absent:
    number = environment.get("CI_MERGE_REQUEST_IID", "")
    # The project that the request is made to: pipelines of forks run in another one.
    project = environment.get("CI_MERGE_REQUEST_PROJECT_ID") or environment.get("CI_PROJECT_ID", "")
    if not number.isdecimal() or not project:
        return Absent(reason="this pipeline is not about a merge request")
    token = next((environment[name].strip() for name in GITLAB_TOKENS if environment.get(name, "").strip()), "")
    if not token:
        return Absent(
            reason=f"{GITLAB_TOKENS[0]} is not set",
            fix="Make a project access token with the role Reporter and the scope `api`, and set it as a masked variable.",
        )
    server = environment.get("CI_API_V4_URL", "").rstrip("/").removesuffix(_API)
    return ChangeRequest(
        host=Host.GITLAB,
        server=server or environment.get("CI_SERVER_URL") or "https://gitlab.com",
        project=project,
        number=int(number),
        token=token,
    )
