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


def claiming(asked: Object, template: str) -> Object:
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
