"""Our own output under the eyes of the rules that judge anybody's manifests: the second pair of eyes.

They see the objects alone, not the spec, and must find nothing: an error is a fault of gpuplan, shown with the entry that led to
it. What a rule of the spec has said milder than as an error has been said, and a note tells only what objects alone do not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gpuplan.diagnostics import Diagnostic, Diagnostics, Severity, ordered
from gpuplan.inventory.assumed import Assumed
from gpuplan.manifests.set import Manifest
from gpuplan.model.fleet import Cluster

ADOPTED = ("adopted",)
"""Where the spec has objects that stay as they were."""


def second_look(cluster: Cluster, made: Iterable[Manifest]) -> Diagnostics:
    """Judge the objects of a cluster. What is adopted is nobody's fault of ours, and `rules.adoption` has judged it."""
    # Start-up: a command that renders nothing needs none of these rules.
    from gpuplan.inventory.reading.of_manifests import inventory_of  # noqa: PLC0415
    from gpuplan.rules import manifests  # noqa: PLC0415

    ours = (one for one in made if one.origin.path[:1] != ADOPTED)
    found = manifests.judge(inventory_of(ours, _facts(cluster)))
    said = {rule.doc.id for rule in manifests.RULES if rule.checks}
    return ordered(one for one in found if _is_new(one, said))


def _is_new(found: Diagnostic, said: Collection[str]) -> bool:
    """Tell whether nobody has said it; `said` are the rules that have judged the spec."""
    return found.severity is Severity.ERROR or (found.severity is Severity.WARNING and found.rule not in said)


def _facts(cluster: Cluster) -> Assumed:
    versions = {name: component.version for name, component in cluster.components.items()}
    return Assumed(versions={**versions, "kubernetes": cluster.kubernetes})
