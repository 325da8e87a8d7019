"""A pool selected by a product label that its nodes do not have.

GPU Feature Discovery writes `nvidia.com/gpu.product` by the card and by how it is shared: shares under the plain name
add `-SHARED`, MIG slices under strategy single add `-MIG-<profile>`. A selector on the plain product matches nothing
once such sharing is on, and one on another card's product never did.

Source: NVIDIA GPU Feature Discovery, product name. Report: hobbyist-guide-to-rhoai #31.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog.cards import Vendor
from gpuplan.conventions import LABEL_PRODUCT
from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.cards.exposure import product_label, profiles
from gpuplan.inventory.cards.labelled import card_of_product, labelled
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.queues import flavors
from gpuplan.inventory.scheduling.workloads import workloads
from gpuplan.inventory.view import View
from gpuplan.model.fleet import Fleet
from gpuplan.model.pools import NodePool
from gpuplan.model.sharing import MigStrategy
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import graded, listed, pools

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


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each pool of a cluster with others' agents whose product label is another than theirs."""
    for _, pool in pools(fleet):
        said, will_be = dict(pool.selection.labels).get(LABEL_PRODUCT), _product(pool)
        if pool.stack == "external" and pool.card.vendor is Vendor.NVIDIA and said is not None and said != will_be:
            at = fleet.places.value((*pool.path, "selectedBy", "labels", LABEL_PRODUCT))
            severity = graded(known=pool.card.is_checked("product_name"))
            yield _found(f"Pool `{pool.name}`", said, (will_be,), at, severity)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a warning for each selector on a product that no profile here leaves with that name, unless a node has it."""
    found = profiles(inventory)
    if not found or inventory.assumed.partial:
        return
    seen = {one.label(LABEL_PRODUCT) for one in labelled(inventory) if one.is_node}
    for who, view in _selectors(inventory):
        said = view.text()
        card = card_of_product(said, inventory)
        if card is None or said in seen or "-MIG-" in said:
            continue
        names = sorted({product_label(card.product_name, sharing=profile.sharing) for profile in found})
        if said not in names:
            yield _found(who, said, tuple(names), view.span, Severity.WARNING)


def _selectors(inventory: Inventory) -> Iterator[tuple[str, View]]:
    for flavor in flavors(inventory).values():
        yield f"ResourceFlavor `{flavor.name}`", flavor.object.spec["nodeLabels"][LABEL_PRODUCT]
    for workload in workloads(inventory):
        for pod_set in workload.pod_sets:
            yield str(workload), pod_set.spec["nodeSelector"][LABEL_PRODUCT]


def _found(who: str, said: str, names: tuple[str, ...], at: Span, severity: Severity | None) -> Diagnostic:
    return DOC.found(
        f"{who} selects by product `{said}`; its nodes have {listed(names, 'or')}",
        at=at,
        fix=f"Write `{LABEL_PRODUCT}: {names[0]}`, or select by a label that does not depend on sharing.",
        severity=severity,
    )


def _product(pool: NodePool) -> str:
    """Return the label's value: the product, with suffixes for slices of strategy single and for shares under the plain name."""
    profiles = [profile for group in pool.sharing.groups for profile, _ in group.profiles]
    single = pool.sharing.strategy is MigStrategy.SINGLE and profiles
    sliced = f"-MIG-{profiles[0]}" if single else ""
    shared = "-SHARED" if pool.sharing.shared and not pool.sharing.renamed else ""
    return pool.card.product_name + sliced + shared
