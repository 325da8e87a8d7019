"""Classes of priority for pods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object

SYSTEM = 10**9
"""Values above it are for Kubernetes' own classes."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PriorityClass:
    """A PriorityClass of users."""

    object: Object
    value: int

    @property
    def is_default(self) -> bool:
        """Whether every pod without a class has it."""
        return self.object.root["globalDefault"].flag()

    @property
    def preempts(self) -> bool:
        """Whether its pods may evict others to find room."""
        return self.object.root["preemptionPolicy"].text() != "Never"


def priority_classes(inventory: Inventory) -> Iterator[PriorityClass]:
    """Yield the PriorityClasses, without those of Kubernetes itself and those whose value is no number."""
    for one in inventory.of("PriorityClass"):
        value = one.root["value"].number()
        if one.group == "scheduling.k8s.io" and value is not None and value <= SYSTEM:
            yield PriorityClass(object=one, value=value)
