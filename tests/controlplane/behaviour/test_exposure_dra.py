"""Claims on devices: real Kueue counts them, the real scheduler allocates them, on nodes whose cards are slices."""

from __future__ import annotations

from typing import Any

from tests.controlplane.behaviour.scene import Scene
from tests.controlplane.behaviour.sight import Job
from tests.controlplane.behaviour.stage import Stage
from tests.controlplane.client import Object

CARDS = """
nodePools: {h200: {tier: flat, nodes: 2, cardsPerNode: 4, exposure: dra}}
taskPools: {pretrain: {kind: training, service: guaranteed, tiers: [flat], largestJob: {cardsPerPod: 4}}}
teams: {vision: {namespaces: [vision], quotas: {pretrain: {flat: {guaranteed: 6}}}}}
governance: {guardRails: {queueRequired: deny, producedResources: deny}}
"""


def claiming(asked: Object, template: str) -> dict[str, Any]:
    """Return a job whose pods claim devices by a template, rather than ask for a count of a resource."""
    made: dict[str, Any] = {**asked}
    pod = made["spec"]["template"]["spec"]
    pod["resourceClaims"] = [{"name": "cards", "resourceClaimTemplateName": template}]
    pod["containers"][0]["resources"] = {"claims": [{"name": "cards"}]}
    return made


def submit(scene: Scene, template: str, **asked: Any) -> Job:
    """Submit a job of the only team that claims by a template."""
    return Job(made=scene.client.create(claiming(scene.job("vision", "pretrain", **asked), template)))


def allocated(scene: Scene) -> dict[str, int]:
    """Return how many devices of each node's pool are allocated to claims."""
    found: dict[str, int] = {}
    for claim in scene.client.list("resource.k8s.io/v1", "ResourceClaim"):
        for result in claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", ()):
            found[result["pool"]] = found.get(result["pool"], 0) + 1
    return found


def test_claims_are_counted_allocated_and_run_where_the_devices_are(stage: Stage) -> None:
    scene = stage.play(CARDS)

    within = submit(scene, "pretrain-4")
    scene.runs(within)
    (node,) = scene.nodes_of(within)
    assert allocated(scene) == {node: 4}

    beyond = submit(scene, "pretrain-4")
    assert "insufficient unused quota for dra.gpuplan.dev/gpu" in scene.waits(beyond)
    small = submit(scene, "pretrain-2")
    scene.runs(small)
    assert sum(allocated(scene).values()) == 6


SLICES = """
nodePools:
  h200: {tier: flat, nodes: 1, cardsPerNode: 2, exposure: dra, sharing: {mig: {groups: [{cards: [0], profiles: {1g.18gb: 3}}]}}}
  t4: {tier: desk, nodes: 1, cardsPerNode: 4}
taskPools:
  pretrain: {kind: experiment, service: queued, tiers: [flat]}
  desktops: {kind: experiment, service: queued, tiers: [desk]}
teams:
  vision:
    namespaces: [vision]
    quotas: {pretrain: {flat/card: {guaranteed: 1}, flat/1g.18gb: {guaranteed: 3}}, desktops: {desk: {guaranteed: 4}}}
"""


def devices(scene: Scene, job: Job) -> list[str]:
    """Return the devices that the job's pods hold, sorted."""
    holders = {pod["metadata"]["name"] for pod in scene.look().running(job)}
    return sorted(
        result["device"]
        for claim in scene.client.list("resource.k8s.io/v1", "ResourceClaim")
        if holders & {one["name"] for one in claim.get("status", {}).get("reservedFor", ())}
        for result in claim["status"]["allocation"]["devices"]["results"]
    )


def test_a_class_selects_whole_cards_or_instances_of_its_profile(stage: Stage) -> None:
    scene = stage.play(SLICES)
    instances = submit(scene, "pretrain-1g.18gb-1", resource="dra.gpuplan.dev/mig-1g.18gb", pods=3)
    card = submit(scene, "pretrain-1", resource="dra.gpuplan.dev/gpu")

    scene.runs(instances, card)

    assert devices(scene, instances) == [f"gpu-0-mig-1g-18gb-{number}" for number in range(3)]
    assert devices(scene, card) == ["gpu-1"]


def test_counted_cards_stay_counted_beside_claimed_ones(stage: Stage) -> None:
    scene = stage.play(SLICES)
    scene.client.create(NVIDIAS_CLASS)
    within = scene.submit("vision", "desktops", cards=4)

    scene.runs(within)

    assert scene.pools_of(within) == {"t4"}
    assert "insufficient unused quota for nvidia.com/gpu" in scene.waits(scene.submit("vision", "desktops"))
    assert allocated(scene) == {}


NVIDIAS_CLASS: Object = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "gpu.nvidia.com"},
    "spec": {
        "extendedResourceName": "nvidia.com/gpu",
        "selectors": [
            {
                "cel": {
                    "expression": "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'"
                }
            }
        ],
    },
}
"""The class of whole cards that NVIDIA's chart brings, by which the scheduler takes a count of cards for a claim."""


def test_a_card_asked_for_by_its_name_is_counted_as_a_claim_where_all_cards_are_claimed(stage: Stage) -> None:
    scene = stage.play(CARDS.replace("deny", "warn"))
    scene.client.create(NVIDIAS_CLASS)

    within = scene.submit("vision", "pretrain", resource="nvidia.com/gpu", cards=4)
    scene.runs(within)
    (node,) = scene.nodes_of(within)
    assert allocated(scene) == {node: 4}

    beyond = scene.submit("vision", "pretrain", resource="nvidia.com/gpu", cards=3)
    assert "insufficient unused quota for dra.gpuplan.dev/gpu" in scene.waits(beyond)


def test_a_claim_outside_every_queue_is_refused_and_a_count_is_shown_the_template(stage: Stage) -> None:
    scene = stage.play(CARDS)
    unqueued = claiming(scene.job("vision", "pretrain"), "pretrain-1")
    unqueued["metadata"]["labels"] = {}
    assert "asks for claims by template outside every queue" in scene.refused(unqueued)
    said = scene.refused(scene.job("vision", "pretrain", resource="nvidia.com/gpu"))
    assert "ask for resourceClaimTemplateName pretrain-1" in said
