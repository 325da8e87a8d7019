"""A GPU Operator that gpuplan is to install where it comes from the distribution's own catalogue.

On OpenShift the operator comes from OperatorHub by a subscription (OLM), which also brings the security constraints that its
agents need there. The Helm chart as gpuplan installs it has none of that.

Source: NVIDIA GPU Operator on Red Hat OpenShift, installation.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point

DOC = RuleDoc(
    id="operator/installed-by-olm",
    severity=Severity.ERROR,
    summary="A GPU Operator to install by Helm where it comes by OLM",
    why="On OpenShift the operator and the rights of its agents come by a subscription; by Helm its agents may not start.",
    fix="Subscribe to the operator and write `gpuOperator: external`.",
    bad="clusters:\n  eu: {distribution: openshift, stack: operator}",
    good="clusters:\n  eu: {distribution: openshift, stack: operator, gpuOperator: external}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster of OLM whose operator we would install."""
    for cluster in fleet.clusters:
        usual = fleet.catalog.distributions[cluster.distribution]
        served = cluster.has_operator
        if served and cluster.gpu_operator.managed and usual.operator_install == "olm":
            yield DOC.found(
                f"The GPU Operator of cluster `{cluster.name}` comes by OLM on {cluster.distribution}, not by Helm",
                at=point(fleet, (*cluster.path, "gpuOperator")),
                fix=f"Subscribe to it in namespace `{cluster.gpu_operator.namespace}`, and write `gpuOperator: external`.",
            )
