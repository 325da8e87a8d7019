"""How Argo CD treats each kind of object: one table, and every object of every fleet follows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from gpuplan.emit.emitters import emit
from gpuplan.emit.sync_options import CONFIRMED, FOREIGN_GROUPS, FREELY_REMOVED, MADE_ANEW
from gpuplan.manifests.set import ManifestSet
from gpuplan.model.fleet import Fleet
from gpuplan.pipeline import check
from tests.build import TODAY, fleet, resolved
from tests.controlplane.make_schemas import written_kinds
from tests.generated import fleets

TINY = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: tiny}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {serve: {cards: [l40s]}}
nodePools: {a: {cluster: eu, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: a}}}}
taskPools: {chat: {kind: onlineInference, service: guaranteed, tiers: [serve]}}
teams: {vision: {namespaces: [vision], quotas: {chat: {serve: {guaranteed: 8}}}}}
"""


def compiled(built: Fleet) -> ManifestSet:
    return emit(built, lambda *_: None)


def options(manifests: ManifestSet) -> Iterator[tuple[str, str, set[str]]]:
    """Yield (API group, kind, sync options) of every object of a cluster."""
    for made in manifests:
        if made.cluster is not None:
            metadata: Any = made.object["metadata"]
            said = metadata["annotations"].get("argocd.argoproj.io/sync-options", "")
            yield made.key.api_version.rpartition("/")[0], made.key.kind, set(filter(None, said.split(",")))


def astray(built: Fleet) -> list[str]:
    """Return the objects of a fleet whose options are not those of the table."""
    anew = MADE_ANEW | ({"PriorityClass"} if built.delivery.replace_priority_classes else set())
    return [
        f"{kind} has {sorted(said)}"
        for group, kind, said in options(compiled(built))
        if ({"Prune=confirm", "Delete=confirm"} <= said) != (kind in CONFIRMED)
        or ("SkipDryRunOnMissingResource=true" in said) != (group in FOREIGN_GROUPS)
        or ({"Force=true", "Replace=true"} <= said) != (kind in anew)
    ]


def test_for_every_kind_that_a_cluster_can_get_it_is_decided_who_is_asked_before_a_removal() -> None:
    kinds = {kind for api_version, kind in written_kinds() if not api_version.startswith("argoproj.io/")}
    assert kinds == CONFIRMED | FREELY_REMOVED.keys()
    assert not CONFIRMED & FREELY_REMOVED.keys()


def test_what_is_no_kind_of_kubernetes_itself_goes_without_a_dry_run_until_its_crd_is_there() -> None:
    groups = {api_version.rpartition("/")[0] for api_version, _ in written_kinds()}
    built_in = {group for group in groups if not group or group.endswith(".k8s.io") or "." not in group}
    foreign_k8s = {"readiness.node.x-k8s.io", "nfd.k8s-sigs.io", "kueue.x-k8s.io"}
    assert groups - (built_in - foreign_k8s) - {"argoproj.io"} == FOREIGN_GROUPS


def test_every_object_of_the_example_is_treated_as_its_kind() -> None:
    checked = check(Path("fleet"), TODAY)
    assert checked.fleet is not None
    assert astray(checked.fleet) == []
    assert {kind for _, kind, said in options(compiled(checked.fleet)) if "Prune=confirm" in said} >= {
        "Namespace",
        "ClusterQueue",
    }


@settings(max_examples=15, deadline=None, suppress_health_check=[*HealthCheck])
@given(fleets())
def test_every_object_of_generated_fleets_is_treated_as_its_kind(text: str) -> None:
    made, _ = resolved(text)
    assert made is not None
    assert astray(made) == []


@pytest.mark.parametrize(("more", "anew"), [("", False), ("delivery: {argocd: {replacePriorityClasses: true}}", True)])
def test_a_priority_class_is_made_anew_only_where_the_spec_says_so(more: str, *, anew: bool) -> None:
    said = [said for _, kind, said in options(compiled(fleet(TINY + more))) if kind == "PriorityClass"]
    assert said
    assert all(({"Force=true", "Replace=true"} <= one) == anew for one in said)
    assert all("Prune=confirm" in one for one in said)
