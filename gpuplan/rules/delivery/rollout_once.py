"""A rollout that leaves a cluster out, or names one twice.

With `delivery.argocd.rollout` Argo CD syncs no cluster by itself any more: each waits for its step. A cluster in no step waits
for ever, and its changes come only when a person syncs it by hand. One in two steps is taken in the first of them.

Source: Argo CD 3.6, progressive syncs.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, repeats

DOC = RuleDoc(
    id="delivery/rollout-once",
    severity=Severity.ERROR,
    summary="A rollout that does not name each cluster once",
    why="Argo CD syncs a cluster when its step comes: one in no step gets nothing, one in two gets it in the first.",
    fix="Name every cluster of the fleet in exactly one step.",
    bad="clusters: {lab: {kubernetes: '1.36'}, prod: {kubernetes: '1.36'}}\n"
    "delivery: {argocd: {mode: applicationSet, rollout: [[lab]]}}",
    good="clusters: {lab: {kubernetes: '1.36'}, prod: {kubernetes: '1.36'}}\n"
    "delivery: {argocd: {mode: applicationSet, rollout: [[lab], [prod]]}}",
)

ROLLOUT = ("delivery", "argocd", "rollout")


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each repeated cluster, and one for all that no step names."""
    places = [
        (*ROLLOUT, number, index) for number, step in enumerate(fleet.delivery.rollout) for index in range(len(step))
    ]
    names = [name for step in fleet.delivery.rollout for name in step]
    for again, _ in repeats(names):
        yield DOC.found(f"The rollout names `{names[again]}` a second time", at=fleet.places.value(places[again]))
    missing = [cluster.name for cluster in fleet.clusters if names and cluster.name not in names]
    if missing:
        yield DOC.found(f"No step of the rollout names {listed(missing)}", at=fleet.places.key(ROLLOUT))
