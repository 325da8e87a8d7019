"""A partitioned pool selected by existing labels that lack the one which the device config manager acts on.

AMD's device config manager partitions a node as its label `dcm.amd.com/gpu-config-profile` says. For pools selected by
`nfd` or a `provisioner` gpuplan renders that label; for pools selected by `labels` it writes nothing to nodes. If
whoever labels the nodes does not set it, no card is ever partitioned, or it keeps the partitions that it had. Listing the
label under `selectedBy.labels` states that somebody does.

Source: AMD GPU Operator, applying partition profiles.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.catalog import Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import SelectedBy, agent_labels
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, pools

LABEL = conventions.LABEL_AMD_PARTITION

DOC = RuleDoc(
    id="partition/labels-not-set",
    severity=Severity.ERROR,
    summary="A partitioned pool whose nodes nobody labels for the device config manager",
    why="It acts on a label, which gpuplan does not write on nodes selected by existing labels: no card is partitioned.",
    fix="Select the pool by `nfd` or by a `provisioner`, or have the label set and list it under `selectedBy.labels`.",
    bad="nodePools:\n  a: {selectedBy: {labels: {pool: a}}, sharing: {partition: {compute: CPX}}}",
    good="nodePools:\n  a: {selectedBy: {nfd: {nodeNames: ['mi300-.*']}}, sharing: {partition: {compute: CPX}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose labels lack that of its profile."""
    for _, pool in pools(fleet):
        profile = agent_labels(pool).get(LABEL) if pool.card.vendor is Vendor.AMD else None
        by_labels = pool.selection.by is SelectedBy.LABELS
        if profile and by_labels and (LABEL, profile) not in pool.selection.labels:
            yield DOC.found(
                f"Nobody sets the label `{LABEL}: {profile}` by which the cards of pool `{pool.name}` are partitioned",
                at=point(fleet, (*pool.path, "selectedBy", "labels")),
                fix=f"Select the pool by `nfd` or a `provisioner`, or have its nodes labelled and add `{LABEL}: {profile}` here.",
            )
