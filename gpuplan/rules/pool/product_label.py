"""A pool selected by a product label that its nodes do not have.

GPU Feature Discovery writes `nvidia.com/gpu.product` by the card and by how it is shared: shares under the plain name
add `-SHARED`, MIG slices under strategy single add `-MIG-<profile>`. A selector on the plain product matches nothing
once such sharing is on, and one on another card's product never did.

Source: NVIDIA GPU Feature Discovery, product name. Report: hobbyist-guide-to-rhoai #31.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import MigStrategy
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import graded, pools

DOC = RuleDoc(
    id="pool/product-label",
    severity=Severity.ERROR,
    summary="A product label that the pool's nodes do not have",
    why="The label depends on the card and on its sharing. The selector matches no node: every job of the pool stays Pending.",
    fix="Write the value that the nodes will have.",
    bad="nodePools:\n  a:\n    card: l40s\n    selectedBy: {labels: {nvidia.com/gpu.product: NVIDIA-L40S}}\n"
    "    sharing: {timeSlicing: {replicas: 4, renameByDefault: false}}",
    good="nodePools:\n  a:\n    card: l40s\n    selectedBy: {labels: {nvidia.com/gpu.product: NVIDIA-L40S-SHARED}}\n"
    "    sharing: {timeSlicing: {replicas: 4, renameByDefault: false}}",
)

LABEL = "nvidia.com/gpu.product"


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool of a cluster with others' agents whose product label is another than theirs."""
    for _, pool in pools(fleet):
        said, will_be = dict(pool.selection.labels).get(LABEL), _product(pool)
        if pool.stack == "external" and pool.card.vendor is Vendor.NVIDIA and said is not None and said != will_be:
            yield DOC.found(
                f"Pool `{pool.name}` is selected by product `{said}`; its nodes have `{will_be}`",
                at=fleet.places.value((*pool.path, "selectedBy", "labels", LABEL)),
                fix=f"Write `{LABEL}: {will_be}`, or select by a label that does not depend on sharing.",
                severity=graded(known=pool.card.is_checked("product_name")),
            )


def _product(pool: NodePool) -> str:
    """Return the label's value: the product, with suffixes for slices of strategy single and for shares under the plain name."""
    profiles = [profile for group in pool.sharing.groups for profile, _ in group.profiles]
    single = pool.sharing.strategy is MigStrategy.SINGLE and profiles
    sliced = f"-MIG-{profiles[0]}" if single else ""
    shared = "-SHARED" if pool.sharing.shared and not pool.sharing.renamed else ""
    return pool.card.product_name + sliced + shared
