"""Pools whose cards are not offered by one of the two stacks, and which therefore cannot go from one to the other."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Diagnostic
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import Exposure, NodePool, Stack, offered_by_plugin
from gpuplan.model.sharing import SharingMode
from gpuplan.moving.stack_findings import CANNOT


def reasons(fleet: Fleet, cluster: Cluster, pool: NodePool, target: Stack) -> Iterator[Diagnostic]:
    """Yield why a pool cannot go to a stack, whatever the order of the steps."""
    name, card = pool.name, pool.card
    if card.vendor is not Vendor.NVIDIA:
        yield CANNOT.found(
            f"Pool `{name}` has `{card.name}`, no card of NVIDIA's: gpuplan has no agents of its own for it, so there is only "
            "one stack",
            at=fleet.places.key(pool.path),
            fix="Leave it: AMD's cards are on `stack: operator`, others come with their vendors' charts (docs/stacks.md).",
        )
    elif pool.exposure is Exposure.DRA:
        yield CANNOT.found(
            f"Pods claim the devices of pool `{name}`: the GPU Operator's device plugin would give the same cards away",
            at=fleet.places.value((*pool.path, "exposure")),
            fix="Leave it on `stack: manual`, or go back to `exposure: devicePlugin` first.",
        )
    elif pool.sharing.mode is SharingMode.HAMI:
        yield CANNOT.found(
            f"HAMi offers the cards of pool `{name}` on either stack, and others install it",
            at=fleet.places.value((*pool.path, "sharing")),
            fix="Share the pool in another way first, or set its `stack` by hand together with whoever installs HAMi.",
        )
    else:
        yield from _of_nodes(fleet, cluster, pool, target)


def _of_nodes(fleet: Fleet, cluster: Cluster, pool: NodePool, target: Stack) -> Iterator[Diagnostic]:
    usual = fleet.catalog.distributions[cluster.distribution]
    selected = fleet.places.value((*pool.path, "selectedBy"))
    off = (usual.plugin_off_label, "true")
    if usual.plugin_on_nodes and offered_by_plugin(pool) and off not in pool.selection.labels:
        yield CANNOT.found(
            f"{cluster.distribution} runs a device plugin of its own on the nodes of pool `{pool.name}`, on either stack",
            at=selected,
            fix=f'Make the nodes with `{usual.plugin_off_label}: "true"`, and select the pool by it.',
        )
    if target == "operator" and (conventions.LABEL_OPERANDS, "false") in pool.selection.labels:
        yield CANNOT.found(
            f"Pool `{pool.name}` is selected by the label that keeps the GPU Operator off its nodes",
            at=selected,
            fix=f"Select it by labels without `{conventions.LABEL_OPERANDS}`, and have that taken off the nodes: flavors "
            "that go by it need a new revision (docs/stacks.md).",
        )
