"""A repository as a user has it: `fleet/` and its `rendered/` on main, and a branch with a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ci.repositories import commit, git, merged, started
from tests.cli.transcript import ENVIRONMENT, in_process

FLEET = """\
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {prod: {kubernetes: "1.36"}}
cardTiers: {serve: {cards: [l40s]}}
nodePools:
  l40s-a: {cluster: prod, tier: serve, nodes: 4, cardsPerNode: 4, selectedBy: {labels: {pool: l40s}}}
taskPools:
  chat:    {kind: onlineInference, service: guaranteed, tiers: [serve]}
  scratch: {kind: experiment, service: reclaimable, tiers: [serve]}
teams:
  vision: {namespaces: [vision], quotas: {chat: {serve: {guaranteed: 8}}, scratch: {}}}
  speech: {namespaces: [speech], owners: ["@acme/speech"], quotas: {chat: {serve: {guaranteed: 4}}}}
delivery: {argocd: {repoURL: https://git.acme.example/fleet.git}}
"""
BRANCH = "feature/change"
SPEECH = '  speech: {namespaces: [speech], owners: ["@acme/speech"], quotas: {chat: {serve: {guaranteed: 4}}}}\n'

CHANGES: dict[str, tuple[str, str]] = {
    "a small one": ("guaranteed: 8", "guaranteed: 10"),
    "too many cards": ("guaranteed: 8", "guaranteed: 80"),
    "a team goes": (SPEECH, ""),
    "none": ("metadata", "metadata"),
}
"""What a branch replaces in the fleet, by its name."""


def _rendered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.chdir(folder)
        for name, value in ENVIRONMENT.items():
            patched.setenv(name, value)
        outcome = in_process(["render"])
    assert outcome.exit_code == 0, outcome.stdout + outcome.stderr


def repository(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch, *, render: bool) -> Path:
    """Make a repository whose branch has one of `CHANGES`, with the merge commit that GitHub makes for its pull request."""
    started(folder)
    file = folder / "fleet/fleet.yaml"
    file.parent.mkdir()
    file.write_text(FLEET, encoding="utf-8")
    _rendered(folder, monkeypatch)
    commit(folder, "the fleet")
    git(folder, "checkout", "--quiet", "-b", BRANCH)
    old, new = CHANGES[name]
    assert old in FLEET
    file.write_text(FLEET.replace(old, new, 1), encoding="utf-8")
    if render:
        _rendered(folder, monkeypatch)
    commit(folder, name)
    git(folder, "checkout", "--quiet", "main")
    commit(folder, "somebody else's", README="hello")
    merged(folder, BRANCH, "main")
    return folder
