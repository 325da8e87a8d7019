"""What `gpuplan migrate-stack` can find."""

from __future__ import annotations

from typing import Final

from gpuplan.diagnostics import Severity
from gpuplan.rulebook import RuleDoc

CANNOT: Final = RuleDoc(
    id="stack/cannot-move",
    severity=Severity.ERROR,
    summary="A pool that cannot go to another stack by itself, as things are",
    why="Each step of the way has to be a fleet without errors in which every node has at most one owner of its cards and of "
    "its driver, with all queues, flavors and priorities as they were. Here one step would not be.",
    fix="Change what the message names, or move the pools that it names together: change their `stack` in one change, and "
    "`gpuplan plan` lays out the order.",
)
THERE: Final = RuleDoc(
    id="stack/already-there",
    severity=Severity.ERROR,
    summary="A pool that is on the stack already to which it is to go",
    why="There is nothing to do. The steps are told apart by what the spec says, so that the way back begins from here.",
    fix="Name the other stack, or take a step back by `--rollback-step`.",
)
UNPROVED: Final = RuleDoc(
    id="stack/not-edited",
    severity=Severity.ERROR,
    summary="A place in `fleet/` that cannot be edited in place",
    why="A step changes one value in the text, and is written only if the new text is proved to say just that. Where the entry "
    "is an alias, or shares an anchor with others, the edit would reach further.",
    fix="Write the entry out, without `&` and `*`, or make the change by hand.",
)
FINDINGS = (CANNOT, THERE, UNPROVED)
