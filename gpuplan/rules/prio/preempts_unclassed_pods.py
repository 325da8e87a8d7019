"""The lowest class evicts every pod without a class.

A pod without a class has priority 0. A class that was meant as the lowest and has a positive value stands above it: its pods
push out everything that nobody gave a class to. The lowest class must be negative, or have `preemptionPolicy: Never`.

Source: Kubernetes, PriorityClass; vllm-project/ci-infra.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.priorities import PriorityClass, priority_classes
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="prio/preempts-unclassed-pods",
    severity=Severity.WARNING,
    summary="The lowest class evicts every pod without a class",
    why="A pod without a class has priority 0, and this class is above it, so its pods push out all that nobody gave a class to.",
    fix="Make the value negative, or write `preemptionPolicy: Never`.",
    bad="kind: PriorityClass\nmetadata: {name: bench}\nvalue: 1",
    good="kind: PriorityClass\nmetadata: {name: bench}\nvalue: -1",
)

_LOW = re.compile(
    r"(?<![a-z])low(er|est)?(?![a-z])|bench|batch|best.?effort|background|preemptible|spot|scavenge|idle|opportunist|filler",
    re.IGNORECASE,
)
"""Names of classes that are to give way."""
_SMALL = 100
"""A value up to this counts ranks from the bottom; one above it was chosen to be high."""
_FEWEST = 2


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for the lowest of several classes if it was meant to be low, and pods without a class have 0."""
    classes = list(priority_classes(inventory))
    if len(classes) < _FEWEST or any(one.is_default for one in classes):
        return
    lowest = min(classes, key=lambda one: one.value)
    if lowest.value > 0 and lowest.preempts and _meant_low(lowest):
        yield DOC.found(
            f"PriorityClass `{lowest.object.name}` is the lowest, and its {lowest.value} is above the 0 of pods without a class",
            at=lowest.object.at_name,
        )


def _meant_low(one: PriorityClass) -> bool:
    return one.value <= _SMALL or bool(_LOW.search(one.object.name))
