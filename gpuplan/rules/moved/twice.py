"""Two renames of one entry, or two entries that become one.

A plan pairs each old entry with one new one. Whatever it would choose, half of what the spec says would be dropped.

Source: the spec of gpuplan (`moved:`), which means what Terraform's `moved` blocks do.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="moved/twice",
    severity=Severity.ERROR,
    summary="Two renames of one entry, or into one",
    why="A plan pairs each old entry with one new one, and cannot know which of the two is meant.",
    fix="Leave one of them.",
    bad="moved: [{from: teams.nlp, to: teams.language}, {from: teams.text, to: teams.language}]",
    good="moved: [{from: teams.nlp, to: teams.language}]",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each rename that has an end in common with an earlier one."""
    seen: dict[tuple[str, str, str], tuple[str | int, ...]] = {}
    for move in fleet.moved:
        for end, name in (("from", move.old), ("to", move.new)):
            first = seen.setdefault((end, move.section, name), (*move.path, end))
            if first != (*move.path, end):
                yield DOC.found(
                    f"`{move.section}.{name}` is in two renames",
                    at=fleet.places.value((*move.path, end)),
                    also=(Related("it is here, too", fleet.places.value(first)),),
                )
