"""A fleet that names no repository for Argo CD.

Argo CD syncs `rendered/` from `delivery.argocd.repoURL`. Without one gpuplan writes the address of an example into every
Application, and Argo CD finds nothing there.

Source: Argo CD Application, spec.source.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

EXAMPLE_HOSTS = ("example.com", "example.net", "example.org")
"""Domains that are set aside for documentation (RFC 2606)."""

DOC = RuleDoc(
    id="delivery/example-repository",
    severity=Severity.WARNING,
    summary="No repository for Argo CD",
    why="Argo CD would look for the output at the address of an example, and sync nothing.",
    fix="Write the address of the repository that holds `rendered/` at `delivery.argocd.repoURL`.",
    bad="delivery: {argocd: {repoURL: https://git.example.com/fleet.git}}",
    good="delivery: {argocd: {repoURL: https://git.acme.io/platform/fleet.git}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for a repository in one of the example domains."""
    host = urlsplit(fleet.delivery.repo_url).hostname or ""
    if any(host == example or host.endswith("." + example) for example in EXAMPLE_HOSTS):
        summary = f"Argo CD would fetch `{fleet.delivery.repo_url}`, which is an example"
        yield DOC.found(summary, at=point(fleet, ("delivery", "argocd", "repoURL")))
