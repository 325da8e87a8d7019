"""Git repositories for tests: a remote, a branch of a change, and clones as the runners of code hosts make them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@acme.example",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@acme.example",
}


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, and return what it printed."""
    done = subprocess.run(["git", *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def commit(folder: Path, message: str, **files: str) -> str:
    """Write files, their names with `__` for `/`, commit everything, and return the commit."""
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(folder, "rev-parse", "HEAD")


def started(folder: Path) -> Path:
    """Make an empty repository with the branch main."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    return folder


def merged(folder: Path, branch: str, into: str) -> str:
    """Make the commit that GitHub checks out for a pull request, its branch merged into the target, as refs/pull/5/merge."""
    git(folder, "checkout", "--quiet", "--detach", into)
    git(folder, "merge", "--quiet", "--no-ff", "--message", "merge", branch)
    made = git(folder, "rev-parse", "HEAD")
    git(folder, "update-ref", "refs/pull/5/merge", made)
    git(folder, "checkout", "--quiet", branch)
    return made


def checked_out(remote: Path, folder: Path, ref: str, *, depth: int | None) -> Path:
    """Fetch one ref into a new clone and check it out, as actions/checkout and GitLab's runner do."""
    started(folder)
    git(folder, "remote", "add", "origin", remote.as_uri())
    shallow = [f"--depth={depth}"] if depth else []
    git(folder, "fetch", "--quiet", "--no-tags", *shallow, "origin", f"+{ref}:refs/remotes/origin/ci")
    git(folder, "checkout", "--quiet", "--detach", "refs/remotes/origin/ci")
    return folder
