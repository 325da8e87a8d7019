"""An adopted PriorityClass under a name that Kubernetes keeps for itself.

Names that begin with `system-` are Kubernetes' own. Its classes are in every cluster and need no adopting; the server refuses to
make others of such a name.

Source: Kubernetes, validation of PriorityClasses.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="adopted/reserved-priority",
    severity=Severity.ERROR,
    summary="An adopted PriorityClass under a name of Kubernetes' own",
    why="Names that begin with `system-` are Kubernetes' own: the server refuses the class, and Argo CD's sync stops there.",
    fix="Leave the class out, or give it another name.",
    bad="adopted:\n  eu: {priorityClasses: {system-gpu: {value: 5}}}",
    good="adopted:\n  eu: {priorityClasses: {gpu: {value: 5}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each such class."""
    for cluster in fleet.clusters:
        for one in cluster.adopted.of("PriorityClass"):
            if one.name.startswith("system-"):
                yield DOC.found(f"`{one.name}` is a name of Kubernetes' own", at=fleet.places.key(one.path))
