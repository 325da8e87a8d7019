"""Adopted objects, judged by the rules for manifests: what a server or Kueue's webhooks would refuse, at its place in `fleet/`.

What else is to be said of such objects, `gpuplan lint` has said before they were adopted, and they are to stay as they were. What
they name may be in the cluster already, so the set counts as a part (`adopted/reference-to-nothing` warns of it).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.diagnostics import Diagnostic, KeyPath, Severity, Span
from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.model.adopted import AdoptedObject
from gpuplan.model.fleet import Cluster, Fleet, Places
from gpuplan.rules.base import ManifestRule, modules

REFUSED: tuple[str, ...] = (
    "kueue/check-on-unknown-flavor",
    "kueue/cluster-source",
    "kueue/flavor-in-two-groups",
    "kueue/flavor-labels-invalid",
    "kueue/flavor-taint-invalid",
    "kueue/flavor-toleration-invalid",
    "kueue/lending-above-quota",
    "kueue/limit-without-cohort",
    "kueue/listed-twice",
    "kueue/negative-quota",
    "kueue/preemption-contradiction",
    "kueue/preference-without-effect",
    "kueue/queue-too-large",
    "kueue/resource-in-two-groups",
    "kueue/resource-name-invalid",
    "kueue/resources-differ",
    "kueue/selector-invalid",
    "kueue/topology-levels",
    "kueue/topology-without-labels",
    "kueue/value-removed-in-version",
    "kueue/weight-too-small",
    "manifest/metadata",
    "manifest/schema",
)
"""Rules for manifests of which each error is a refusal. They are loaded where something is adopted."""


def judged(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield what would be refused of every cluster's adopted objects."""
    adopting = [cluster for cluster in fleet.clusters if cluster.adopted.objects]
    rules = [ManifestRule.of(module) for module in modules(REFUSED if adopting else ())]
    for cluster in adopting:
        inventory = _inventory(fleet, cluster)
        found = (one for rule in rules for one in rule.judge(inventory))
        yield from (one for one in found if one.severity is Severity.ERROR)


def _inventory(fleet: Fleet, cluster: Cluster) -> Inventory:
    objects = tuple(Object(one.manifest, InSpec(fleet.places, one)) for one in cluster.adopted.objects)
    versions = {name: component.version for name, component in cluster.components.items()}
    assumed = Assumed(versions={**versions, "kubernetes": cluster.kubernetes}, partial=True)
    return Inventory(objects=objects, configs=(), assumed=assumed)


@dataclass(frozen=True, slots=True)
class InSpec:
    """Places of an adopted object's values: those of its entry in the spec."""

    places: Places
    one: AdoptedObject

    @property
    def file(self) -> str:
        """Name of the file that the entry stands in."""
        return self.places.key(self.one.path).file

    def at(self, path: KeyPath, *, key: bool) -> Span:
        """Return where a path of the object stands; the entry, where the spec says it by the entry's name or not at all."""
        if not path or path[0] in ("apiVersion", "kind", "metadata"):
            return self.places.key(self.one.path)
        inner = (*self.one.path, *(path[1:] if path[0] == "spec" else path))
        return self.places.key(inner) if key else self.places.value(inner)

    def own_line(self, path: KeyPath) -> bool:  # noqa: ARG002 - people may write an entry in one line
        """Return False: a finding is on the value itself."""
        return False

    def inside(self, path: KeyPath, offset: int) -> Span:  # noqa: ARG002 - no text of theirs is longer than a word
        """Return where the text at a path stands."""
        return self.at(path, key=False)
