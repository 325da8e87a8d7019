"""A MIG pool selected by existing labels that lack the one which the MIG manager acts on.

The MIG manager cuts a node as its label `nvidia.com/mig.config` says. For pools selected by `nfd` or a `provisioner`
gpuplan renders that label; for pools selected by `labels` it writes nothing to nodes. If whoever labels the nodes does
not set it, no card is ever cut. Listing it under `selectedBy.labels` states that somebody does.

Source: NVIDIA mig-parted, k8s-mig-manager.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.cards import Vendor
from gpuplan.conventions import LABEL_MIG_CONFIG
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import SelectedBy, agent_labels
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import point, pools

DOC = RuleDoc(
    id="mig/labels-not-set",
    severity=Severity.ERROR,
    summary="A MIG pool whose nodes nobody labels for the MIG manager",
    why="The MIG manager acts on a label, which gpuplan does not write on nodes selected by existing labels: no card is cut.",
    fix="Select the pool by `nfd` or by a `provisioner`, or have the label set and list it under `selectedBy.labels`.",
    bad="nodePools:\n  lab: {selectedBy: {labels: {pool: lab}}, sharing: {mig: {profiles: {1g.5gb: 7}}}}",
    good="nodePools:\n  lab: {selectedBy: {nfd: {}}, sharing: {mig: {profiles: {1g.5gb: 7}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose labels lack that of its layout."""
    for _, pool in pools(fleet):
        if pool.card.vendor is not Vendor.NVIDIA or pool.selection.by is not SelectedBy.LABELS:
            continue
        value = agent_labels(pool).get(LABEL_MIG_CONFIG)
        if value is not None and (LABEL_MIG_CONFIG, value) not in pool.selection.labels:
            label = f"{LABEL_MIG_CONFIG}: {value}"
            yield DOC.found(
                f"Nobody sets the label `{label}` by which the MIG manager cuts pool `{pool.name}`",
                at=point(fleet, (*pool.path, "selectedBy", "labels")),
                fix=f"Select the pool by `nfd` or a `provisioner`, or have its nodes labelled and add `{label}` here.",
            )
