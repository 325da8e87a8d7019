"""Transitions that an API server refuses, told from the old tree and the new objects."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpuplan.emit.emitters import emit
from gpuplan.manifests.set import ManifestSet
from gpuplan.validate import immutable
from tests.build import fleet

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: tiny}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {serve: {cards: [l40s]}}
nodePools: {a: {cluster: eu, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: a}}}}
taskPools: {chat: {kind: onlineInference, service: guaranteed, tiers: [serve]}}
teams: {vision: {namespaces: [vision], quotas: {chat: {serve: {guaranteed: 8}}}}}
"""


def refused(spec: str, kind: str, **before: object) -> list[str]:
    """Return the fixes of what is refused where the objects of a kind had other values before."""
    manifests: ManifestSet = emit(fleet(spec), lambda *_: None)

    def old(path: str) -> Mapping[str, object] | None:
        made = manifests.placed[path].object
        return {**made, **before} if made["kind"] == kind else None

    return [finding.fix for finding in immutable.refused(manifests, old)]


def test_another_value_of_a_priority_class_is_refused_with_the_way_out() -> None:
    (fix,) = refused(SPEC, "PriorityClass", value=7)
    assert "replacePriorityClasses: true" in fix


@pytest.mark.parametrize("before", [{"value": 7}, {"preemptionPolicy": "PreemptLowerPriority"}])
def test_a_priority_class_that_is_made_anew_may_have_any_value(before: dict[str, object]) -> None:
    assert refused(SPEC + "delivery: {argocd: {replacePriorityClasses: true}}", "PriorityClass", **before) == []
    assert len(refused(SPEC, "PriorityClass", **before)) == 1
