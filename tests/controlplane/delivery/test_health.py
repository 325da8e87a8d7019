"""Argo CD 3.6 evaluates our health checks on statuses that the real Kueue wrote, and on those that NVIDIA's operator writes.

No GPU Operator runs here: the statuses of its two kinds are set as it sets them, and the server holds them to its CRDs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.controlplane.client import Object, reference
from tests.controlplane.delivery.stage import Delivery, beside

KUEUE_API = "kueue.x-k8s.io/v1beta2"
FOLDER = "rig"
PARTS = (
    "daemonsets",
    "dcgm",
    "dcgmExporter",
    "devicePlugin",
    "driver",
    "gfd",
    "nodeStatusExporter",
    "operator",
    "toolkit",
)
CHECKS = ("remote-a", "remote-b")


def cluster_queue(name: str, flavor: str, **spec: object) -> Object:
    quota = {"name": flavor, "resources": [{"name": "nvidia.com/gpu", "nominalQuota": "1"}]}
    group = {"coveredResources": ["nvidia.com/gpu"], "flavors": [quota]}
    return {**reference(KUEUE_API, "ClusterQueue", name), "spec": {"resourceGroups": [group], **spec}}


def local_queue(name: str, below: str, **spec: object) -> Object:
    return {**reference(KUEUE_API, "LocalQueue", name, "default"), "spec": {"clusterQueue": below, **spec}}


def admission_check(name: str) -> Object:
    spec = {"controllerName": "kueue.x-k8s.io/multikueue"}
    return {**reference(KUEUE_API, "AdmissionCheck", name), "spec": spec}


def cluster_policy(name: str) -> Object:
    return {**reference("nvidia.com/v1", "ClusterPolicy", name), "spec": {part: {} for part in PARTS}}


def driver(name: str) -> Object:
    spec = {"driverType": "gpu", "image": "driver"}
    return {**reference("nvidia.com/v1alpha1", "NVIDIADriver", name), "spec": spec}


def strategy(names: Sequence[str]) -> Object:
    return {"admissionChecks": [{"name": name} for name in names]}


RIG: Sequence[Object] = (
    reference(KUEUE_API, "ResourceFlavor", "there"),
    *map(admission_check, CHECKS),
    cluster_queue("open", "there"),
    cluster_queue("held", "there", stopPolicy="HoldAndDrain"),
    cluster_queue("waiting", "absent"),
    cluster_queue("wrong", "there", admissionChecksStrategy=strategy(CHECKS)),
    local_queue("in-open", "open"),
    local_queue("in-held", "held"),
    local_queue("held-itself", "open", stopPolicy="Hold"),
    local_queue("in-nothing", "absent"),
    *(cluster_policy(f"policy-{state}") for state in ("ready", "not-ready", "ignored", "silent")),
    *(driver(f"driver-{state}") for state in ("ready", "not-ready", "clashing", "silent")),
)

CLASH = {"type": "Error", "status": "True", "reason": "ConflictingNodeSelector", "message": "two for one node"}
NOT_READY = {"type": "Error", "status": "True", "reason": "OperandNotReady", "message": "the driver is not ready"}
STATUSES: Mapping[str, Mapping[str, Any]] = {
    "policy-ready": {"state": "ready"},
    "policy-not-ready": {"state": "notReady", "conditions": [NOT_READY]},
    "policy-ignored": {"state": "ignored"},
    "driver-ready": {"state": "ready"},
    "driver-not-ready": {"state": "notReady"},
    "driver-clashing": {"state": "ready", "conditions": [CLASH]},
    **{
        name: {"conditions": [{"type": "Active", "status": "True", "reason": "Active", "message": ""}]}
        for name in CHECKS
    },
}
"""What controllers that do not run here would say."""

EXPECTED = {
    "open": "Healthy",
    "held": "Healthy",
    "waiting": "Progressing",
    "wrong": "Degraded",
    "in-open": "Healthy",
    "in-held": "Healthy",
    "held-itself": "Healthy",
    "in-nothing": "Progressing",
    "policy-ready": "Healthy",
    "policy-not-ready": "Progressing",
    "policy-ignored": "Degraded",
    "policy-silent": "Progressing",
    "driver-ready": "Healthy",
    "driver-not-ready": "Progressing",
    "driver-clashing": "Degraded",
    "driver-silent": "Progressing",
}


def healths(app: Mapping[str, Any]) -> dict[str, str]:
    """Return the health of each object of an Application whose health Argo CD knows, by its name."""
    found = app["status"].get("resources", [])
    return {one["name"]: one["health"]["status"] for one in found if one.get("health")}


def test_every_state_of_a_queue_a_policy_or_a_driver_has_the_health_that_our_check_gives_it(
    delivered: Delivery,
) -> None:
    delivered.repository.put(FOLDER, RIG)
    beside(delivered, FOLDER, "ServerSideApply=true")
    delivered.argo.synchronize(FOLDER)
    for obj in RIG:
        if status := STATUSES.get(obj["metadata"]["name"]):
            moment = {"lastTransitionTime": "2026-01-01T00:00:00Z"}
            conditions = [{**moment, **condition} for condition in status.get("conditions", [])]
            delivered.plane.client.patch(obj, {"status": {**status, "conditions": conditions}}, subresource="status")
    delivered.argo.wait_for(FOLDER, lambda app: healths(app) == EXPECTED, what=f"be {EXPECTED}", limit=60)


def test_a_queue_that_waits_for_its_flavor_holds_up_the_next_wave_until_the_flavor_comes(delivered: Delivery) -> None:
    folder, client = "waves", delivered.plane.client
    later = {**reference("v1", "ConfigMap", "later", "default"), "data": {}}
    later["metadata"] = {**later["metadata"], "annotations": {"argocd.argoproj.io/sync-wave": "1"}}
    delivered.repository.put(folder, [cluster_queue("early", "to-come"), later])
    beside(delivered, folder, "ServerSideApply=true")
    delivered.argo.begin_sync(folder)

    def waits(app: Mapping[str, Any]) -> bool:
        return "waiting for healthy state of kueue.x-k8s.io/ClusterQueue/early" in str(app.get("status"))

    delivered.argo.wait_for(folder, waits, what="wait for the queue")
    assert client.find(later) is None
    client.apply(reference(KUEUE_API, "ResourceFlavor", "to-come"))
    delivered.plane.wait_for(lambda: client.find(later), what="the next wave")
