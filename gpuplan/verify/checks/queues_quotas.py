"""Quotas and what queues may do to each other are those that were rendered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gpuplan.manifests.set import Manifest
from gpuplan.verify.comparing import by_name, differences, name_of, rendered, shown
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="queues/quotas",
    title="Quotas, limits and preemption of queues and cohorts are those that were rendered, and nobody else is in a cohort",
    reads=("ClusterQueue", "Cohort", "LocalQueue"),
    why="Floors hold only while all numbers of the tree add up to the hardware: one edited queue takes cards from all others.",
)
HELD = ("spec.stopPolicy",)
"""A hold is what `queues/active` looks at."""
INTO: Mapping[str, tuple[str, str]] = {
    "ClusterQueue": ("cohortName", "is in the cohort"),
    "Cohort": ("parentName", "is in the cohort"),
    "LocalQueue": ("clusterQueue", "feeds the queue"),
}
"""Kind -> the key that says what it belongs to, and what that means."""
FED_BY: Mapping[str, tuple[str, ...]] = {"Cohort": ("ClusterQueue", "Cohort"), "ClusterQueue": ("LocalQueue",)}


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each ClusterQueue and Cohort that is there."""
    strangers = {place: list(_strangers(scene, place)) for place in INTO}
    for kind, feeders in FED_BY.items():
        live = by_name(scene.seen(kind))
        for one in rendered(scene, kind):
            found = live.get(("", one.key.name))
            if found is not None:
                beside = [line for feeder in feeders for into, line in strangers[feeder] if into == one.key.name]
                yield _verdict(one, [*differences(one.object, found, ("spec",), HELD), *beside])


def _strangers(scene: Scene, kind: str) -> Iterator[tuple[str, str]]:
    """Yield the objects of a kind that nobody rendered, as what they belong to and a line that says so."""
    ours = {(one.key.namespace, one.key.name) for one in rendered(scene, kind)}
    key, words = INTO[kind]
    for other in scene.seen(kind):
        into = (other.get("spec") or {}).get(key)
        if into and name_of(other) not in ours:
            yield into, f"{kind} {shown(name_of(other))} {words}, which nobody rendered"


def _verdict(one: Manifest, problems: list[str]) -> Verdict:
    words = Words(
        at=one.origin.span,
        good="it is as rendered",
        bad="it is not as rendered",
        fix="Change quotas in fleet/ and let Argo CD sync them; take away what others have added, or adopt it in fleet/.",
    )
    return verdict(DOC, f"{one.key.kind} {one.key.name}", words, wrong=problems)
