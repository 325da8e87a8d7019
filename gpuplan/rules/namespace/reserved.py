"""A namespace that belongs to Kubernetes or to the platform's own agents.

gpuplan sets Pod Security labels on the namespaces of teams, gives their people rights in them, and puts queues there.
In a namespace of the control plane that stops the control plane's own pods or hands it over to a team; and Kueue
leaves these namespaces out, so that a team's jobs there would run without a queue.

Source: Kueue, managedJobsNamespaceSelector; #2277, #5048, #13374.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="namespace/reserved",
    severity=Severity.ERROR,
    summary="A namespace that belongs to Kubernetes or to the platform's own agents",
    why="A team would get rights over the control plane or the agents, and Kueue does not manage jobs there.",
    fix="Give the team a namespace of its own.",
    bad="teams:\n  platform: {namespaces: [kube-system]}",
    good="teams:\n  platform: {namespaces: [platform]}",
)

PREFIXES = {"kube-": "Kubernetes", "openshift-": "OpenShift"}
NAMES = {
    "default": "Kubernetes",
    "openshift": "OpenShift",
    conventions.KUEUE_NAMESPACE: "Kueue",
    conventions.SYSTEM_NAMESPACE: "gpuplan's agents",
    conventions.ARGOCD_NAMESPACE: "Argo CD",
}


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each namespace of a team that is taken."""
    operators = {
        cluster.gpu_operator.namespace: "the GPU Operator" for cluster in fleet.clusters if cluster.has_operator
    }
    names = {**NAMES, **operators, fleet.delivery.namespace: "Argo CD"}
    for team in fleet.teams:
        for index, name in enumerate(team.namespaces):
            owner = names.get(name) or next((who for prefix, who in PREFIXES.items() if name.startswith(prefix)), "")
            if owner:
                yield DOC.found(
                    f"Namespace `{name}` of team `{team.name}` belongs to {owner}",
                    at=fleet.places.value((*team.path, "namespaces", index)),
                )
