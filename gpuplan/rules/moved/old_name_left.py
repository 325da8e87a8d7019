"""A rename of an entry that is still there under its old name.

Both entries exist then: the new one is an addition, and the old one keeps what it has.

Source: the spec of gpuplan (`moved:`), which means what Terraform's `moved` blocks do.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import entries

DOC = RuleDoc(
    id="moved/old-name-left",
    severity=Severity.ERROR,
    summary="A rename of an entry that is still there",
    why="The old entry keeps what it has, and the new one is another: nothing was renamed.",
    fix="Take the old entry out, or the rename.",
    bad="moved: [{from: teams.nlp, to: teams.vision}]   # with both teams in `teams`",
    good="moved: [{from: teams.nlp, to: teams.language}]   # with `language` alone in `teams`",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each rename whose old name is still an entry."""
    for move in fleet.moved:
        if move.old in entries(fleet, move.section):
            yield DOC.found(
                f"`{move.section}.{move.old}` is still there, so it was not renamed",
                at=fleet.places.value((*move.path, "from")),
                also=(Related("it stands here", fleet.places.key((move.section, move.old))),),
            )
