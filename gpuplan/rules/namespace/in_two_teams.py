"""A namespace of two teams.

A namespace has one team label, one set of people and one LocalQueue of each name. With two teams it would get both
teams' objects under the same names: one of the two would be overwritten, and work of one team be paid by the other.

Source: Kubernetes object identity; LocalQueue names.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, KeyPath, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="namespace/in-two-teams",
    severity=Severity.ERROR,
    summary="A namespace of two teams",
    why="Its queues and rights can point to one team only; the other team's objects would be overwritten.",
    fix="Give each team a namespace of its own.",
    bad="teams:\n  nlp: {namespaces: [research]}\n  vision: {namespaces: [research]}",
    good="teams:\n  nlp: {namespaces: [nlp]}\n  vision: {namespaces: [vision]}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each namespace that a second team names in the same cluster."""
    said: set[tuple[str, str]] = set()
    for cluster in fleet.clusters:
        first: dict[str, tuple[str, KeyPath]] = {}
        for team in cluster.teams:
            for index, name in enumerate(team.namespaces):
                path = (*team.path, "namespaces", index)
                owner, place = first.setdefault(name, (team.name, path))
                if owner != team.name and (team.name, name) not in said:
                    said.add((team.name, name))
                    yield DOC.found(
                        f"Namespace `{name}` is of team `{owner}` and of team `{team.name}` in cluster `{cluster.name}`",
                        at=fleet.places.value(path),
                        also=(Related(f"named by `{owner}`", fleet.places.value(place)),),
                    )
