"""The other rules of Kueue's: no spec can break them, because the emitters cannot write what they refuse.

Nor can a spec reach Kueue's reasons for an inactive queue: nothing is named that is not rendered (`tests/unit/test_generated`
proves it for generated fleets, as here), no admission check is written, and no cohort is its own ancestor.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from hypothesis import HealthCheck, assume, given, settings

from gpuplan.manifests.set import ManifestSet
from tests.controlplane.trial import accepted
from tests.generated import fleets

Spec = Mapping[str, Any]


def groups_of(spec: Spec) -> list[Spec]:
    return list(spec.get("resourceGroups", ()))


def once(names: Iterable[str]) -> bool:
    return len(listed := list(names)) == len(set(listed))


def limits_of(spec: Spec) -> set[str]:
    """Return which of the two limits any quota of a queue or cohort sets."""
    quotas = [quota for group in groups_of(spec) for flavor in group["flavors"] for quota in flavor["resources"]]
    return {key for quota in quotas for key in quota} & {"borrowingLimit", "lendingLimit"}


def well_shaped(toleration: Spec) -> bool:
    """`Exists` has no value, and none has seconds."""
    return ("value" in toleration) == (toleration["operator"] == "Equal") and "tolerationSeconds" not in toleration


CONSTRUCTION: dict[str, tuple[str, Callable[[Spec], bool]]] = {
    "the selector of namespaces is there and well formed": (
        "ClusterQueue",
        lambda spec: all(
            one["operator"] == "In" and one["values"] for one in spec["namespaceSelector"]["matchExpressions"]
        ),
    ),
    "a limit stands only below a cohort": ("ClusterQueue", lambda spec: "cohortName" in spec),
    "a limit stands only below a parent": ("Cohort", lambda spec: "parentName" in spec or not limits_of(spec)),
    "nobody prefers borrowing or preempting": (
        "ClusterQueue",
        lambda spec: "preference" not in spec["flavorFungibility"],
    ),
    "nobody preempts while borrowing": (
        "ClusterQueue",
        lambda spec: spec["preemption"]["borrowWithinCohort"] == {"policy": "Never"},
    ),
    "no admission check, scope or concurrent admission": (
        "ClusterQueue",
        lambda spec: not {"admissionChecksStrategy", "admissionScope", "concurrentAdmissionPolicy"} & spec.keys(),
    ),
    "a weight is 0 or at least 1": (
        "ClusterQueue",
        lambda spec: re.fullmatch("0|[1-9][0-9]*[kM]?", spec["fairSharing"]["weight"]) is not None,
    ),
    "no flavor has taints": ("ResourceFlavor", lambda spec: "nodeTaints" not in spec),
    "a toleration is well formed": ("ResourceFlavor", lambda spec: all(map(well_shaped, spec.get("tolerations", ())))),
    **{
        f"{what} ({kind})": (kind, holds)
        for kind in ("ClusterQueue", "Cohort")
        for what, holds in (
            (
                "every flavor lists the covered resources in their order",
                lambda spec: all(
                    [quota["name"] for quota in flavor["resources"]] == group["coveredResources"]
                    for group in groups_of(spec)
                    for flavor in group["flavors"]
                ),
            ),
            (
                "a resource is in one group",
                lambda spec: once(name for group in groups_of(spec) for name in group["coveredResources"]),
            ),
            (
                "a flavor is in one group",
                lambda spec: once(flavor["name"] for group in groups_of(spec) for flavor in group["flavors"]),
            ),
        )
    },
}
"""Why no spec can break a rule of Kueue's: the kind that the rule is about, and what holds for every object of it."""


def specs(made: ManifestSet, kind: str, cluster: str | None = None) -> dict[str, Spec]:
    """Return the specs of a kind by the object's key, of one cluster or all."""
    chosen = [one for one in made.of_kind(kind) if cluster in (None, one.cluster)]
    return {
        one.key.name if cluster else f"{one.cluster}: {one.key}": cast("Spec", one.object["spec"]) for one in chosen
    }


@settings(max_examples=30, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(fleets())
def test_what_no_spec_can_break_holds_for_every_object(text: str) -> None:
    made = accepted(text)
    assume(made is not None)
    assert made is not None
    broken = [
        f"{name}: {what}"
        for what, (kind, holds) in CONSTRUCTION.items()
        for name, spec in specs(made, kind).items()
        if not holds(spec)
    ]
    assert broken == []
    for cluster in made.clusters:
        parents = {name: spec.get("parentName") for name, spec in specs(made, "Cohort", cluster).items()}
        (root,) = [name for name, parent in parents.items() if parent is None]
        assert {*parents.values()} <= {None, root}, "the root is above every other cohort, and nothing above it"
