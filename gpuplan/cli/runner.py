"""Where a review runs, and how that place takes values, summaries and annotations."""

from __future__ import annotations

import enum
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gpuplan.forge.request import pull_request_event
from gpuplan.report.terminal import printable

DOTENV_VALUE_BYTES: Final = 3_000
"""GitLab refuses a report of more than 5 kB as a whole; the list of approvals is its only long value."""


class Runner(enum.Enum):
    """What runs us."""

    GITHUB = "GitHub Actions"
    GITLAB = "GitLab CI"
    PERSON = "a shell"


def runner(environment: Mapping[str, str]) -> Runner:
    """Return what runs us, by the variables that it sets."""
    if environment.get("GITHUB_ACTIONS") == "true":
        return Runner.GITHUB
    return Runner.GITLAB if environment.get("GITLAB_CI") == "true" else Runner.PERSON


def hand_over(environment: Mapping[str, str], outputs: Mapping[str, str], summary: str) -> None:
    """Give GitHub the step's outputs and summary; elsewhere, and without its files, do nothing. Raises OSError."""
    if path := environment.get("GITHUB_OUTPUT"):
        lines = (f"{name}={printable(value)}\n" for name, value in outputs.items())
        _append(Path(path), "".join(lines))
    if path := environment.get("GITHUB_STEP_SUMMARY"):
        _append(Path(path), summary + "\n")  # GitHub drops a summary of more than 1 MiB; a comment is never that long


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def dotenv(outputs: Mapping[str, str]) -> str:
    """Return the values as GitLab's dotenv report takes them; a list that is too long for it is left out.

    >>> dotenv({"no-changes": "true"})
    'GPUPLAN_NO_CHANGES=true\\n'
    """
    return "".join(
        f"GPUPLAN_{name.upper().replace('-', '_')}={printable(value)}\n"
        for name, value in outputs.items()
        if len(value.encode()) <= DOTENV_VALUE_BYTES
    )


def annotation(level: str, title: str, text: str) -> str:
    """Return one of GitHub's workflow commands, whatever the text holds.

    >>> annotation("error", "gpuplan", "50%\\n::stop::")
    '::error title=gpuplan::50%25%0A::stop::'
    """
    data = "%0A".join(printable(line).replace("%", "%25") for line in text.split("\n"))
    return f"::{level} title={title}::{data}"


def commands_off() -> tuple[str, str]:
    """Return the lines that turn GitHub's workflow commands off and on again; nobody can guess the second one."""
    token = secrets.token_hex(16)
    return f"::stop-commands::{token}", f"::{token}::"


def foot(environment: Mapping[str, str]) -> str:
    """Return the line that says of which commit and job a comment is; empty outside of CI."""
    match runner(environment):
        case Runner.GITHUB:
            head = pull_request_event(environment).get("head")
            commit = head.get("sha") if isinstance(head, Mapping) else environment.get("GITHUB_SHA")
            base = "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}"
        case Runner.GITLAB:
            commit, base = environment.get("CI_COMMIT_SHA"), "{CI_JOB_URL}"
        case Runner.PERSON:
            return ""
    try:
        return f"<sub>Of commit `{str(commit or '')[:12]}`, by [this job]({base.format_map(environment)}).</sub>"
    except KeyError:
        return ""
