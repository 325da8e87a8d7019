"""A fleet that takes Argo CD's own default project for itself.

gpuplan renders the AppProject of the fleet, with an exact list of what may be synced where. Under the name `default` it would
replace the project that all other Applications of the Argo CD use unless they say otherwise, and stop them.

Source: Argo CD, the default project.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, written

DOC = RuleDoc(
    id="delivery/default-project",
    severity=Severity.ERROR,
    summary="A fleet whose project is Argo CD's default one",
    why="The rendered AppProject would replace the one that every other Application uses, and stop them all.",
    fix="Write another name at `delivery.argocd.project`.",
    bad="metadata: {name: default}",
    good="metadata: {name: default}\ndelivery: {argocd: {project: gpu-fleet}}",
)

DEFAULT = "default"


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for a fleet in the project `default`, by its name or by choice."""
    if fleet.delivery.project == DEFAULT:
        chosen = ("delivery", "argocd", "project")
        path = chosen if written(fleet, chosen) else ("metadata", "name")
        yield DOC.found("The fleet's AppProject would be called `default`", at=point(fleet, path))
