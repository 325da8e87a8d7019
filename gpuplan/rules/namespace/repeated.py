"""A namespace that a team names twice.

Each namespace gets its objects once. A name that stands twice is usually a copy whose second half was to be another
one.

Source: Kubernetes object identity.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import repeats

DOC = RuleDoc(
    id="namespace/repeated",
    severity=Severity.ERROR,
    summary="A namespace that a team names twice",
    why="Its objects would be made twice under one name.",
    fix="Remove one of the two, or write the name that was meant.",
    bad="teams:\n  nlp: {namespaces: [nlp, nlp]}",
    good="teams:\n  nlp: {namespaces: [nlp, nlp-batch]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each repeated name."""
    for team in fleet.teams:
        for index, first in repeats(team.namespaces):
            yield DOC.found(
                f"Team `{team.name}` names namespace `{team.namespaces[index]}` twice",
                at=fleet.places.value((*team.path, "namespaces", index)),
                also=(Related("named here first", fleet.places.value((*team.path, "namespaces", first))),),
            )
