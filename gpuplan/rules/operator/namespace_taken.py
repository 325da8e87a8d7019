"""A GPU Operator in a namespace that belongs to somebody else.

gpuplan renders the operator's namespace, privileged as its agents need it. In Kubernetes' or the platform's own namespaces
two would write one object, and everybody else's pods there would become privileged, too.

Source: Kubernetes Pod Security; gpuplan's own namespaces.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.conventions import SYSTEM_NAMESPACES
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="operator/namespace-taken",
    severity=Severity.ERROR,
    summary="A GPU Operator in somebody else's namespace",
    why="Its namespace is rendered, privileged: in another's two would write one object, and every pod there may do anything.",
    fix="Give the operator a namespace of its own.",
    bad="clusters:\n  eu: {stack: operator, gpuOperator: {namespace: kube-system}}",
    good="clusters:\n  eu: {stack: operator, gpuOperator: {namespace: gpu-operator}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each operator in a namespace of the system; one of a team is for namespace/reserved."""
    for cluster in fleet.clusters:
        name = cluster.gpu_operator.namespace
        served = cluster.has_operator
        if not served or name not in {*SYSTEM_NAMESPACES, "default", fleet.delivery.namespace}:
            continue
        yield DOC.found(
            f"The GPU Operator of cluster `{cluster.name}` cannot have namespace `{name}`, which is not its own",
            at=point(fleet, (*cluster.path, "gpuOperator", "namespace")),
        )
