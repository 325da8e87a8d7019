"""A namespace in which usually something of the platform runs.

Names such as `monitoring` or `cert-manager` are where their Helm charts install by default. If one is a team's,
gpuplan's Pod Security labels, rights and queues meet whatever runs there already.

Source: default namespaces of the projects' Helm charts.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="namespace/usually-others",
    severity=Severity.WARNING,
    summary="A namespace in which usually something of the platform runs",
    why="Pod Security labels and rights of a team would apply to whatever runs there.",
    fix="Use another name, or accept the finding under `suppress` if nothing else runs there.",
    bad="teams:\n  sre: {namespaces: [monitoring]}",
    good="teams:\n  sre: {namespaces: [sre]}",
)

PLATFORM = frozenset(
    {
        "cert-manager",
        "flux-system",
        "gpu-operator",
        "ingress-nginx",
        "istio-system",
        "karpenter",
        "kyverno",
        "monitoring",
        "node-feature-discovery",
        "nvidia-gpu-operator",
        "prometheus",
    }
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each such namespace of a team."""
    for team in fleet.teams:
        for index, name in enumerate(team.namespaces):
            if name in PLATFORM and name != fleet.delivery.namespace:
                yield DOC.found(
                    f"Namespace `{name}` of team `{team.name}` is usually the platform's",
                    at=fleet.places.value((*team.path, "namespaces", index)),
                )
