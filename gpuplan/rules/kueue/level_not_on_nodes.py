"""Nodes of a flavor that lack a label of its topology.

With topology-aware scheduling, Kueue counts a node only if it carries the label of every level. One that lacks a level is not
there for it: quota is free, and the work waits.

Source: Kueue #5039, #6996.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.conventions import LABEL_HOSTNAME
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.nodes import Nodes
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.capacity import behind
from gpuplan.inventory.scheduling.queues import Flavor, in_order
from gpuplan.rulebook import RuleDoc
from gpuplan.words import counted

DOC = RuleDoc(
    id="kueue/level-not-on-nodes",
    severity=Severity.WARNING,
    summary="Nodes of a flavor that lack a label of its topology",
    why="Kueue counts a node only if it carries the label of every level. The others are not there for it, and work waits.",
    fix="Put the label on all nodes of the flavor, or take the level out of the Topology.",
    bad="kind: Topology\nmetadata: {name: t}\nspec: {levels: [{nodeLabel: rack}]}\n---\n"
    "kind: Node\nmetadata: {labels: {card: h100}}",
    good="kind: Topology\nmetadata: {name: t}\nspec: {levels: [{nodeLabel: rack}]}\n---\n"
    "kind: Node\nmetadata: {labels: {card: h100, rack: r1}}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each level that nodes of a flavor do not carry. The kubelet sees to the name of the host."""
    for flavor in in_order(inventory):
        topology = inventory.find("Topology", flavor.topology.scalar())
        listed = [one for one in behind(inventory, flavor) if one.source.is_node]
        for level in topology.spec["levels"].items() if topology and flavor.topology.exists else ():
            key = level["nodeLabel"].scalar()
            without = [one for one in listed if key not in one.labels]
            if key and key != LABEL_HOSTNAME and without:
                yield _finding(flavor, key, without, len(listed))


def _finding(flavor: Flavor, key: str, without: list[Nodes], total: int) -> Diagnostic:
    return DOC.found(
        f"{len(without)} of {counted(total, 'node')} of flavor `{flavor.name}` lack label `{key}`, a level of Topology "
        f"`{flavor.topology.scalar()}` ({without[0].source})",
        at=flavor.topology.key_span,
    )
