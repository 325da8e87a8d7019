"""A rename to a name that no entry has.

`moved` says that an entry goes on under another name. Where no entry has that name, the old one simply ends, and `gpuplan plan`
would call its end a rename.

Source: the spec of gpuplan (`moved:`), which means what Terraform's `moved` blocks do.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.moved import newest_name
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import entries
from gpuplan.suggest import meant

DOC = RuleDoc(
    id="moved/new-name-missing",
    severity=Severity.ERROR,
    summary="A rename to a name that no entry has",
    why="A plan would call the end of the old entry a rename.",
    fix="Write the name that the entry has now, or take the rename out where the entry is gone for good.",
    bad="moved: [{from: teams.nlp, to: teams.langauge}]",
    good="moved: [{from: teams.nlp, to: teams.language}]",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each rename whose new name is no entry, and was not renamed to one since."""
    for move in fleet.moved:
        known = entries(fleet, move.section)
        if newest_name(fleet.moved, move.section, move.new, known) not in known:
            hint = meant(f"{move.section}.{move.new}", [f"{move.section}.{name}" for name in known], "")
            yield DOC.found(
                f"`{move.section}` has no `{move.new}`, which `{move.old}` is to be called now",
                at=fleet.places.value((*move.path, "to")),
                fix=f"{hint} {DOC.fix}".strip(),
            )
