"""A node name that NFD will not match as it was meant.

`nodeNames` are names or regular expressions, matched from end to end. One that does not compile makes NFD pass over the whole
rule. And `gpu-*` is no wildcard there: it means `gpu` with any number of hyphens after it, and fits no node.

Source: Node Feature Discovery, match operators In and InRegexp.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import pools

DOC = RuleDoc(
    id="nfd/node-name-pattern",
    severity=Severity.ERROR,
    summary="A node name that is no regular expression, or a wildcard",
    why="NFD matches names by regular expression: one that does not compile, or a shell's wildcard, finds no node.",
    fix="Write a regular expression, such as `gpu-.*`, or whole names.",
    bad="nodePools:\n  a: {selectedBy: {nfd: {nodeNames: ['gpu-*']}}}",
    good="nodePools:\n  a: {selectedBy: {nfd: {nodeNames: ['gpu-.*']}}}",
)

WILDCARD = re.compile(r"(?<=[-a-z0-9])\*|^\*")
"""A star behind a letter, digit or hyphen of a name, where a regular expression would have `.*`."""


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each name that does not compile or holds a shell's wildcard."""
    for _, pool in pools(fleet):
        for index, name in enumerate(pool.selection.node_names):
            trouble = _trouble(name)
            if trouble:
                yield DOC.found(
                    f"Node name `{name}` of pool `{pool.name}` {trouble}",
                    at=fleet.places.value((*pool.path, "selectedBy", "nfd", "nodeNames", index)),
                    fix=f"Write `{WILDCARD.sub('.*', name)}` if that is meant." if WILDCARD.search(name) else None,
                )


def _trouble(name: str) -> str:
    if WILDCARD.search(name):
        return "has a star that is no wildcard in a regular expression"
    try:
        re.compile(name)
    except re.error as error:
        return f"is no regular expression: {error.msg}"
    return ""
