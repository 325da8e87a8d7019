"""Priority classes of queues and pods."""

from __future__ import annotations

from gpuplan.emit import priority
from tests.build import fleet
from tests.unit.emit.fleets import Object

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters: {main: {kubernetes: "1.36"}}
cardTiers: {serve: {cards: [l40s]}}
nodePools: {l40s: {cluster: main, tier: serve, nodes: 1, cardsPerNode: 4, selectedBy: {nfd: {}}}}
taskPools:
"""
ALL_SERVICES = SPEC + "".join(
    f"  {name}: {{kind: experiment, service: {name}, tiers: [serve]}}\n"
    for name in ("reclaimable", "shared", "guaranteed", "queued")
)


def objects(text: str) -> tuple[Object, ...]:
    built = fleet(text)
    return tuple(made.object for made in priority.emit(built, built.clusters[0]))


def values(text: str, kind: str) -> dict[str, int]:
    return {made["metadata"]["name"]: made["value"] for made in objects(text) if made["kind"] == kind}


def test_bands_follow_the_service_classes_and_never_touch() -> None:
    ranked = values(ALL_SERVICES, "WorkloadPriorityClass")
    assert sorted(ranked, key=lambda name: -ranked[name]) == [
        f"{service}{level}"
        for service in ("guaranteed", "queued", "shared", "reclaimable")
        for level in ("-high", "", "-low")
    ]
    assert len(set(ranked.values())) == 12


def test_pods_rank_as_their_queue_does() -> None:
    queues, pods = values(ALL_SERVICES, "WorkloadPriorityClass"), values(ALL_SERVICES, "PriorityClass")
    assert pods == {
        f"gpuplan-{service}": queues[service] for service in ("guaranteed", "queued", "shared", "reclaimable")
    }


def test_no_class_of_pods_pushes_out_a_pod_without_class() -> None:
    classes = [made for made in objects(ALL_SERVICES) if made["kind"] == "PriorityClass"]
    assert {made["preemptionPolicy"] for made in classes} == {"Never"}
    assert not any("globalDefault" in made for made in classes)


def test_only_service_classes_in_use_have_priorities() -> None:
    text = SPEC + "  nightly: {kind: batchInference, service: queued, tiers: [serve]}"
    assert set(values(text, "WorkloadPriorityClass")) == {"queued-low", "queued", "queued-high"}
    assert set(values(text, "PriorityClass")) == {"gpuplan-queued"}


def test_a_priority_leaves_the_cluster_only_when_a_person_confirms() -> None:
    options = {made["metadata"]["annotations"]["argocd.argoproj.io/sync-options"] for made in objects(ALL_SERVICES)}
    assert all("Prune=confirm" in option for option in options)
