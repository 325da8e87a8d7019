"""A path of the output that does not lie inside the repository.

`delivery.argocd.path` is the folder of `rendered/` as Argo CD sees it in its clone. Argo CD refuses absolute paths and paths that
lead out of the repository.

Source: Argo CD, Application spec.source.path.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="delivery/path-not-relative",
    severity=Severity.ERROR,
    summary="A path of the output outside the repository",
    why="Argo CD reads the path inside its clone of the repository and refuses one that is absolute or leads out of it.",
    fix="Write the folder relative to the root of the repository, such as `rendered`.",
    bad="delivery: {argocd: {path: /rendered}}",
    good="delivery: {argocd: {path: rendered}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for a path that is absolute or climbs."""
    path = PurePosixPath(fleet.delivery.path)
    if path.is_absolute() or ".." in path.parts:
        summary = f"`{fleet.delivery.path}` does not lie inside the repository"
        yield DOC.found(summary, at=point(fleet, ("delivery", "argocd", "path")))
