"""The commit that a change is compared with: where its branch left the target branch, fetched where a clone is shallow."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpuplan.forge.sticky import Problem

_DEEPER: Final = (50, 500)
"""Commits by which a shallow clone is deepened, one after the other, before all of its history is fetched."""
_PATIENCE_SECONDS: Final = 300
_GUESSES: Final = ("origin/HEAD", "origin/main", "origin/master", "HEAD")
"""Where nobody says what a change is for: the remote's default branch, else nothing but what is not committed."""
_FETCHED: Final = re.compile(r"[^~^:@{]+")
"""Names that a remote has; `HEAD^`, `main~3` and `main@{1}` are worked out in the clone."""
_NAME_ONE: Final = "Name a folder with the state before: --base DIR."


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """A git repository, by the folder in which its commands run."""

    folder: Path
    environment: Mapping[str, str]

    def run(self, *arguments: str) -> tuple[str, str]:
        """Return what a command printed, stripped, and its first complaint, empty where it went well."""
        program = shutil.which("git", path=self.environment.get("PATH"))
        if program is None:
            return "", "git is not installed"
        try:
            done = subprocess.run(  # noqa: S603 - arguments are ours, and names cannot be options: see `_named`
                [program, *arguments],
                cwd=self.folder,
                env={**self.environment, "GIT_TERMINAL_PROMPT": "0"},
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_PATIENCE_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "", f"git {arguments[0]} took longer than {_PATIENCE_SECONDS} seconds"
        complaint = next(iter(done.stderr.strip().splitlines()), f"git {arguments[0]} ended with {done.returncode}")
        return done.stdout.strip(), complaint if done.returncode else ""

    def commit(self, name: str) -> str:
        """Return the commit that a name means, empty where it means none."""
        found, complaint = self.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        return "" if complaint else found

    def short(self, commit: str) -> str:
        """Return a commit's number as people read it."""
        return self.run("rev-parse", "--short=12", "--verify", "--end-of-options", commit)[0] or commit

    def common(self, target: str) -> str:
        """Return the newest commit that HEAD and another one have in common, empty where none is known here."""
        found, complaint = self.run("merge-base", "HEAD", target)
        return "" if complaint else found.partition("\n")[0]


def merge_base(git: Git, said: str | None) -> str | Problem:
    """Return the commit to compare with, or a folder as it was named; `said` is a ref or folder, or None to find out.

    On GitHub and GitLab the target branch of the request is fetched, and as much history as the answer needs.
    """
    if said is not None and not git.commit(said) and (git.folder / said).is_dir():
        return said
    if not git.commit("HEAD"):
        complaint = git.run("rev-parse", "HEAD")[1].removeprefix("fatal: ").rstrip(".")
        return Problem(summary=f"There is nothing to compare with: {complaint}.", fix=_NAME_ONE)
    branch = said is None and _target_branch(git.environment)
    complaint = _fetched(git, branch) if branch else ""
    named = [f"origin/{branch}"] if branch else [said] if said else _GUESSES
    target = next((commit for name in named if (commit := git.commit(name))), "")
    if not target:
        return Problem(summary=f"There is no commit {named[0]!r} to compare with.", fix=complaint or _how(named[0]))
    return git.common(target) or _deepened(git, target, branch or None)


def _target_branch(environment: Mapping[str, str]) -> str:
    return environment.get("GITHUB_BASE_REF") or environment.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME") or ""


def _refspec(branch: str) -> str:
    return f"+refs/heads/{branch}:refs/remotes/origin/{branch}"


def _fetched(git: Git, branch: str) -> str:
    """Fetch a branch, one commit where the clone is shallow; return git's complaint."""
    depth = ("--depth=1",) if _is_shallow(git) else ()
    return git.run("fetch", "--quiet", "--no-tags", *depth, "origin", _refspec(branch))[1]


def _is_shallow(git: Git) -> bool:
    return git.run("rev-parse", "--is-shallow-repository")[0] == "true"


def _deepened(git: Git, target: str, branch: str | None) -> str | Problem:
    """Fetch more and more history until the two have a commit in common."""
    wanted = [git.commit("HEAD"), _refspec(branch) if branch else target]
    complaint = ""
    for how in (*(f"--deepen={count}" for count in _DEEPER), "--unshallow"):
        if not _is_shallow(git):
            break
        complaint = git.run("fetch", "--quiet", "--no-tags", how, "origin", *wanted)[1]
        if found := git.common(target):
            return found
    why = f"The clone is shallow, and git said: {complaint}. " if complaint else ""
    return Problem(
        summary="HEAD and what it is compared with have no commit in common.",
        fix=f"{why}Fetch the whole history: `fetch-depth: 0` of actions/checkout, `GIT_DEPTH: 0` on GitLab.",
    )


def _how(name: str) -> str:
    if not _FETCHED.fullmatch(name):
        return "Name another one with --base, or fetch more history: `git fetch --unshallow`."
    return f"Fetch it first (`git fetch origin {name.removeprefix('origin/')}`), or name another one with --base."
