"""Nodes that keep the labels they were born with, although their pool's agents now go by others.

A provisioner's snippet counts for nodes that are made from then on. The nodes that are there would be served by two device
plugins, or by none, until somebody labels them. NFD labels all nodes of a pool by itself, and Karpenter replaces them.
A layout of MIG or partitions has a runbook, which labels node by node.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping

from gpuplan import conventions
from gpuplan.diagnostics import Diagnostic
from gpuplan.model.fleet import Fleet
from gpuplan.model.labels import all_labels
from gpuplan.model.pools import NodePool, SelectedBy
from gpuplan.model.sharing import SharingMode
from gpuplan.validate.findings import NODES_KEEP_LABELS

SWITCHES = (
    conventions.LABEL_CARD,
    conventions.LABEL_SHARING,
    conventions.LABEL_TIER,
    conventions.LABEL_DEPLOY_PLUGIN,
    conventions.LABEL_DEVICE_PLUGIN_CONFIG,
    conventions.LABEL_HAMI,
    conventions.LABEL_OPERANDS,
)
"""Labels that say which device plugin serves a node, and how: our agents and the operator's go by them."""
HAVE_RUNBOOKS = (SharingMode.MIG, SharingMode.PARTITION)
"""Ways to cut cards by which a runbook labels one emptied node after another: not all at once, and not from here."""
REPLACES_NODES = "karpenter"


def needed(fleet: Fleet, old: Callable[[str], Mapping[str, object] | None]) -> Iterator[Diagnostic]:
    """Yield a finding for each pool whose nodes have to be labelled by hand.

    `old` gives what the tree holds in a file now, or None where there is none or it stays as it is.
    """
    for cluster in fleet.clusters:
        for pool in cluster.pools:
            if pool.selection.by is not SelectedBy.PROVISIONER or pool.selection.provisioner == REPLACES_NODES:
                continue
            before = old(_file(pool))
            changed = _changed(before, all_labels(cluster, pool), _keys(pool)) if before is not None else ()
            if changed:
                yield _found(fleet, pool, changed)


def _file(pool: NodePool) -> str:
    return conventions.PROVISIONER_FILE.format(cluster=pool.cluster, pool=pool.name)


def _keys(pool: NodePool) -> tuple[str, ...]:
    left_out = conventions.LABEL_SHARING if pool.sharing.mode in HAVE_RUNBOOKS else ""
    return tuple(key for key in SWITCHES if key != left_out)


def _changed(before: object, labels: Mapping[str, str], keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels that differ, as kubectl takes them: `key=value` to set, `key-` to take away."""
    was = {key: _value(before, key) for key in keys}
    return tuple(f"{key}={labels[key]}" if key in labels else f"{key}-" for key in keys if was[key] != labels.get(key))


def _value(tree: object, key: str) -> str | None:
    """Find a label in a snippet, whatever its shape: a key of a map, or `key=value` in a text or a list of them."""
    if isinstance(tree, Mapping):
        return str(tree[key]) if key in tree else _first(tree.values(), key)
    if isinstance(tree, list):
        return _first(tree, key)
    pairs = (pair.partition("=") for pair in tree.split(",")) if isinstance(tree, str) else ()
    return next((value for name, _, value in pairs if name == key), None)


def _first(trees: Iterable[object], key: str) -> str | None:
    found = (_value(tree, key) for tree in trees)
    return next((value for value in found if value is not None), None)


def _found(fleet: Fleet, pool: NodePool, changed: tuple[str, ...]) -> Diagnostic:
    """Those that are to be kept from the operator before it comes; the others once the old agents are gone."""
    nodes = shlex.quote(f"{conventions.LABEL_POOL}={pool.name}")
    when = "Before this is merged" if f"{conventions.LABEL_OPERANDS}=false" in changed else "Once this is synced"
    return NODES_KEEP_LABELS.found(
        f"The nodes of pool `{pool.name}` that are there already need other labels: {', '.join(f'`{one}`' for one in changed)}",
        at=fleet.places.key(pool.path),
        fix=f"{when}: `kubectl label nodes -l {nodes} {' '.join(changed)} --overwrite`, and bring "
        f"`rendered/{_file(pool)}` to {pool.selection.provisioner} for new nodes.",
    )
