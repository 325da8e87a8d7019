"""Labels that people put on nodes, or take off them, because neither NFD nor an agent does."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from gpuplan import conventions
from gpuplan.model.labels import labelled_by_others
from gpuplan.model.lifecycle import REPLACING, stable_labels
from gpuplan.model.pools import NodePool, SelectedBy
from gpuplan.plan.parts import Step
from gpuplan.plan.rollout.holding import nodes_of

OPERANDS_OFF = f"{conventions.LABEL_OPERANDS}=false"
Found = tuple[NodePool, Sequence[str]]
"""A pool, and what changes on its nodes as kubectl takes it: `key=value` to set, `key-` to take away."""


def labelling(found: Sequence[Found]) -> Step:
    """Return the step in which people label the nodes of some pools."""
    replaced = [pool.name for pool, _ in found if pool.selection.provisioner == REPLACING]
    told = (
        f" Karpenter replaces the nodes of {' and '.join(f'`{name}`' for name in replaced)} when their NodePool changes, as its "
        "disruption budgets allow: bring that one in a maintenance window, but before any new node is made."
        if replaced
        else ""
    )
    return Step(
        title="Label the nodes that no NFD labels",
        commands=tuple(
            f"kubectl label nodes -l {_nodes(pool)} --overwrite {shlex.join(changed)}" for pool, changed in found
        ),
        until=f"all nodes are labelled so, and new ones will be: {', '.join(_maker(pool, changed) for pool, changed in found)}",
        why=f"Nothing else labels nodes which are there.{told}",
    )


def opened_to_operator(pools: Iterable[NodePool]) -> tuple[Step, ...]:
    """Return how people let the operator serve nodes that were kept from it; nothing where nobody has to."""
    return _each(pools, f"{conventions.LABEL_OPERANDS}-")


def kept_from_operator(pools: Iterable[NodePool]) -> tuple[Step, ...]:
    """Return how people keep the operator off nodes that it has served; nothing where nobody has to."""
    return _each(pools, OPERANDS_OFF)


def _each(pools: Iterable[NodePool], change: str) -> tuple[Step, ...]:
    found = [(pool, (change,)) for pool in pools if labelled_by_others(pool)]
    return (labelling(found),) if found else ()


def _nodes(pool: NodePool) -> str:
    """Return the selector of the nodes to label: exactly the pool's, or what a provisioner labelled them when it made them."""
    if pool.selection.by is SelectedBy.LABELS:
        return nodes_of(pool)
    return shlex.quote(",".join(f"{key}={value}" for key, value in stable_labels(pool)))


def _maker(pool: NodePool, changed: Sequence[str]) -> str:
    """Return what whoever makes the nodes of a pool has to do for new ones."""
    snippet = conventions.PROVISIONER_FILE.format(cluster=pool.cluster, pool=pool.name)
    if pool.selection.by is not SelectedBy.LABELS:
        return f"what makes those of pool `{pool.name}` has `rendered/{snippet}` of this change"
    does = [
        f"no longer sets `{one[:-1]}`" if one.endswith("-") else f"sets `{one}`, as `rendered/{snippet}` has it"
        for one in changed
    ]
    return f"whoever makes those of pool `{pool.name}` {' and '.join(does)}"
