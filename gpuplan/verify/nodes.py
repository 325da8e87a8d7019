"""Nodes as the cluster lists them, told apart by the pools of the fleet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from gpuplan.inventory.items import Item
from gpuplan.inventory.view import View
from gpuplan.model.labels import lasting_labels
from gpuplan.model.pools import NodePool
from gpuplan.quantity import Quantity
from gpuplan.verify.scene import Scene

LABEL_DRIVER = "nvidia.com/cuda.driver-version.full"
_OLD_DRIVER = tuple(f"nvidia.com/cuda.driver.{part}" for part in ("major", "minor", "rev"))
"""The same in three parts, as feature discovery wrote it before 0.15, and still does."""
LABEL_DRIVER_UPGRADE = "nvidia.com/gpu-driver-upgrade-state"
"""How far the operator is with replacing the node's driver."""
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, eq=False)
class Node:
    """One node. Whatever its object holds or lacks, looking at it never fails."""

    view: View

    @cached_property
    def name(self) -> str:
        """Its name."""
        return self.view["metadata"]["name"].text()

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""
        return self.view["metadata"]["labels"].texts()

    @property
    def taints(self) -> View:
        """Its taints, a list."""
        return self.view["spec"]["taints"]

    @property
    def cordoned(self) -> bool:
        """Whether it is closed to new pods."""
        return self.view["spec"]["unschedulable"].flag()

    @property
    def unready(self) -> str:
        """Why it is not ready, in the kubelet's words; empty where it is."""
        for one in self.view["status"]["conditions"].items():
            if one["type"].text() == "Ready":
                said = one["message"].text() or one["reason"].text()
                return "" if one["status"].scalar().lower() == "true" else f"Ready={one['status'].scalar()}: {said}"
        return "it has never said that it is ready"

    @property
    def driver(self) -> str:
        """The version of NVIDIA's driver, as feature discovery says it; empty where it says nothing."""
        parts = [self.labels[key] for key in _OLD_DRIVER if self.labels.get(key)]
        return self.labels.get(LABEL_DRIVER, "") or ".".join(parts)

    def runs(self, part: str) -> str:
        """Return a version that the kubelet tells, such as `kubeletVersion`; empty where it tells none."""
        return self.view["status"]["nodeInfo"][part].text()

    def amounts(self, part: str) -> Mapping[str, Quantity]:
        """Return `capacity` or `allocatable` by resource."""
        pairs = ((name, one.quantity()) for name, one in self.view["status"][part].entries())
        return {name: amount for name, amount in pairs if amount is not None}


def nodes(scene: Scene) -> tuple[Node, ...]:
    """Return all nodes, sorted as people count: `gpu-2` before `gpu-10`."""
    found = (Node(Item.plain(dict(made)).root) for made in scene.seen("Node"))
    return tuple(sorted(found, key=lambda one: in_order(one.name)))


def members(scene: Scene, pool: NodePool) -> tuple[Node, ...]:
    """Return the nodes of a pool: those with the labels that tell it from others, whatever their other labels."""
    wanted = lasting_labels(scene.cluster, pool).items()
    return tuple(node for node in nodes(scene) if wanted <= node.labels.items())


def in_order(name: str) -> tuple[tuple[int, str], ...]:
    """Return a key by which names sort as people count."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in _DIGITS.split(name))
