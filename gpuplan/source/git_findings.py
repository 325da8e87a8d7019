"""Every finding that reading another state from Git can give."""

from __future__ import annotations

from typing import Final

from gpuplan.diagnostics import Severity
from gpuplan.rulebook import RuleDoc

ABSENT: Final = RuleDoc(
    id="git/absent",
    severity=Severity.ERROR,
    summary="The program git is not there",
    why="A state of the past lies in the repository, and only git can read it.",
    fix="Install git in the image of the CI job, or name a folder that holds the other state.",
    bad="$ docker run python:slim gpuplan diff --base main",
    good="$ apt-get install -y git && gpuplan diff --base main",
)
NO_REPOSITORY: Final = RuleDoc(
    id="git/no-repository",
    severity=Severity.ERROR,
    summary="The folder is in no Git repository that git accepts",
    why="There is no other state to compare with. Git also refuses a repository that belongs to another user, as in a "
    "container where the files were mounted.",
    fix="Run it inside the repository; for one of another user, `git config --global --add safe.directory FOLDER`.",
    bad="$ cd /tmp && gpuplan diff --base main",
    good="$ cd gpu-fleet && gpuplan diff --base main",
)
UNKNOWN_REF: Final = RuleDoc(
    id="git/unknown-ref",
    severity=Severity.ERROR,
    summary="The repository has no such commit, branch or tag",
    why="Comparing with a state that is not there would show every object as new.",
    fix="Name a branch, tag or commit; `git branch --all` lists branches.",
    bad="$ gpuplan diff --base mian",
    good="$ gpuplan diff --base main",
)
OUTSIDE: Final = RuleDoc(
    id="git/outside",
    severity=Severity.ERROR,
    summary="A folder lies outside the repository",
    why="Git knows nothing of what it held before.",
    fix="Name folders of one repository.",
    bad="$ gpuplan diff --base main --out /srv/rendered",
    good="$ gpuplan diff --base main --out rendered",
)
FAILED: Final = RuleDoc(
    id="git/failed",
    severity=Severity.ERROR,
    summary="Git could not read the state",
    why="The repository may be damaged, or a part of it lies on a server that does not answer.",
    fix="Run `git fsck`; in a partial clone, `git fetch` first.",
    bad="$ git clone --filter=blob:none URL && gpuplan diff --base main",
    good="$ git clone URL && gpuplan diff --base main",
)

FINDINGS: Final = (ABSENT, NO_REPOSITORY, UNKNOWN_REF, OUTSIDE, FAILED)
