"""Two adopted priority classes that are the default of their cluster.

Kubernetes takes one class with `globalDefault`. The second is refused when it is made, and with it the sync.

Source: Kubernetes, admission plugin Priority.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="adopted/two-global-defaults",
    severity=Severity.ERROR,
    summary="Two adopted priority classes that are the default of their cluster",
    why="Kubernetes takes one class with `globalDefault`; it refuses the second, and Argo CD's sync stops there.",
    fix="Leave `globalDefault` to one of them.",
    bad="adopted:\n  eu:\n    priorityClasses:\n      a: {value: 1, globalDefault: true}\n"
    "      b: {value: 2, globalDefault: true}",
    good="adopted:\n  eu:\n    priorityClasses:\n      a: {value: 1, globalDefault: true}\n      b: {value: 2}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each default of a cluster after the first."""
    for cluster in fleet.clusters:
        defaults = [one for one in cluster.adopted.of("PriorityClass") if one.body.get("globalDefault")]
        for other in defaults[1:]:
            yield DOC.found(
                f"`{other.name}` and `{defaults[0].name}` are both the default of cluster `{cluster.name}`",
                at=fleet.places.value((*other.path, "globalDefault")),
                also=(Related("the first", fleet.places.value((*defaults[0].path, "globalDefault"))),),
            )
