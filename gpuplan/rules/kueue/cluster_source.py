"""A cluster of MultiKueue that can be reached in no way, or in two.

A kubeconfig or a profile says how; not both and not neither.

Source: Kueue, rule of the MultiKueueCluster's schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written

DOC = RuleDoc(
    id="kueue/cluster-source",
    severity=Severity.ERROR,
    summary="A cluster of MultiKueue without one way to reach it",
    why="The API server refuses the object: exactly one of clusterProfileRef and kubeConfig must be set.",
    fix="Write either `kubeConfig` or `clusterProfileRef`.",
    bad="""\
spec: {clusterSource: {}}
""",
    good="""\
spec: {clusterSource: {kubeConfig: {location: east}}}
""",
)


WAYS = ("kubeConfig", "clusterProfileRef")


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster without exactly one source."""
    for one in written.kueue(inventory, "MultiKueueCluster"):
        source = one.spec["clusterSource"]
        if one.api_version != written.V1BETA1 and source.is_mapping and sum(source[way].exists for way in WAYS) != 1:
            yield DOC.found(
                f"{one} does not have exactly one of `kubeConfig` and `clusterProfileRef`", at=source.key_span
            )
